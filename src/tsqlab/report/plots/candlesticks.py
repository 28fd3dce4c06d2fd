# SPDX-License-Identifier: GPL-2.0-or-later
"""Candlesticks of latency, as tp-tsq draws them.

The box reaches from the 10th to the 90th percentile and the line is the median, of all
samples of a setting while its flows ran, those of all seeds together. Boxes stand side by
side by the factor that varies fastest in the matrix, and in groups by the others. Boxes have
colours only where a colour is a level: where one factor varies, all are grey.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from tsqlab.experiment.stored import Result
from tsqlab.metrics.series import Floats
from tsqlab.metrics.statistics import percentile
from tsqlab.report.plots.axes import LABELS, name_axis, scale
from tsqlab.report.plots.figure import (
    HATCHES,
    Plot,
    add_legend,
    colour,
    ink,
    muted,
    new_figure,
    to_plot,
)
from tsqlab.report.plots.look import number, say
from tsqlab.report.plots.lost import lost_entry, mark_lost
from tsqlab.report.plots.stated import Asked
from tsqlab.report.table import many_lost
from tsqlab.results.repetitions import by_setting, level_texts, varying

NAME = "candlesticks"

_BOX = 0.8  # the share of a group's width that all its boxes take together
_FILLED = 0.86  # the share of a place that its box takes
_HEIGHT_IN = 3.4
_LETTER_IN = 0.07  # of a group's name, on average
_WIDTH_MIN_IN = 4.8
_FILL_ALPHAS = (0.8, 0.25, 0.5)  # neighbours differ in grey, too
LABELLED_MAX = 24  # beside more boxes the numbers of the medians have no room
_DIGITS = 2  # significant ones, of the least median; the others have as many decimals
_DIGITS_OF_DECADES = 3

FACTORS = {"tsq": "TSQ limit", "streams": "streams", "device": "device", "kernel": "kernel",
           "congestion_control": "congestion control", "qdisc": "qdisc"}  # fmt: skip
"""What an axis calls a factor; other factors keep the names that they have in the file."""


@dataclass(frozen=True)
class Candle:
    """One box."""

    low: float
    median: float
    high: float
    most: float | None = None  # what the device cannot exceed
    lost: bool = False  # whether it is of pings of which many have no answer


Place = tuple[str, str]
"""A group, and the series of a box in it."""


@dataclass(frozen=True)
class Boxes:
    """All boxes, by group and place in it."""

    candles: Mapping[Place, Candle]
    factors: tuple[str, ...]  # the names of those that vary; the last is the place in a group

    @property
    def groups(self) -> list[str]:
        """The groups in the matrix's order."""
        return list(dict.fromkeys(group for group, _ in self.candles))

    @property
    def series(self) -> list[str]:
        """The places in a group."""
        return list(dict.fromkeys(name for _, name in self.candles))

    def centre(self, group: str, name: str) -> float:
        """Where a box stands. Those of a group that lacks some stand in its middle."""
        own = [series for series in self.series if (group, series) in self.candles]
        return self.groups.index(group) + self.width * (own.index(name) + 0.5 - len(own) / 2)

    @property
    def width(self) -> float:
        """The width of each."""
        return _BOX / len(self.series)

    def look(self, name: str) -> int | None:
        """The number of a series' look; None where all boxes have one."""
        return self.series.index(name) if len(self.series) > 1 else None


def candlesticks(results: Sequence[Result], asked: Asked) -> list[Plot]:
    """The plot, if any cell has that latency."""
    return boxes(results, asked.latency, NAME)


