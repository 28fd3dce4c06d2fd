# SPDX-License-Identifier: GPL-2.0-or-later
"""An experiment's results, read back: each cell with the specification that it was run by.

A result file carries its cell's specification and device profile as plain data. Here they
become the types that they were, so that what is asked of a result (its TSQ limit, its rate) is
asked in the same words as before the run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from tsqlab.errors import FileError
from tsqlab.experiment.capture import CAPTURED
from tsqlab.experiment.conditions import Conditions
from tsqlab.experiment.era import TODAY
from tsqlab.experiment.modules import MODULES, PARAMETERS
from tsqlab.experiment.profile import Others, Profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.testbed.layouts import RECENT, foreign
from tsqlab.metrics.document import Trace
from tsqlab.results.flent import KEY, read_measured
from tsqlab.results.folder import ERA, Manifest, ManifestCell, read_manifest
from tsqlab.results.record import Level
from tsqlab.results.repetitions import side_by_side
from tsqlab.results.summary import SummaryRow
from tsqlab.units import BASE_UNITS

_SPEC = TypeAdapter(Spec)
_PROFILE: TypeAdapter[Profile] = TypeAdapter(Profile)
_OTHERS: TypeAdapter[Others] = TypeAdapter(dict[str, Profile])

Model = TypeVar("Model")


@dataclass(frozen=True)
class Result:
    """A cell that is done."""

    id: str
    factors: Mapping[str, Level]
    file: str
    trace: Trace
    metrics: Mapping[str, float | None]
    release: str = ""  # the kernel that the cell ran; empty in a file that the lab did not write
    spec: Spec | None = None  # None, like device, in a file that the lab did not write
    device: Profile | None = None
    others: Others = field(default_factory=dict)  # the profiles that its links and media name

    def row(self) -> SummaryRow:
        """Its row of the summary."""
        return SummaryRow(self.factors, self.metrics)

    @cached_property
    def conditions(self) -> Conditions | None:
        """What it was run by; None in a file that the lab did not write."""
        if self.spec is None or self.device is None:
            return None
        return Conditions(self.spec, self.device, self.others)


@dataclass(frozen=True, eq=False)
class Folder:
    """An experiment and the results that it has so far.

    What has been read is the same as itself only, so that what is computed of it can be kept by it.
    """

    path: Path
    manifest: Manifest
    results: tuple[Result, ...]
    # The same cells over hosts of today, by the same factors; None if nobody asked for them.
    today: Folder | None = None

    @property
    def unfinished(self) -> list[ManifestCell]:
        """The cells that are not done."""
        return [cell for cell in self.manifest.cells if not cell.done]

    @cached_property
    def whole(self) -> Folder:
        """It with those of today beside its own, the era being one factor more, for tables."""
        if self.today is None:
            return self
        parts = ((self.manifest.era, self), (TODAY, self.today))
        cells = [
            cell.model_copy(update={"factors": {**cell.factors, ERA: era}})
            for era, part in parts
            for cell in part.manifest.cells
        ]
        results = [
            replace(result, factors={**result.factors, ERA: era})
            for era, part in parts
            for result in part.results
        ]
        factors = [*self.manifest.factors, ERA]
        update = {"cells": side_by_side(cells, ERA), "factors": factors}
        manifest = self.manifest.model_copy(update=update)
        return Folder(self.path, manifest, tuple(side_by_side(results, ERA)))


def plain(specified: BaseModel) -> dict[str, Any]:
    """A specification or a profile as JSON-ready data, quantities in their base units."""
    return specified.model_dump(mode="json")


def measured(spec: Spec) -> dict[str, Any]:
    """A specification as plain data, without what a cell would have to have for it to matter.

    That is the keys of captures where nothing is captured, trace events if none are, changes of a
    profile if none is, what ran before if nothing did, modules, flows of its own, changes of links
    and programs if there are none, keys of the sender that are not given and keys of layouts that
    came after the cell's own.
    """
    data = plain(spec)
    for key in RECENT & foreign(spec.testbed.layout).keys():
        del data["testbed"][key]
    for table, keys in _ONLY_IF_GIVEN.items():
        for asked, with_it in keys.items():
            if not getattr(getattr(spec, table), asked):
                for key in with_it:
                    del data[table][key]
    for array in ("flow", "vary", "program"):
        if not data[array]:
            del data[array]
    return data


# What matters only where it is given: the key that says whether it is, and those that go with it.
_ONLY_IF_GIVEN: Mapping[str, Mapping[str, Collection[str]]] = {
    "testbed": {"profile": ("profile",)},
    "sender": {key: (key,) for key in ("ecn", "gso_max_size", "tx_delay")},
    "lab": {
        "capture": [key.removeprefix("lab.") for key in CAPTURED],
        "trace": ("trace",),
        "before": ("before",),
        MODULES: (MODULES, PARAMETERS),
    },
}


def read_folder(path: Path) -> Folder:
    """Read an experiment's folder. Raises FileError."""
    manifest = read_manifest(path)
    own = _folder(path, manifest, [cell for cell in manifest.cells if not cell.today])
    today = [_as_own(cell) for cell in manifest.cells if cell.today]
    return replace(own, today=_folder(path, manifest, today)) if today else own


def _folder(path: Path, manifest: Manifest, cells: list[ManifestCell]) -> Folder:
    results = (_result(path, cell, manifest.factors) for cell in cells if cell.done)
    return Folder(path, manifest.model_copy(update={"cells": cells}), tuple(results))


def _as_own(cell: ManifestCell) -> ManifestCell:
    """A cell of today with the factors of the one that it is once more."""
    factors = {name: level for name, level in cell.factors.items() if name != ERA}
    return cell.model_copy(update={"factors": factors})


def releases(results: Iterable[Result]) -> str:
    """The kernels that *results* ran, as text."""
    return ", ".join(dict.fromkeys(result.release for result in results if result.release))


def _result(folder: Path, cell: ManifestCell, order: list[str]) -> Result:
    path = folder / (cell.file or f"{cell.id}.flent.gz")
    document, measured, metrics = read_measured(path)
    lab = document["metadata"].get(KEY, {})
    kernel = lab.get("kernel", {}) if isinstance(lab, dict) else None
    if not isinstance(kernel, dict):
        message = "expected a table, with a table kernel; remove it and run the experiment again"
        raise FileError(path, message, key=f"metadata.{KEY}")
    names = [name for name in order if name in cell.factors]
    return Result(
        cell.id,
        {name: cell.factors[name] for name in [*names, *cell.factors]},
        path.name,
        measured,
        metrics | {"wall_s": cell.wall_s},
        str(kernel.get("release", "")),
        _typed(path, "spec", _SPEC, lab.get("spec")),
        _typed(path, "device", _PROFILE, lab.get("device")),
        _typed(path, "devices", _OTHERS, lab.get("devices")) or {},
    )


def _typed(path: Path, part: str, kind: TypeAdapter[Model], data: object) -> Model | None:
    """A part of a result's provenance, in its original type. Raises FileError."""
    if data is None:
        return None
    try:
        return kind.validate_python(data, context={BASE_UNITS: True})
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join([KEY, part, *(str(step) for step in first["loc"])])
        message = (
            f"not what this version of tsqlab runs ({first['msg']}); "
            "remove it and run the experiment again"
        )
        raise FileError(path, message, key=key) from error
