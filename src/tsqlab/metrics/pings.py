# SPDX-License-Identifier: GPL-2.0-or-later
"""Pings that have no answer.

One is sent at each step of a cell's clock, so an answer tells when its ping was sent, and a step
without an answer has lost its ping (or the answer was still on its way when the measurement ended).
Their latency is in no percentile: where most pings are lost, those that come back say little of
what the others met.
"""

from __future__ import annotations

import numpy as np

from tsqlab.metrics.document import Floats, Trace

MANY = 0.1
"""The share of lost pings above which a latency of the others is marked; it is chosen."""


def lost_s(cell: Trace) -> dict[str, Floats]:
    """When each lost ping was sent, from the start to the end of the measurement, by series."""
    steps = np.arange(round(cell.total_s / cell.step_s))
    found = dict.fromkeys(cell.silent_pings, np.empty(0))
    for name, answers in cell.pings.items():
        sent_s = answers.t_s - answers.value / 1e3
        found[name] = np.rint(sent_s / cell.step_s)
    return {name: np.setdiff1d(steps, answered) * cell.step_s for name, answered in found.items()}


def count(cell: Trace) -> tuple[int, int]:
    """How many pings were sent while the flows ran, of all series, and how many were lost."""
    first, end = (round(at_s / cell.step_s) for at_s in (cell.begin_s, cell.end_s))
    of_series = lost_s(cell)
    lost = (np.rint(at_s / cell.step_s) for at_s in of_series.values())
    return (
        (end - first) * len(of_series),
        sum(int(np.count_nonzero((steps >= first) & (steps < end))) for steps in lost),
    )