def boxes(
    results: Sequence[Result], quantity: str, name: str, most: Mapping[str, float] | None = None
) -> list[Plot]:
    """The plot called *name* of a quantity of LABELS, if any cell has that.

    *most* is what each cell's device cannot exceed, by the cell.
    """
    found = boxes_of(results, quantity, most)
    if not found.candles:
        return []
    handles, names = entries(found)
    figure = new_figure(width_in(found), _HEIGHT_IN, names)
    axes = figure.subplots()
    draw_boxes(axes, found, quantity, figure.get_figwidth())
    if quantity == "aggregate" and axes.get_yscale() == "linear":
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    add_legend(figure, handles, names)
    title = say("{quantity} by setting", quantity=say(LABELS[quantity]))
    description = f"Box: 10th to 90th percentile of {LABELS[quantity]}; line: median."
    return [to_plot(figure, name, title, description)]


def boxes_of(
    results: Sequence[Result], quantity: str, most: Mapping[str, float] | None = None
) -> Boxes:
    """The boxes of a quantity of LABELS; settings without a sample have none."""
    candles = {}
    for place, cells in places_of(results).items():
        values = np.concatenate([samples_of(cell, quantity) for cell in cells])
        limit = max((most[cell.id] for cell in cells if most and cell.id in most), default=None)
        candle = _candle(values, limit, lost=many_lost(cells, quantity))
        if candle:
            candles[place] = candle
    return Boxes(candles, tuple(varying(list(by_setting(results)))))


def places_of(results: Sequence[Result]) -> dict[Place, Sequence[Result]]:
    """The cells of each place."""
    settings = by_setting(results)
    names = varying(list(settings))
    found: dict[Place, Sequence[Result]] = {}
    for setting, cells in settings.items():
        levels = level_texts(setting, names)
        series = levels[-1] if len(names) > 1 else ""
        group = levels[:-1] if len(names) > 1 else levels
        found["\n".join(group) or say("all cells"), series] = cells
    return found


def width_in(found: Boxes) -> float:
    """The width of a figure that has room for them."""
    return max(_WIDTH_MIN_IN, 1.2 + len(found.groups) * max(0.75, 0.42 * len(found.series)))


def samples_of(cell: Result, quantity: str) -> Floats:
    """A cell's samples of that quantity."""
    if quantity == "aggregate":
        return cell.trace.aggregates()
    return cell.trace.tcp_rtt_ms() if quantity == "tcp_rtt_ms" else cell.trace.ping_ms()


def _candle(values: Floats, most: float | None, *, lost: bool) -> Candle | None:
    low, median, high = (percentile(values, q) for q in (10, 50, 90))
    if low is None or median is None or high is None:
        return None
    return Candle(low, median, high, most, lost)


def draw_boxes(axes: Axes, found: Boxes, quantity: str, figure_width_in: float) -> None:
    """Draw them, with their scale and the names of the groups."""
    for place, candle in found.candles.items():
        _draw(axes, found, place, candle)
    candles = found.candles.values()
    ends = np.array([[candle.low, candle.most or candle.high, candle.high] for candle in candles])
    scale(axes.yaxis, [ends])
    name_axis(axes.yaxis, say(LABELS[quantity]))
    name_groups(axes, found, figure_width_in)
    if len(found.candles) <= LABELLED_MAX:
        _label_medians(axes, found)


def fill(axes: Axes, found: Boxes, place: Place, low: float, high: float) -> None:
    """Fill a place from *low* to *high* in the look of its series."""
    for layer in _layers(found.look(place[1])):
        axes.bar(found.centre(*place), high - low, _FILLED * found.width, low, **layer)


def write_above(axes: Axes, x: float, top: float, text: str) -> None:
    """Write a number above a box or a bar."""
    axes.annotate(text, (x, top), (0, 2), ha="center", va="bottom", textcoords="offset points",
                  fontsize=7, color=ink())  # fmt: skip


def _draw(axes: Axes, found: Boxes, place: Place, candle: Candle) -> None:
    centre, width = found.centre(*place), found.width
    box = _FILLED * width
    fill(axes, found, place, candle.low, candle.high)
    axes.hlines(candle.median, centre - box / 2, centre + box / 2, color=ink(), linewidth=2)
    if candle.most is not None:
        axes.hlines(candle.most, centre - width / 2, centre + width / 2, **_most())
    if candle.lost:
        mark_lost(axes, centre, candle.median)


