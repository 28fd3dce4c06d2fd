# SPDX-License-Identifier: GPL-2.0-or-later
"""What flows both ways get, and the ping beside them: goodput down, goodput up, latency.

The figure of real-time response under load. The bars are means over the seeds with their 95 %
interval, the boxes those of candlesticks, all in the same places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from tsqlab.experiment.stored import Result
from tsqlab.metrics.statistics import Estimate
from tsqlab.report.plots.axes import limits_of, name_axis, set_limits
from tsqlab.report.plots.candlesticks import (
    LABELLED_MAX,
    Boxes,
    Place,
    alike,
    boxes_of,
    draw_boxes,
    entries,
    fill,
    name_groups,
    places_of,
    width_in,
    write_above,
)
from tsqlab.report.plots.figure import Plot, add_legend, ink, new_figure, to_plot
from tsqlab.report.plots.look import say
from tsqlab.report.plots.stated import Asked
from tsqlab.results.repetitions import over_seeds

NAME = "up-down"

DIRECTIONS = {"goodput_down_mbps": "down (Mbit/s)", "goodput_up_mbps": "up (Mbit/s)"}
"""What an axis calls the goodput of each direction."""

_HEIGHT_IN = 6.4


def up_down(results: Sequence[Result], asked: Asked) -> list[Plot]:
    """The plot, if any cell has flows both ways and that latency."""
    both = [cell for cell in results
            if all(cell.metrics.get(name) is not None for name in DIRECTIONS)]  # fmt: skip
    found = boxes_of(both, asked.latency)
    if not found.candles:
        return []
    handles, names = entries(found)
    figure = new_figure(width_in(found), _HEIGHT_IN, names)
    *above, below = figure.subplots(len(DIRECTIONS) + 1, 1, sharex=True)
    for axes, metric in zip(above, DIRECTIONS, strict=True):
        _bars(axes, found, _means(both, metric))
        name_axis(axes.yaxis, say(DIRECTIONS[metric]))
        name_groups(axes, found, figure.get_figwidth())
        axes.set_xlabel("")
    draw_boxes(below, found, asked.latency, figure.get_figwidth())
    add_legend(figure, handles, names)
    description = (
        "Bars: mean goodput down, and up; boxes below: 10th to 90th percentile of latency."
    )
    return [to_plot(figure, NAME, say("goodput both ways, and latency"), description)]


def _means(results: Sequence[Result], metric: str) -> dict[Place, Estimate]:
    means = {place: over_seeds(cells, metric) for place, cells in places_of(results).items()}
    return {place: mean for place, mean in means.items() if mean}


def _bars(axes: Axes, found: Boxes, means: Mapping[Place, Estimate]) -> None:
    # Where no ping was answered there is no box, and so no place for a bar.
    shown = {place: mean for place, mean in means.items() if place in found.candles}
    tops = {place: mean.mean + (mean.half_width or 0.0) for place, mean in shown.items()}
    texts = alike([mean.mean for mean in shown.values()], decades=False)
    for (place, mean), text in zip(shown.items(), texts, strict=True):
        centre = found.centre(*place)
        fill(axes, found, place, 0.0, mean.mean)
        if mean.half_width:
            axes.errorbar(centre, mean.mean, mean.half_width, color=ink(), capsize=2,
                          elinewidth=0.8)  # fmt: skip
        if len(shown) <= LABELLED_MAX:
            write_above(axes, centre, tops[place], text)
    set_limits(axes.yaxis, limits_of([np.array([*tops.values()])], log=False))
