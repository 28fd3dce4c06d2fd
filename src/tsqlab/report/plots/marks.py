# SPDX-License-Identifier: GPL-2.0-or-later
"""What queues mark and drop against time: a panel for each setting, a line for each queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tsqlab.experiment.stored import Result
from tsqlab.metrics.ecn import Marking
from tsqlab.metrics.series import Samples
from tsqlab.report.plots.axes import name_axis, set_limits
from tsqlab.report.plots.figure import Plot
from tsqlab.report.plots.look import say
from tsqlab.report.plots.panels import (
    Kind,
    Values,
    dress,
    panel_axes,
    panel_legend,
    panels,
    thinned,
)
from tsqlab.report.plots.stated import Asked

NAME = "marks"

_KIND = Kind(NAME, "CE marks and drops")
_HEIGHT_IN = 3.2
EVENTS = {"ecn_mark": "CE marks (1/s)", "dropped": "drops (1/s)"}
"""What each row of a panel shows, and what its axis says."""


def marks(results: Sequence[Result], _asked: Asked) -> list[Plot]:
    """The panels, in the order of the matrix, of cells whose queues mark or drop any packet."""
    return panels([result for result in results if _busy(result)], _KIND, _panel, _values)


def _busy(cell: Result) -> list[Marking]:
    """The queues that have something to show."""
    return [queue for queue in cell.trace.markings
            if any(queue.events.value[key][1:].any() for key in EVENTS)]  # fmt: skip


def _rate(queue: Marking, key: str) -> Samples:
    """Events in a second, of the time that ends at each sample."""
    t_s = queue.events.t_s
    return thinned(Samples(t_s[1:], queue.events.value[key][1:] / np.diff(t_s)))


def _values(cell: Result) -> Values:
    return {key: [_rate(queue, key).value for queue in _busy(cell)] for key in EVENTS}


def _panel(cell: Result, limits: Mapping[str, tuple[float, float]]) -> Figure:
    figure, rows = panel_axes(_HEIGHT_IN, len(EVENTS))
    for axes, (key, text) in zip(rows, EVENTS.items(), strict=True):
        _lines(axes, cell, key)
        set_limits(axes.yaxis, limits[key])
        name_axis(axes.yaxis, say(text))
        dress(axes, cell)
    rows[-1].set_xlabel(say("time (s)"))
    panel_legend(figure)
    return figure


def _lines(axes: Axes, cell: Result, key: str) -> None:
    for queue in _busy(cell):
        samples = _rate(queue, key)
        axes.plot(samples.t_s, samples.value, label=queue.egress if key == "ecn_mark" else None)