def _most() -> dict[str, Any]:
    return {"color": muted(), "linewidth": 1.2, "linestyle": (0, (2, 1))}


def _layers(place: int | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """A filling, and a frame with hatches on it: in one, the filling's paleness is both's."""
    if place is None:
        return ({"facecolor": (muted(), 0.3), "edgecolor": "none"},
                {"facecolor": "none", "edgecolor": ink()})  # fmt: skip
    alpha = _FILL_ALPHAS[place % len(_FILL_ALPHAS)]
    filling = {"facecolor": (colour(place), alpha), "edgecolor": "none"}
    frame = {"facecolor": "none", "edgecolor": ink(), "hatch": HATCHES[place % len(HATCHES)]}
    return filling, frame


def factor_name(name: str) -> str:
    """What a figure calls a factor."""
    return say(FACTORS.get(name, name))


def entries(found: Boxes) -> tuple[list[Any], list[str]]:
    """What each mark means."""
    several = len(found.series) > 1
    handles: list[Any] = []
    names: list[str] = []
    for place, series in enumerate(found.series if several else ()):
        handles.append(tuple(Patch(**layer) for layer in _layers(place)))
        names.append(f"{factor_name(found.factors[-1])}: {series}" if not place else series)
    frame: dict[str, Any] = {"facecolor": "none" if several else (muted(), 0.3), "edgecolor": ink()}
    handles.append(Patch(**frame))
    names.append(say("10th to 90th percentile"))
    handles.append(Line2D([], [], color=ink(), linewidth=2))
    names.append(say("median"))
    if any(candle.most is not None for candle in found.candles.values()):
        handles.append(Line2D([], [], **_most()))
        names.append(say("the device's largest"))
    if any(candle.lost for candle in found.candles.values()):
        handle, name = lost_entry()
        handles.append(handle)
        names.append(name)
    return handles, names


def name_groups(axes: Axes, found: Boxes, figure_width_in: float) -> None:
    """Give the groups their names, below the axes."""
    room = figure_width_in / (len(found.groups) + 1)
    longest = max(len(line) for group in found.groups for line in group.splitlines())
    axes.set_xticks(range(len(found.groups)), found.groups,
                    rotation=90 if longest * _LETTER_IN > room else 0)  # fmt: skip
    axes.set_xlim(-0.6, len(found.groups) - 0.4)
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="x", visible=False)
    outer = found.factors[:-1] if len(found.series) > 1 else found.factors
    axes.set_xlabel(", ".join(map(factor_name, outer)))


def _label_medians(axes: Axes, found: Boxes) -> None:
    """Write each median above its box, all to as many decimals, or digits where that is decades."""
    medians = [candle.median for candle in found.candles.values()]
    linear = axes.get_yscale() == "linear"
    low, high = axes.get_ylim()
    for (place, candle), text in zip(
        found.candles.items(), alike(medians, decades=not linear), strict=True
    ):
        # A number that the device's line would cross stands above that.
        near = linear and candle.most and (candle.most - candle.high) / (high - low) < _NUMBER
        top = max(candle.high, candle.most or 0.0) if near else candle.high
        write_above(axes, found.centre(*place), top, text)


_NUMBER = 0.07  # the share of the axis that a number takes above its box


def alike(values: Sequence[float], *, decades: bool) -> list[str]:
    """Numbers with as many decimals, or over *decades* with as many digits, as each other."""
    if decades:
        return [number(f"{value:#.{_DIGITS_OF_DECADES}g}".rstrip(".")) for value in values]
    least = min((abs(value) for value in values if value), default=1.0)
    decimals = max(0, _DIGITS - 1 - math.floor(math.log10(least)))
    return [number(f"{value:.{decimals}f}") for value in values]
