# SPDX-License-Identifier: GPL-2.0-or-later
"""One finished cell: what was asked, how it was run, and what was measured.

A record is all that a result file holds. It carries nothing of the wall clock, the user or
the machine, so the same cell gives the same record, and the same file, wherever it runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tsqlab.metrics.document import Own
from tsqlab.results.measurement import Measurement
from tsqlab.topology import CLIENT, SERVER

Level = str | int | float
"""A factor's value."""


@dataclass(frozen=True)
class FlowName:
    """A flow, as far as its results need to know it."""

    series: str  # the name that Flent gives it, such as "TCP upload::1"
    protocol: Literal["tcp", "udp"]
    direction: Literal["up", "down"]
    client: str = CLIENT  # the node at the client's end; empty if neither end is a client
    own: Own | None = None  # None of a test's
    server: str = ""  # the node at the server's end, if that is another than the record's
    # The egresses that send its data, one after the other; empty where the layout says it all.
    way: tuple[str, ...] = ()


@dataclass(frozen=True)
class WireCapacity:
    """What an egress of a wire can carry."""

    rate_mbps: float  # of the link, or of the HTB above it
    frame_overhead_bytes: int  # what that rate counts of a frame beside what a qdisc counts


@dataclass(frozen=True)
class RadioCapacity:
    """What a radio can take in and send at one go."""

    aggregate_frames: int  # MPDUs of the largest aggregate that can follow one another
    amsdu_frames: int  # MSDUs of the largest MPDU
    ring_frames: int  # frames that its host has given it, at which its ring counts as full
    bus_frames: int  # of a transfer over its bus; 0: it has none
    pulls: bool  # its frames wait above it until a PPDU is formed
    packet_bytes: int  # what a socket is charged for a packet


@dataclass(frozen=True)
class TsqCapacity:
    """What TSQ's limit is made of at a flow's sender."""

    bytes: int  # the upper bound; -1: there is no limit at all
    us: int  # the time at the pacing rate; 0: stock's, which is the rate, shifted
    stock_part: float = 1.0  # so much of stock's time there is


@dataclass(frozen=True)
class Capacity:
    """The most that a cell's specification and profile allow."""

    wires: Mapping[str, WireCapacity] = field(default_factory=dict)  # by egress
    radios: Mapping[str, RadioCapacity] = field(default_factory=dict)  # by node
    tsq: Mapping[str, TsqCapacity] = field(default_factory=dict)  # by a flow's series


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
    capacity: Capacity = Capacity()
    server: str = SERVER  # the node at the flows' far end
    own_pings: Mapping[str, Own] = field(default_factory=dict)  # by series
    # The egress of each radio, by what the measurement calls it, where flows have ways.
    radio_egresses: Mapping[str, str] = field(default_factory=dict)

    @property
    def total_s(self) -> float:
        """The time from the first ping to the last."""
        return self.length_s + 2 * self.delay_s
