# SPDX-License-Identifier: GPL-2.0-or-later
"""One finished cell: what was asked, how it was run, and what was measured.

A record is all that a result file holds. It carries nothing of the wall clock, the user or
the machine, so the same cell gives the same record, and the same file, wherever it runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tsqlab.results.measurement import Measurement
from tsqlab.topology import CLIENT

Level = str | int | float
"""A factor's value."""


@dataclass(frozen=True)
class FlowName:
    """A flow, as far as its results need to know it."""

    series: str  # the name that Flent gives it, such as "TCP upload::1"
    protocol: Literal["tcp", "udp"]
    direction: Literal["up", "down"]
    client: str = CLIENT  # the node at the client's end


@dataclass(frozen=True)
class CellRecord:
    """Everything one finished cell is."""

    test: str  # the name that Flent gives it, such as "tcp_nup"
    title: str  # the title of the experiment
    factors: Mapping[str, Level]  # the place of the cell in the matrix, in the matrix's order
    length_s: float  # how long the flows last
    delay_s: float  # how long ping runs alone before the flows, and again after them
    step_s: float  # the sampling period
    streams: int  # how many flows tcp_nup and tcp_ndown have
    start_unix_s: float  # the virtual wall-clock time at which the measurement starts
    flows: tuple[FlowName, ...]
    # The spec, kernel, sysctls and seeds as JSON-ready data, which is kept as it is.
    provenance: Mapping[str, Any]
    measurement: Measurement

    @property
    def total_s(self) -> float:
        """The time from the first ping to the last."""
        return self.length_s + 2 * self.delay_s
