# SPDX-License-Identifier: GPL-2.0-or-later
"""The aggregates against the TCP RTT: what each more frame in an aggregate costs in time.

A point per setting, with its interval over the seeds, of the radios that the flows' data goes
out of. Down and to the right is better.
"""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from tsqlab.experiment.stored import Result
from tsqlab.report.plots.axes import LABELS, median_of, name_axis
from tsqlab.report.plots.figure import Plot, to_plot
from tsqlab.report.plots.look import say
from tsqlab.report.plots.scatter import scatter
from tsqlab.report.plots.stated import Asked

NAME = "aggregate-rtt"


def aggregate_rtt(results: Sequence[Result], asked: Asked) -> list[Plot]:
    """The plot, if any cell has a radio and a TCP flow."""
    frames, rtt = say("mean {quantity}", quantity=say(LABELS["aggregate"])), median_of("tcp_rtt_ms")

    def dress(axes: Axes) -> None:
        name_axis(axes.xaxis, frames)
        name_axis(axes.yaxis, rtt)

    figure = scatter(results, "aggregate_mean", "tcp_rtt_ms_p50", asked, dress)
    if not figure:
        return []
    title = say("{above} against {below}", above=rtt, below=frames)
    return [to_plot(figure, NAME, title, f"{title}, a point per setting.")]
