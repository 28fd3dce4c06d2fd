# SPDX-License-Identifier: GPL-2.0-or-later
"""The series that each of Flent's tests computes from others, as its ``.conf`` defines them.

``avg``, ``sum`` and ``fairness`` (Jain's index) combine, at every point in time, those of
their series that have a value there; where none has, the result has none either.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from tsqlab.metrics.statistics import jain
from tsqlab.results.grid import Number, Series

Combine = Callable[[Sequence[Number]], float | None]


@dataclass(frozen=True)
class Computed:
    """A series that is computed from others."""

    name: str
    combine: Combine
    runner: str  # the class that computes it in Flent
    source: str  # a regular expression that matches the names of its source series

    def sources(self, names: Sequence[str]) -> list[str]:
        """The names among *names* that it is computed from."""
        return [name for name in names if re.fullmatch(self.source, name)]


def _average(name: str, source: str) -> Computed:
    return Computed(name, fmean, "AverageRunner", source)


def _sum(name: str, source: str) -> Computed:
    return Computed(name, math.fsum, "SumRunner", source)


def _numbered(direction: str) -> tuple[Computed, ...]:
    source = rf"TCP {direction}::\d+"
    return (
        _average(f"TCP {direction} avg", source),
        _sum(f"TCP {direction} sum", source),
        Computed(f"TCP {direction} fairness", jain, "FairnessRunner", source),
    )


_CLASSES = r"(BE|BK|CS5|EF)\d*"


def _both_ways(flow: str, ping: str) -> tuple[Computed, ...]:
    """Of a test with flows both ways; *flow* and *ping* are what follows in the series' names."""
    return (
        _average("TCP upload avg", f"TCP upload{flow}"),
        _sum("TCP upload sum", f"TCP upload{flow}"),
        _average("TCP download avg", f"TCP download{flow}"),
        _sum("TCP download sum", f"TCP download{flow}"),
        _sum("TCP totals", f"TCP (up|down)load{flow}"),
        _average("Ping (ms) avg", rf"Ping \(ms\){ping}"),
    )


_RRUL = _both_ways(f" {_CLASSES}", " (ICMP|UDP .*)")
_VARIABLE = _both_ways("::[^:]+", "::[^:]+")

COMPUTED: Mapping[str, tuple[Computed, ...]] = {
    "tcp_nup": _numbered("upload"),
    "tcp_ndown": _numbered("download"),
    "rrul": _RRUL,
    "rrul_be": _RRUL,
    "rrul_var": _VARIABLE,
}
"""The series that each test computes. A test that is not here computes none."""


def computed_of(test: str, names: Sequence[str]) -> list[Computed]:
    """What a test computes of series with these *names*; there may be no upload, or no ping."""
    return [computed for computed in COMPUTED.get(test, ()) if computed.sources(names)]


def compute(of: Computed, results: Mapping[str, Series]) -> Series:
    """The series that *of* defines, computed from all series of a test."""
    columns = [results[name] for name in of.sources(list(results))]
    present = (
        [value for value in point if value is not None] for point in zip(*columns, strict=True)
    )
    return [of.combine(values) if values else None for values in present]
