# SPDX-License-Identifier: GPL-2.0-or-later
"""Pings that have no answer.

One is sent at each step of a cell's clock, so an answer tells when its ping was sent, and a step
without an answer has lost its ping (or the answer was still on its way when the measurement ended).
Their latency is in no percentile: where most pings are lost, those that come back say little of
what the others met.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsqlab.metrics.document import Trace
from tsqlab.metrics.series import Floats

MANY = 0.1
"""The share of lost pings above which a latency of the others is marked; it is chosen."""


def lost_s(cell: Trace) -> dict[str, Floats]:
    """When each lost ping was sent, from the start to the end of its pings, by series."""
    return {name: _lost_steps(cell, name) * cell.step_s for name in _series(cell)}


def _series(cell: Trace) -> tuple[str, ...]:
    return (*cell.silent_pings, *cell.pings)


def _lost_steps(cell: Trace, name: str) -> NDArray[Any]:
    """The steps of a series whose ping has no answer."""
    return np.setdiff1d(np.arange(*_sent_steps(cell, name)), cell.answered_steps(name))


def _sent_steps(cell: Trace, name: str) -> tuple[int, int]:
    """The first step in which a series sends, and the one in which it no longer does."""
    own = cell.own_pings.get(name)
    begin_s, end_s = (own.begin_s, own.end_s) if own else (0.0, cell.total_s)
    return round(begin_s / cell.step_s), round(end_s / cell.step_s)


def count_of(cell: Trace, name: str, begin_s: float, end_s: float) -> tuple[int, int]:
    """How many pings of a series were sent in that time, and how many of them were lost."""
    begins, ends = _sent_steps(cell, name)
    first = max(begins, round(begin_s / cell.step_s))
    end = max(first, min(ends, round(end_s / cell.step_s)))
    steps = _lost_steps(cell, name)
    return end - first, int(np.count_nonzero((steps >= first) & (steps < end)))


def count(cell: Trace) -> tuple[int, int]:
    """How many pings were sent while the flows ran, of all series, and how many were lost."""
    counts = [count_of(cell, name, cell.begin_s, cell.end_s) for name in _series(cell)]
    return sum(sent for sent, _ in counts), sum(lost for _, lost in counts)


def lost_metrics(sent: int, lost: int) -> dict[str, float | None]:
    """How many pings were sent, and the share that was lost; None where there were none."""
    return {"pings_sent": float(sent) or None, "ping_lost_share": lost / sent if sent else None}
