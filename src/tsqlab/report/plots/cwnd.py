# SPDX-License-Identifier: GPL-2.0-or-later
"""TCP's congestion window against time: one panel for each setting, a line for each flow."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from tsqlab.experiment.stored import Result
from tsqlab.report.plots.figure import COLOURS, Plot
from tsqlab.report.plots.panels import dress, panel_axes, panels, thinned

NAME = "cwnd"

_HEIGHT_IN = 2.2
_NAMED_MAX = 6  # the lines of more flows cannot be told apart


def cwnd(results: Sequence[Result], _latency: str) -> list[Plot]:
    """The panels, in the order of the matrix, of cells with a TCP flow."""
    return panels(results, NAME, "Congestion window", _panel)


def _panel(cell: Result) -> Figure | None:
    flows = [flow for flow in cell.trace.flows if len(flow.cwnd_packets.t_s)]
    if not flows:
        return None
    figure, (axes,) = panel_axes(_HEIGHT_IN, right=0.96, bottom=0.2)
    few = len(flows) <= _NAMED_MAX
    for flow in flows:
        samples = thinned(flow.cwnd_packets)
        name = flow.series.removeprefix("TCP ").replace("::", " ")
        look = {"label": name} if few else {"color": COLOURS[0], "linestyle": "-", "alpha": 0.6}
        axes.plot(samples.t_s, samples.value, **look)
    axes.set_ylim(bottom=0, top=1.05 * axes.get_ylim()[1])
    axes.set_ylabel("cwnd (packets)")
    axes.set_xlabel("time (s)")
    dress(axes, cell)
    if 1 < len(flows) <= _NAMED_MAX:
        axes.legend(loc="best", ncols=2)
    return figure
