# SPDX-License-Identifier: GPL-2.0-or-later
"""What a cell's programs printed: figures, of which each is a metric, and series."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tsqlab.metrics.series import Samples, samples

if TYPE_CHECKING:
    from tsqlab.metrics.document import Trace

PROGRAM_SERIES = "program_"
"""What the name of a program's entry begins with; what keys call it follows, and, of a series,
"::" and its name."""

PROGRAM_KEY = "PROGRAM"
"""The key in the metadata of a program's entry of what it was, how it ended, and its figures."""

_SERIES = re.compile(rf"{PROGRAM_SERIES}([A-Za-z0-9_-]{{1,16}})::([a-z0-9_]+)")
PROGRAM_METRIC = re.compile(r"program\.([A-Za-z0-9_-]{1,16})\.([a-z][a-z0-9_]{0,31})")
"""The name of a number that a program printed: whose, and what it is."""

RAN = "ran_s"
"""The figure that each program has which ends by itself: for how long it ran."""


@dataclass(frozen=True)
class Printed:
    """What one program printed."""

    name: str
    figures: Mapping[str, float]
    series: Mapping[str, Samples] = field(default_factory=dict)


def printed(
    series_meta: Mapping[str, Any], raw: Mapping[str, list[dict[str, Any]]], t0_unix_s: float
) -> tuple[Printed, ...]:
    """What a document says of programs. Raises ValueError for what is no number."""
    return tuple(
        Printed(
            name := entry.removeprefix(PROGRAM_SERIES),
            _figures(entry, meta[PROGRAM_KEY]),
            {
                match[2]: samples(records, "val", t0_unix_s)
                for series, records in raw.items()
                if (match := _SERIES.fullmatch(series)) and match[1] == name
            },
        )
        for entry, meta in series_meta.items()
        if entry.startswith(PROGRAM_SERIES) and PROGRAM_KEY in meta
    )


def _figures(entry: str, said: Mapping[str, Any]) -> dict[str, float]:
    figures = said["figures"]
    if not set(map(type, figures.values())) <= {int, float}:
        raise ValueError(f"metadata.SERIES_META.{entry}.{PROGRAM_KEY}.figures: expected numbers")
    return {str(name): float(value) for name, value in figures.items()}


def program_metrics(cell: Trace) -> dict[str, float | None]:
    """The figures of a cell's programs."""
    return {
        f"program.{program.name}.{name}": value
        for program in cell.programs
        for name, value in program.figures.items()
    }
