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

    series: str  # Flent's name, as "TCP upload::1"
    protocol: Literal["tcp", "udp"]
    direction: Literal["up", "down"]
    client: str = CLIENT  # the node at the client's end


@dataclass(frozen=True)
class CellRecord:
    """Everything one finished cell is."""

    test: str  # Flent's name, as "tcp_nup"
    title: str  # of the experiment
    factors: Mapping[str, Level]  # the cell's place in the matrix, in the matrix's order
    length_s: float  # of the flows
    delay_s: float  # of ping alone before the flows, and again after them
    step_s: float  # sampling period
    streams: int  # of tcp_nup and tcp_ndown
    start_unix_s: float  # virtual wall-clock time of the measurement's start
    flows: tuple[FlowName, ...]
    provenance: Mapping[str, Any]  # spec, kernel, sysctls, seeds: JSON-ready, kept as it is
    measurement: Measurement

    @property
    def total_s(self) -> float:
        """From the first ping to the last."""
        return self.length_s + 2 * self.delay_s
