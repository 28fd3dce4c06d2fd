# SPDX-License-Identifier: GPL-2.0-or-later
"""Goodput against latency: a point per setting, with its interval over the seeds.

As in Flent the latency axis is reversed, so up and to the right is better.
"""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from tsqlab.experiment.stored import Result
from tsqlab.report.plots.axes import GOODPUT, median_of, name_axis
from tsqlab.report.plots.figure import Plot, to_plot
from tsqlab.report.plots.look import say
from tsqlab.report.plots.scatter import scatter
from tsqlab.report.plots.stated import Asked

NAME = "goodput-latency"


def goodput_latency(results: Sequence[Result], asked: Asked) -> list[Plot]:
    """The plot, if any cell has both goodput and that latency."""
    latency = median_of(asked.latency)

    def dress(axes: Axes) -> None:
        axes.invert_xaxis()
        name_axis(axes.xaxis, say("{quantity}, reversed", quantity=latency))
        name_axis(axes.yaxis, say(GOODPUT))

    figure = scatter(results, f"{asked.latency}_p50", "goodput_mbps", asked, dress)
    if not figure:
        return []
    title = say("{above} against {below}", above=say("goodput"), below=latency)
    return [to_plot(figure, NAME, title, f"{title}; the axis of latency is reversed.")]
