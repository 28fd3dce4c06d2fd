# SPDX-License-Identifier: GPL-2.0-or-later
"""What a guest measured: the time series that its agent wrote, as arrays.

The agent's files are tab-separated integers under a header of column names with units
(agent/series.c). Times count from the start of the measurement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tsqlab.errors import TsqlabError
from tsqlab.results.files import open_regular

TABLE_BYTES_MAX = 4 << 30

Table = Mapping[str, NDArray[np.int64]]
"""Columns by name, all of one length; "t_ns" is always among them."""

AIRTIME_TO = "airtime_to_ns:"
"""What the name of a radio's column begins with that is of one receiver; which one follows."""


def read_table(path: Path) -> Table:
    """Read one series file of the agent. Raises TsqlabError when it is not whole."""
    try:
        with open_regular(path, TABLE_BYTES_MAX) as file:
            names = file.readline().rstrip("\n").split("\t")
            rows = [[int(word) for word in line.split("\t")] for line in file]
        values = np.array(rows, dtype=np.int64).reshape(len(rows), len(names))
    except (OSError, ValueError, OverflowError) as error:
        raise TsqlabError(f"{path}: not a series of the guest: {error}") from error
    return {name: values[:, number] for number, name in enumerate(names)}


@dataclass(frozen=True)
class RadioTables:
    """What a radio counted."""

    peer: str  # the node that it sends to, or "all"
    # Cumulative, except for what waits at the moment of the sample: airlink's stats.h says which.
    counters: Table
    subframes_of: tuple[int, ...]  # element n - 1 counts all PPDUs of n frames
    # What it is on its medium: "ap", "station", "peer"; None: what its node is called.
    role: str | None = None


@dataclass(frozen=True)
class ProgramRun:
    """How a [[program]] ran, and the numbers in what it printed."""

    node: str
    begin_ns: int  # from the measurement's start on, as are all
    end_ns: int
    status: int | None  # what it returned; None if a signal ended it
    signal: int | None
    stopped: bool  # whether that was the lab's, at its stop
    figures: Mapping[str, float] = field(default_factory=dict)  # by name and unit, as columns are
    # Values over time, likewise; the instants are in ns.
    series: Mapping[str, Sequence[tuple[int, float]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Measurement:
    """Everything one cell measured."""

    # The keys are series names of the flows, such as "TCP upload::1".
    senders: Mapping[str, Table]
    receivers: Mapping[str, Table]  # the keys are series names of the flows, too
    pings: Mapping[str, Table]  # the keys are series names of the probes, such as "Ping (ms) ICMP"
    qdiscs: Mapping[str, Table]  # the keys are egresses, such as "C>R"
    # The keys are nodes, such as "C", or "C.air" where a node has several radios.
    radios: Mapping[str, RadioTables] = field(default_factory=dict)
    # When the last byte came of a flow that has so many; the keys are series names of flows. A flow
    # that did not come to its end has no row.
    completions: Mapping[str, Table] = field(default_factory=dict)
    # What WQM saw and set at each of its looks; the keys are those of radios.
    sized: Mapping[str, Table] = field(default_factory=dict)
    # By what keys call each [[program]].
    programs: Mapping[str, ProgramRun] = field(default_factory=dict)
