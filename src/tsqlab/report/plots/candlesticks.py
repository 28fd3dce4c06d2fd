# SPDX-License-Identifier: GPL-2.0-or-later
"""Candlesticks of latency, as tp-tsq draws them.

The box reaches from the 10th to the 90th percentile and the line is the median, of all
samples of a setting while its flows ran, those of all seeds together. Boxes stand side by
side by the factor that varies fastest in the matrix, and in groups by the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from tsqlab.experiment.stored import Result
from tsqlab.metrics.document import Floats
from tsqlab.metrics.statistics import percentile
from tsqlab.report.plots.axes import LABELS, scale, short
from tsqlab.report.plots.figure import COLOURS, HATCHES, INK, Plot, new_figure, to_plot
from tsqlab.results.repetitions import by_setting, level_texts, varying

NAME = "candlesticks"

_BOX = 0.8  # the share of a group's width that all its boxes take together
_HEIGHT_IN = 3.4
_WIDTH_MIN_IN = 4.8
_FILL_ALPHAS = (0.8, 0.25, 0.5)  # neighbours differ in grey, too
_LABELLED_MAX = 24  # beside more boxes the numbers of the medians have no room


@dataclass(frozen=True)
class Candle:
    """One box."""

    low: float
    median: float
    high: float


def candlesticks(results: Sequence[Result], latency: str) -> list[Plot]:
    """The plot, if any cell has that latency."""
    return boxes(results, latency, NAME)


def boxes(results: Sequence[Result], quantity: str, name: str) -> list[Plot]:
    """The plot called *name* of a quantity of LABELS, if any cell has that."""
    candles = _candles(results, quantity)
    if not candles:
        return []
    groups = list(dict.fromkeys(group for group, _ in candles))
    series = list(dict.fromkeys(name for _, name in candles))
    width_in = max(_WIDTH_MIN_IN, 1.2 + len(groups) * max(0.75, 0.42 * len(series)))
    figure = new_figure(width_in, _HEIGHT_IN)
    axes = figure.subplots()
    for (group, name_in_group), candle in candles.items():
        place = series.index(name_in_group)
        centre = _centre(groups.index(group), place, len(series))
        _draw(axes, centre, _BOX / len(series), place, candle)
    _dress(axes, groups, series, quantity, candles)
    description = f"Box: 10th to 90th percentile of {LABELS[quantity]}; line: median."
    return [to_plot(figure, name, f"{LABELS[quantity]} by setting", description)]


def _candles(results: Sequence[Result], quantity: str) -> dict[tuple[str, str], Candle]:
    """Boxes by group and place in it."""
    settings = by_setting(results)
    names = varying(list(settings))
    boxes = {}
    for setting, cells in settings.items():
        candle = _candle(np.concatenate([samples_of(cell, quantity) for cell in cells]))
        levels = level_texts(setting, names)
        if candle:
            series = levels[-1] if len(names) > 1 else ""
            group = levels[:-1] if len(names) > 1 else levels
            boxes["\n".join(group) or "all cells", series] = candle
    return boxes


def samples_of(cell: Result, quantity: str) -> Floats:
    """A cell's samples of that quantity."""
    if quantity == "aggregate":
        return cell.trace.aggregates()
    return cell.trace.tcp_rtt_ms() if quantity == "tcp_rtt_ms" else cell.trace.ping_ms()


def _candle(values: Floats) -> Candle | None:
    low, median, high = (percentile(values, q) for q in (10, 50, 90))
    return None if low is None or median is None or high is None else Candle(low, median, high)


def _centre(group: int, place: int, series: int) -> float:
    """Where a box stands, of so many side by side."""
    return group + _BOX * ((place + 0.5) / series - 0.5)


def _draw(axes: Axes, centre: float, width: float, place: int, candle: Candle) -> None:
    box = width * 0.86
    for layer in _layers(place):
        axes.bar(centre, candle.high - candle.low, box, candle.low, **layer)
    axes.hlines(candle.median, centre - box / 2, centre + box / 2, color=INK, linewidth=2)


def _layers(place: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A filling, and a frame with hatches on it: in one, the filling's paleness is both's."""
    colour, alpha = COLOURS[place % len(COLOURS)], _FILL_ALPHAS[place % len(_FILL_ALPHAS)]
    filling = {"facecolor": (colour, alpha), "edgecolor": "none"}
    frame = {"facecolor": "none", "edgecolor": INK, "hatch": HATCHES[place % len(HATCHES)]}
    return filling, frame


def _dress(
    axes: Axes,
    groups: Sequence[str],
    series: Sequence[str],
    quantity: str,
    boxes: Mapping[tuple[str, str], Candle],
) -> None:
    ends = np.array([[candle.low, candle.high] for candle in boxes.values()])
    scale(axes.yaxis, [ends])
    axes.set_ylabel(LABELS[quantity])
    axes.set_xticks(range(len(groups)), groups)
    axes.set_xlim(-0.6, len(groups) - 0.4)
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="x", visible=False)
    if len(boxes) <= _LABELLED_MAX:
        _label_medians(axes, groups, series, boxes)
    if len(series) > 1:
        # matplotlib draws a tuple of artists on top of each other, but its types do not say so.
        handles: Any = [
            tuple(Patch(**layer) for layer in _layers(place)) for place in range(len(series))
        ]
        axes.figure.legend(handles, series, loc="outside upper right", ncols=min(len(series), 6))


def _label_medians(
    axes: Axes,
    groups: Sequence[str],
    series: Sequence[str],
    boxes: Mapping[tuple[str, str], Candle],
) -> None:
    for (group, name), candle in boxes.items():
        x = _centre(groups.index(group), series.index(name), len(series))
        axes.annotate(short(candle.median), (x, candle.high), (0, 2), ha="center", va="bottom",
                      textcoords="offset points", fontsize=7, color=INK)  # fmt: skip
