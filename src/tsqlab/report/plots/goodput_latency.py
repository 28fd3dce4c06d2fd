# SPDX-License-Identifier: GPL-2.0-or-later
"""Goodput against latency: a point per cell, an ellipse per setting over its seeds.

As in Flent the latency axis is reversed, so up and to the right is better.
"""

from __future__ import annotations

from collections.abc import Sequence

from tsqlab.experiment.stored import Result
from tsqlab.report.plots.axes import LABELS
from tsqlab.report.plots.figure import Plot, to_plot
from tsqlab.report.plots.scatter import scatter

NAME = "goodput-latency"


def goodput_latency(results: Sequence[Result], latency: str) -> list[Plot]:
    """The plot, if any cell has both goodput and that latency."""
    if not (drawn := scatter(results, f"{latency}_p50", "goodput_mbps")):
        return []
    figure, axes = drawn
    axes.invert_xaxis()
    axes.set_xlabel(f"median {LABELS[latency]}, reversed")
    axes.set_ylabel("goodput (Mbit/s)")
    description = f"Goodput against the median {LABELS[latency]}; the axis of latency is reversed."
    return [to_plot(figure, NAME, f"Goodput against median {LABELS[latency]}", description)]
