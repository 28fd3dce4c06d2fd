# SPDX-License-Identifier: GPL-2.0-or-later
"""The aggregates against the TCP RTT: what each more frame in an aggregate costs in time.

A point per cell, an ellipse per setting over its seeds, of the radios that the flows' data goes
out of. Down and to the right is better.
"""

from __future__ import annotations

from collections.abc import Sequence

from tsqlab.experiment.stored import Result
from tsqlab.report.plots.axes import LABELS
from tsqlab.report.plots.figure import Plot, to_plot
from tsqlab.report.plots.scatter import scatter

NAME = "aggregate-rtt"


def aggregate_rtt(results: Sequence[Result], _latency: str) -> list[Plot]:
    """The plot, if any cell has a radio and a TCP flow."""
    if not (drawn := scatter(results, "aggregate_mean", "tcp_rtt_ms_p50")):
        return []
    figure, axes = drawn
    axes.set_xlabel(f"mean {LABELS['aggregate']}")
    axes.set_ylabel(f"median {LABELS['tcp_rtt_ms']}")
    description = "Mean frames in an aggregate against the median TCP RTT, a point per cell."
    return [to_plot(figure, NAME, "TCP RTT against frames in an aggregate", description)]
