# SPDX-License-Identifier: GPL-2.0-or-later
"""Cells as a frame: factors, metrics, and what each was specified to be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from tsqlab.experiment.spec import TABLES, Spec
from tsqlab.experiment.stored import Folder, Result
from tsqlab.results.folder import ManifestCell
from tsqlab.results.summary import METRICS, further_metrics
from tsqlab.units import Decibel, Duration, Fraction, Length, Power, Quantity, Rate, Size

if TYPE_CHECKING:
    import pandas as pd

_UNITS: Mapping[type[Quantity], tuple[str, attrgetter[float]]] = {
    Duration: ("s", attrgetter("s")),
    Rate: ("mbps", attrgetter("mbit_per_s")),
    Size: ("bytes", attrgetter("real")),
    Fraction: ("percent", attrgetter("percent")),
    Decibel: ("db", attrgetter("db")),
    Power: ("dbm", attrgetter("dbm")),
    Length: ("m", attrgetter("m")),
}
"""The end of a column's name for each kind of quantity, and what gives the number in that unit."""


def cells_frame(folder: Folder) -> pd.DataFrame:
    """The frame that Results.cells() describes."""
    import pandas as pd  # noqa: PLC0415

    manifest, results = folder.manifest, {result.id: result for result in folder.results}
    metrics = [*METRICS, *further_metrics([result.row() for result in folder.results])]
    rows = [_row(cell, results.get(cell.id), metrics) for cell in manifest.cells]
    names = dict.fromkeys(name for _, settings in rows for name in settings)
    data = [values | {name: settings.get(name) for name in names} for values, settings in rows]
    columns = [*manifest.factors, "done", "kernel", *metrics, *names]
    index = pd.Index([cell.id for cell in manifest.cells], name="cell", dtype=object)
    frame = pd.DataFrame(data, index=index, columns=columns)
    return frame.astype(dict.fromkeys(metrics, float) | {"done": bool})


def _row(
    cell: ManifestCell, result: Result | None, metrics: list[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """A cell's values by column, and the settings that it was specified by."""
    values = {
        **cell.factors,
        "done": result is not None,
        "kernel": result.release if result else "",
        **{name: result.metrics.get(name) if result else None for name in metrics},
    }
    return values, dict(_settings(result.spec)) if result and result.spec else {}


def _settings(spec: Spec) -> Iterator[tuple[str, Any]]:
    for table in TABLES:
        part: BaseModel = getattr(spec, table)
        for key in type(part).model_fields:
            yield from _setting(f"{table}.{key}", getattr(part, key))


def _setting(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A column of a key that is one value; none of a table or an array of them."""
    if isinstance(value, Quantity):
        unit, number = _UNITS[type(value)]
        yield f"{name}_{unit}", number(value)
    elif value is None or isinstance(value, str | int | float):
        yield name, value
    elif isinstance(value, BaseModel):
        for key in type(value).model_fields:
            yield from _setting(f"{name}.{key}", getattr(value, key))
