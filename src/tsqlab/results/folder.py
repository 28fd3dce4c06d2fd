# SPDX-License-Identifier: GPL-2.0-or-later
"""An experiment's folder, as the runner leaves it.

``manifest.json`` says what the experiment is and lists its cells; a cell whose state is
"done" has its result in the file named there. Keys that are not here are not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from tsqlab.errors import FileError
from tsqlab.metrics.document import Trace, trace
from tsqlab.metrics.summarise import summarise_trace
from tsqlab.results.flent import KEY, read_flent
from tsqlab.results.record import Level
from tsqlab.results.summary import SummaryRow

MANIFEST = "manifest.json"
DONE = "done"

Latency = Literal["tcp_rtt_ms", "ping_ms"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ManifestCell(_Part):
    """A cell, run or not."""

    id: str
    factors: dict[str, Level] = {}
    file: str = ""  # in the folder
    wall_s: float | None = None  # real time that it took
    state: str = DONE


class Manifest(_Part):
    """What the runner says of an experiment."""

    experiment: str  # its name
    title: str
    paper: str = ""
    figure: str = ""
    comment: str = ""  # with which the experiment's file begins
    plots: list[str] = []
    latency: Latency = "ping_ms"
    factors: list[str] = []  # in the matrix's order
    cells: list[ManifestCell]
    kernels: list[dict[str, Any]] = []  # "id" of the build, "release" and more of each


@dataclass(frozen=True)
class Result:
    """A cell that is done."""

    id: str
    factors: Mapping[str, Level]
    file: str
    trace: Trace
    metrics: Mapping[str, float | None]
    release: str = ""  # of the kernel that it ran; empty in a file that the lab did not write
    spec: Mapping[str, Any] = field(default_factory=dict)  # in base units; likewise, as the next
    device: Mapping[str, Any] = field(default_factory=dict)  # its profile

    def row(self) -> SummaryRow:
        """Its row of the summary."""
        return SummaryRow(self.factors, self.metrics)


@dataclass(frozen=True)
class Folder:
    """An experiment and what is there of its results."""

    path: Path
    manifest: Manifest
    results: tuple[Result, ...]

    @property
    def unfinished(self) -> list[ManifestCell]:
        """The cells that are not done."""
        return [cell for cell in self.manifest.cells if cell.state != DONE]


def read_folder(path: Path) -> Folder:
    """Read an experiment's folder. Raises FileError."""
    manifest = read_manifest(path)
    done = [cell for cell in manifest.cells if cell.state == DONE]
    return Folder(path, manifest, tuple(_result(path, cell, manifest.factors) for cell in done))


def read_manifest(folder: Path) -> Manifest:
    """Read what the runner says of a folder. Raises FileError."""
    path = folder / MANIFEST
    if not folder.is_dir():
        raise FileError(folder, "no such folder; give the one that tsqlab run wrote")
    try:
        return Manifest.model_validate(json.loads(path.read_bytes()))
    except FileNotFoundError as error:
        message = f"no {MANIFEST} in it; give the folder that tsqlab run wrote"
        raise FileError(folder, message) from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise FileError(
            path, f"{_lower(first['msg'])}; run the experiment again", key=key
        ) from error
    except (OSError, ValueError) as error:
        message = f"not a whole manifest ({error}); run the experiment again"
        raise FileError(path, message) from error


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _result(folder: Path, cell: ManifestCell, order: list[str]) -> Result:
    path = folder / (cell.file or f"{cell.id}.flent.gz")
    document = read_flent(path)
    try:
        measured = trace(document)
        metrics = summarise_trace(measured) | {"wall_s": cell.wall_s}
        lab = document["metadata"].get(KEY, {})
        release = lab.get("kernel", {}).get("release", "")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        message = f"lacks what a result has ({error!r}); remove it and run the experiment again"
        raise FileError(path, message) from error
    names = [name for name in order if name in cell.factors]
    factors = {name: cell.factors[name] for name in [*names, *cell.factors]}
    return Result(
        cell.id, factors, path.name, measured, metrics, str(release),
        lab.get("spec", {}), lab.get("device", {}),
    )  # fmt: skip


def releases(results: Iterable[Result]) -> str:
    """The kernels that *results* ran, as text."""
    return ", ".join(dict.fromkeys(result.release for result in results if result.release))
