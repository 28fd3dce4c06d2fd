# SPDX-License-Identifier: GPL-2.0-or-later
"""What WQM does over time: the limit that it sets, and the drain time that it sees.

One panel for each setting, a line for each radio whose queue it sizes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from tsqlab.experiment.stored import Result
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

NAME = "wqm"

_KIND = Kind(NAME, "Queue limit and drain time")
_HEIGHT_IN = 3.2


def wqm(results: Sequence[Result], _asked: Asked) -> list[Plot]:
    """The panels, in the order of the matrix, of cells in which WQM sizes a queue."""
    sized = [result for result in results if result.trace.sized]
    return panels(sized, _KIND, _panel, _values) if sized else []


def _values(cell: Result) -> Values:
    return {
        "limit": [queue.limit_packets.value for queue in cell.trace.sized],
        "drain": [thinned(queue.drain_ms).value for queue in cell.trace.sized],
    }


def _panel(cell: Result, limits: Mapping[str, tuple[float, float]]) -> Figure | None:
    figure, (above, below) = panel_axes(_HEIGHT_IN, 2)
    for queue in cell.trace.sized:
        limit, drain = queue.limit_packets, thinned(queue.drain_ms)
        above.plot(limit.t_s, limit.value, label=queue.node, drawstyle="steps-post")
        below.plot(drain.t_s, drain.value, marker=".", linewidth=0.8)
    set_limits(above.yaxis, limits["limit"])
    set_limits(below.yaxis, limits["drain"])
    name_axis(above.yaxis, say("limit (packets)"))
    name_axis(below.yaxis, say("drains in (ms)"))
    below.set_xlabel(say("time (s)"))
    for axes in (above, below):
        dress(axes, cell)
    panel_legend(figure)
    return figure
