# SPDX-License-Identifier: GPL-2.0-or-later
"""Goodput and ping against time: one panel for each setting, with an axis for either.

A ping that was lost is a stroke at the foot, where it was sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tsqlab.experiment.stored import Result
from tsqlab.metrics.pings import lost_s
from tsqlab.report.plots.axes import LABELS, name_axis, set_limits
from tsqlab.report.plots.figure import Plot, colour, ink
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

NAME = "goodput-ping"

_KIND = Kind(NAME, "Goodput and ping", may_be_log=("ping",))
_HEIGHT_IN = 3.1
_PINGS_FROM = 2  # the place of the first ping's colour
_PING_STYLES = ("-", "--", "-.", ":")


def goodput_ping(results: Sequence[Result], _asked: Asked) -> list[Plot]:
    """The panels, in the order of the matrix."""
    return panels(results, _KIND, _panel, _values)


def _values(cell: Result) -> Values:
    goodputs = [thinned(cell.trace.goodput_mbps(direction)) for direction in ("up", "down")]
    return {
        "goodput": [samples.value for samples in goodputs],
        "ping": [thinned(ping).value for ping in cell.trace.pings.values()],
    }


def _panel(cell: Result, limits: Mapping[str, tuple[float, float]]) -> Figure:
    figure, (above, below) = panel_axes(_HEIGHT_IN, 2)
    _goodput(above, cell)
    _pings(below, cell)
    for axes, name in ((above, "goodput"), (below, "ping")):
        set_limits(axes.yaxis, limits[name])
        dress(axes, cell)
    above.set_ylabel(say("goodput\n(Mbit/s)"))
    name_axis(below.yaxis, say(LABELS["ping_ms"]), length_in=1.0)
    below.set_xlabel(say("time (s)"))
    panel_legend(figure)
    return figure


def _goodput(axes: Axes, cell: Result) -> None:
    for place, (direction, name) in enumerate((("up", say("upload")), ("down", say("download")))):
        samples = thinned(cell.trace.goodput_mbps("up" if direction == "up" else "down"))
        if len(samples.t_s):
            axes.plot(samples.t_s, samples.value, color=colour(place), label=name,
                      linestyle=("-", "--")[place])  # fmt: skip


def _pings(axes: Axes, cell: Result) -> None:
    several = len(cell.trace.pings) > 1
    lost = np.concatenate([np.empty(0), *lost_s(cell.trace).values()])
    if lost.size:
        # A mark at the panel's foot for each, since one that never comes has no latency.
        axes.plot(lost, np.zeros(len(lost)), "|", color=ink(), markersize=8, label=say("lost ping"),
                  transform=axes.get_xaxis_transform())  # fmt: skip
    for place, (name, samples) in enumerate(cell.trace.pings.items()):
        thin = thinned(samples)
        text = name.removeprefix("Ping (ms)").lstrip(" :") if several else say("ping")
        axes.plot(thin.t_s, thin.value, color=colour(place + _PINGS_FROM), label=text,
                  linestyle=_PING_STYLES[place % len(_PING_STYLES)])  # fmt: skip
