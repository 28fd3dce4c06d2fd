# SPDX-License-Identifier: GPL-2.0-or-later
"""Goodput and ping against time: one panel for each setting, with an axis for either."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tsqlab.experiment.stored import Result
from tsqlab.report.plots.axes import scale
from tsqlab.report.plots.figure import COLOURS, Plot
from tsqlab.report.plots.panels import dress, panel_axes, panels, thinned

NAME = "goodput-ping"

_HEIGHT_IN = 2.9
_YLABEL = (-0.125, 0.5)
_STYLES = {"up": (COLOURS[0], "-"), "down": (COLOURS[1], "--")}
_PING_STYLES = ("-", "--", "-.", ":")


def goodput_ping(results: Sequence[Result], _latency: str) -> list[Plot]:
    """The panels, in the order of the matrix."""
    return panels(results, NAME, "Goodput and ping", _panel)


def _panel(cell: Result) -> Figure:
    figure, (above, below) = panel_axes(_HEIGHT_IN, 2, right=0.98, bottom=0.15, hspace=0.15)
    _goodput(above, cell)
    _pings(below, cell)
    for axes in (above, below):
        dress(axes, cell)
    below.set_xlabel("time (s)")
    for axes in (above, below):
        axes.yaxis.set_label_coords(*_YLABEL)
    return figure


def _goodput(axes: Axes, cell: Result) -> None:
    for direction in ("up", "down"):
        samples = thinned(cell.trace.goodput_mbps(direction))
        colour, line = _STYLES[direction]
        if len(samples.t_s):
            axes.plot(samples.t_s, samples.value, color=colour, linestyle=line,
                      label=f"{direction}load")  # fmt: skip
    axes.set_ylim(bottom=0, top=1.05 * axes.get_ylim()[1] or 1.0)
    axes.set_ylabel("goodput\n(Mbit/s)")
    if len(axes.lines) > 1:
        axes.legend(loc="lower center", ncols=2)


def _pings(axes: Axes, cell: Result) -> None:
    for place, (name, samples) in enumerate(cell.trace.pings.items()):
        thin = thinned(samples)
        axes.plot(thin.t_s, thin.value, color=COLOURS[(place + 2) % len(COLOURS)],
                  linestyle=_PING_STYLES[place % len(_PING_STYLES)],
                  label=name.removeprefix("Ping (ms) "))  # fmt: skip
    scale(axes.yaxis, [ping.value for ping in cell.trace.pings.values()])
    axes.set_ylabel("ping (ms)")
    if len(axes.lines) > 1:
        axes.legend(loc="best", ncols=2)
