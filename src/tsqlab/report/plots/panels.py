# SPDX-License-Identifier: GPL-2.0-or-later
"""Plots against time: a panel for each setting, all of one size, with the same places and scales.

A panel shows one cell, that of the setting's seeds with the median goodput: the mean of
several cells over time would smooth away what each of them did. The flows run between the
two dotted lines. What the panel shows stands above it, since its file travels alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tsqlab.experiment.stored import Result
from tsqlab.metrics.series import Floats, Samples
from tsqlab.report.plots.axes import limits_of, scale_groups
from tsqlab.report.plots.figure import PANEL_WIDTH_IN, Plot, muted, size_in, to_plot
from tsqlab.report.plots.look import say
from tsqlab.results.repetitions import SEED, Setting, by_setting, label, varying

PANELS_MAX = 40  # more panels would make the page too large to open

_LEFT_IN, _RIGHT_IN, _BOTTOM_IN = 0.82, 0.1, 0.45
_YLABEL_IN = 0.42  # from the axes to their title, past tick labels of four digits
_LINE_IN = 0.2  # a line of text above the axes
_GAP = 0.15  # between two axes, as a share of the height of one
_POINTS_MAX = 600  # a line has no more points than a panel has pixels, roughly

Draw = Callable[[Result, Mapping[str, tuple[float, float]]], Figure | None]
"""Draws a cell with the limits of each of its axes, by their names."""

Values = Mapping[str, Sequence[Floats]]
"""The values on each axis, by its name."""


@dataclass(frozen=True)
class Kind:
    """What is drawn."""

    name: str
    what: str
    may_be_log: tuple[
        str, ...
    ] = ()  # the axes that are logarithmic where their values span decades


def panels(
    results: Sequence[Result],
    kind: Kind,
    draw: Draw,
    values: Callable[[Result], Values],
) -> list[Plot]:
    """The plots that *draw* draws, in the order of the matrix.

    *values* are what the scales have to hold.
    """
    groups = by_setting(results)
    names = varying(list(groups))
    shown = {setting: representative(cells)
             for setting, cells in list(groups.items())[:PANELS_MAX]}  # fmt: skip
    drawn = {setting: values(cell) for setting, cell in shown.items()}
    levels = scale_groups({setting: _top(own) for setting, own in drawn.items()})
    plots: list[Plot] = []
    for setting, cell in shown.items():
        sharing = [own for other, own in drawn.items() if levels[other] == levels[setting]]
        limits = {
            axis: limits_of(
                [part for own in sharing for part in own.get(axis, ())], log=axis in kind.may_be_log
            )
            for axis in drawn[setting]
        }
        seed = f" ({say('seed')} {cell.factors[SEED]})" if SEED in cell.factors else ""
        title = _name(setting, names) + seed
        figure = draw(cell, limits)
        if figure:
            own_scale = say("scale of {level}", level=levels[setting])
            words = f"{title}; {own_scale}" if levels[setting] else title
            _title(figure, words)
            description = f"{kind.what} against time: {title}."
            plots.append(
                to_plot(figure, f"{kind.name}-{len(plots)}", title, description, titled=True)
            )
    return plots


def _name(setting: Setting, names: Sequence[str]) -> str:
    return label(setting, names) if names else say("all cells")


def _top(values: Values) -> float:
    """The highest value on the first axis, by which panels have the same scales or not."""
    first = next(iter(values.values()), ())
    return max((float(part.max()) for part in first if part.size), default=0.0) or 1.0


def _title(figure: Figure, words: str) -> None:
    height_in = figure.get_figheight()
    left = figure.axes[0].get_position().x0
    figure.text(left, 1 - 0.5 * _LINE_IN / height_in, words, ha="left", va="center",
                fontsize=rcParams["axes.titlesize"])  # fmt: skip


def representative(cells: Sequence[Result]) -> Result:
    """The cell with the median goodput, the lower of two."""
    ranked = sorted(cells, key=lambda cell: cell.metrics["goodput_mbps"] or 0.0)
    return ranked[(len(ranked) - 1) // 2]


def panel_axes(height_in: float, rows: int = 1) -> tuple[Figure, list[Axes]]:
    """A panel's figure and its axes, one above the other.

    They have the same places in every panel, so that panels can be compared; that is quicker
    than a layout, too. Above the axes is room for the title and for a legend.
    """
    width, height = size_in(PANEL_WIDTH_IN, height_in)
    places = {
        "left": _LEFT_IN / width, "right": 1 - _RIGHT_IN / width,
        "bottom": _BOTTOM_IN / height, "top": 1 - 2.1 * _LINE_IN / height, "hspace": _GAP,
    }  # fmt: skip
    figure = Figure(figsize=(width, height))
    axes = figure.subplots(rows, 1, sharex=True, squeeze=False, gridspec_kw=places)
    for one in axes[:, 0]:
        one.yaxis.set_label_coords(-_YLABEL_IN / (width - _LEFT_IN - _RIGHT_IN), 0.5)
    return figure, list(axes[:, 0])


def panel_legend(figure: Figure) -> None:
    """What the lines are, in one row below the title."""
    entries = {text: handle for axes in figure.axes
               for handle, text in zip(*axes.get_legend_handles_labels(), strict=True)}  # fmt: skip
    height_in = figure.get_figheight()
    left = figure.axes[0].get_position().x0
    figure.legend(list(entries.values()), list(entries), loc="center left", ncols=len(entries),
                  bbox_to_anchor=(left, 1 - 1.5 * _LINE_IN / height_in), borderaxespad=0,
                  borderpad=0, columnspacing=1.2)  # fmt: skip


def dress(axes: Axes, cell: Result) -> None:
    """The flows' beginning and end, and the axis of time."""
    for t_s in (cell.trace.begin_s, cell.trace.end_s):
        axes.axvline(t_s, color=muted(), linestyle=":", linewidth=0.8)
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
