# SPDX-License-Identifier: GPL-2.0-or-later
"""Plots against time: a panel for each setting, all of one size and with the same places.

A panel shows one cell, that of the setting's seeds with the median goodput: the mean of
several cells over time would smooth away what each of them did. The flows run between the
two dotted lines.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tsqlab.experiment.stored import Result
from tsqlab.metrics.document import Samples
from tsqlab.report.plots.figure import MUTED, PANEL_WIDTH_IN, Plot, to_plot
from tsqlab.results.repetitions import SEED, by_setting, label, varying

PANELS_MAX = 40  # more panels would make the page too large to open

_PLACES = {"left": 0.17, "top": 0.97}
_POINTS_MAX = 600  # a line has no more points than a panel has pixels, roughly


def panels(
    results: Sequence[Result], name: str, what: str, panel: Callable[[Result], Figure | None]
) -> list[Plot]:
    """The plots of *what* that *panel* draws, in the order of the matrix."""
    groups = by_setting(results)
    names = varying(list(groups))
    plots: list[Plot] = []
    for setting, cells in list(groups.items())[:PANELS_MAX]:
        cell = representative(cells)
        seed = f" (seed {cell.factors[SEED]})" if SEED in cell.factors else ""
        title = label(setting, names) + seed
        if figure := panel(cell):
            description = f"{what} against time: {title}."
            plots.append(to_plot(figure, f"{name}-{len(plots)}", title, description))
    return plots


def representative(cells: Sequence[Result]) -> Result:
    """The cell with the median goodput, the lower of two."""
    ranked = sorted(cells, key=lambda cell: cell.metrics["goodput_mbps"] or 0.0)
    return ranked[(len(ranked) - 1) // 2]


def panel_axes(height_in: float, rows: int = 1, **places: float) -> tuple[Figure, list[Axes]]:
    """A panel's figure and its axes, one above the other.

    They have the same *places* in every panel, so that panels can be compared; that is quicker
    than a layout, too.
    """
    figure = Figure(figsize=(PANEL_WIDTH_IN, height_in))
    axes = figure.subplots(rows, 1, sharex=True, squeeze=False, gridspec_kw=_PLACES | places)
    return figure, list(axes[:, 0])


def dress(axes: Axes, cell: Result) -> None:
    """The flows' beginning and end, and the axis of time."""
    for t_s in (cell.trace.begin_s, cell.trace.end_s):
        axes.axvline(t_s, color=MUTED, linestyle=":", linewidth=0.8)
    axes.set_xlim(0, cell.trace.total_s)


def thinned(samples: Samples) -> Samples:
    """At most _POINTS_MAX samples: the means of as many in a row as it takes."""
    many = math.ceil(len(samples.t_s) / _POINTS_MAX)
    if many <= 1:
        return samples
    starts = np.arange(0, len(samples.t_s), many)
    counts = np.diff(starts, append=len(samples.t_s))
    return Samples(np.add.reduceat(samples.t_s, starts) / counts,
                   np.add.reduceat(samples.value, starts) / counts)  # fmt: skip
