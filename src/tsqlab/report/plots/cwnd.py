# SPDX-License-Identifier: GPL-2.0-or-later
"""TCP's congestion window against time: one panel for each setting, a line for each flow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from tsqlab.experiment.stored import Result
from tsqlab.report.plots.axes import name_axis, set_limits
from tsqlab.report.plots.figure import Plot, colour
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

NAME = "cwnd"

_KIND = Kind(NAME, "Congestion window")
_HEIGHT_IN = 2.4
_NAMED_MAX = 4  # the names of more flows have no room, and their lines cannot be told apart


def cwnd(results: Sequence[Result], _asked: Asked) -> list[Plot]:
    """The panels, in the order of the matrix, of cells with a TCP flow."""
    return panels(results, _KIND, _panel, _values)


def _values(cell: Result) -> Values:
    return {"cwnd": [thinned(flow.cwnd_packets).value for flow in cell.trace.flows]}


def _panel(cell: Result, limits: Mapping[str, tuple[float, float]]) -> Figure | None:
    flows = [flow for flow in cell.trace.flows if len(flow.cwnd_packets.t_s)]
    if not flows:
        return None
    figure, (axes,) = panel_axes(_HEIGHT_IN)
    few = len(flows) <= _NAMED_MAX
    for place, flow in enumerate(flows):
        samples = thinned(flow.cwnd_packets)
        name = flow.series.removeprefix("TCP ").replace("::", " ")
        look = {"label": name} if few else {"color": colour(0), "linestyle": "-", "alpha": 0.6}
        if not few and not place:
            look["label"] = say("each of {n} flows", n=str(len(flows)))
        axes.plot(samples.t_s, samples.value, **look)
    set_limits(axes.yaxis, limits["cwnd"])
    name_axis(axes.yaxis, say("cwnd (packets)"))
    axes.set_xlabel(say("time (s)"))
    dress(axes, cell)
    panel_legend(figure)
    return figure
