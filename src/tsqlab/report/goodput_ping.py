# SPDX-License-Identifier: GPL-2.0-or-later
"""Goodput and ping against time: one panel for each setting.

A panel shows one cell, that of the setting's seeds with the median goodput: the mean of
several cells over time would smooth away what each of them did. The flows run between the
two dotted lines.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tsqlab.metrics.document import Samples
from tsqlab.report.axes import scale
from tsqlab.report.figure import COLOURS, MUTED, Plot, to_plot
from tsqlab.report.folder import Result
from tsqlab.report.settings import SEED, by_setting, label, varying

NAME = "goodput-ping"
PANELS_MAX = 40  # more make the page too large to open

_POINTS_MAX = 600  # of a line, about as many as a panel has pixels
_SIZE_IN = (4.8, 2.9)
# The same places in every panel, so that they can be compared; and quicker than a layout.
_PLACES = {"left": 0.17, "right": 0.98, "bottom": 0.15, "top": 0.97, "hspace": 0.15}
_YLABEL = (-0.125, 0.5)
_STYLES = {"up": (COLOURS[0], "-"), "down": (COLOURS[1], "--")}
_PING_STYLES = ("-", "--", "-.", ":")


def goodput_ping(results: Sequence[Result], _latency: str) -> list[Plot]:
    """The panels, in the order of the matrix."""
    groups = by_setting(results)
    names = varying(list(groups))
    plots: list[Plot] = []
    for one, cells in list(groups.items())[:PANELS_MAX]:
        cell = representative(cells)
        title = label(one, names) + (
            f" (seed {cell.factors[SEED]})" if SEED in cell.factors else ""
        )
        description = f"Goodput and ping against time: {title}."
        plots.append(to_plot(_panel(cell), f"{NAME}-{len(plots)}", title, description))
    return plots


def representative(cells: Sequence[Result]) -> Result:
    """The cell with the median goodput, the lower of two."""
    ranked = sorted(cells, key=lambda cell: cell.metrics["goodput_mbps"] or 0.0)
    return ranked[(len(ranked) - 1) // 2]


def _panel(cell: Result) -> Figure:
    figure = Figure(figsize=_SIZE_IN)
    above, below = figure.subplots(2, 1, sharex=True, gridspec_kw=_PLACES)
    _goodput(above, cell)
    _pings(below, cell)
    for axes in (above, below):
        for t_s in (cell.trace.begin_s, cell.trace.end_s):
            axes.axvline(t_s, color=MUTED, linestyle=":", linewidth=0.8)
    below.set_xlim(0, cell.trace.total_s)
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
    for at, (name, samples) in enumerate(cell.trace.pings.items()):
        thin = thinned(samples)
        axes.plot(thin.t_s, thin.value, color=COLOURS[(at + 2) % len(COLOURS)],
                  linestyle=_PING_STYLES[at % len(_PING_STYLES)],
                  label=name.removeprefix("Ping (ms) "))  # fmt: skip
    scale(axes.yaxis, [ping.value for ping in cell.trace.pings.values()])
    axes.set_ylabel("ping (ms)")
    if len(axes.lines) > 1:
        axes.legend(loc="best", ncols=2)


def thinned(samples: Samples) -> Samples:
    """At most _POINTS_MAX samples: the means of as many in a row as it takes."""
    many = -(-len(samples.t_s) // _POINTS_MAX)
    if many <= 1:
        return samples
    starts = np.arange(0, len(samples.t_s), many)
    counts = np.diff(starts, append=len(samples.t_s))
    return Samples(np.add.reduceat(samples.t_s, starts) / counts,
                   np.add.reduceat(samples.value, starts) / counts)  # fmt: skip
