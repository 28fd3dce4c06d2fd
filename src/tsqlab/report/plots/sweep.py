# SPDX-License-Identifier: GPL-2.0-or-later
"""Goodput and ping against a factor that is a number: the TSQ limit, or the last that varies.

A point is the mean over the seeds with its 95 % confidence interval. Stock TSQ stands at the
1 ms that it allows, before a break of the axis where packets are counted; no TSQ at all stands
behind a break. Where ms vary, a ring marks the knee of each curve: the fewest ms that are enough
for nearly the best goodput, no limit's included (tsqlab.metrics.knee says how nearly). What the
paper states of a setting, or as its knee, stands beside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from tsqlab.experiment.stored import Result
from tsqlab.experiment.tsq import NONE, STOCK, STOCK_MS, Reference
from tsqlab.metrics.knee import WITHIN
from tsqlab.metrics.statistics import Estimate
from tsqlab.report.plots.axes import (
    GOODPUT,
    median_of,
    name_axis,
    say_own_scale,
    scale_groups,
    short,
)
from tsqlab.report.plots.curves import MS, PACKETS, Curve, curves_of, format_knee
from tsqlab.report.plots.figure import (
    FILLS,
    LINES,
    MARKERS,
    PLOT_WIDTH_IN,
    Plot,
    add_legend,
    colour,
    ink,
    muted,
    new_figure,
    to_plot,
)
from tsqlab.report.plots.look import say
from tsqlab.report.plots.lost import lost_entry, mark_lost
from tsqlab.report.plots.stated import Asked, Stated, knees_of, stated_of
from tsqlab.report.table import many_lost
from tsqlab.results.repetitions import Setting, label, most_seeds, over_seeds, setting_of, varying

NAME = "sweep"

_HEIGHT_IN = 4.2
_FURTHER_WIDTH_IN = 3.4  # what a further column of panels adds
_COLUMNS_MAX = 3
_AROUND_IN = 1.5  # what the axis' titles and the legend take of the height, roughly
_LOG_FROM = 10.0  # the axis is logarithmic if the highest number is this many times the lowest
_TICK_GAP_IN, _TICK_LETTER_IN = 0.06, 0.065
_REFERENCE_LINE = (0, (1, 1.5))  # joins a reference, which is no number, to the curve

Entry = tuple[Line2D, str]
"""A handle of the legend, and what it says."""


@dataclass(frozen=True)
class Places:
    """Where things stand on the axis."""

    numbers: tuple[float, ...]
    log: bool
    references: Mapping[Reference, float]
    breaks: tuple[float, ...]  # where the axis leaves the numbers
    ends: tuple[float, float]


def sweep(results: Sequence[Result], asked: Asked) -> list[Plot]:
    """The plot, if there is a number that varies."""
    found = curves_of(results)
    if found is None:
        return []
    axis, curves = found
    names = varying(list(curves))
    places = _places(axis, list(curves.values()))
    groups = scale_groups({setting: _top(curve) for setting, curve in curves.items()},
                          most=_COLUMNS_MAX)  # fmt: skip
    columns = list(dict.fromkeys(groups.values()))
    entries = list(_entries(curves, names, axis, asked, most_seeds(results)))
    width_in = PLOT_WIDTH_IN + _FURTHER_WIDTH_IN * (len(columns) - 1)
    figure = new_figure(width_in, _HEIGHT_IN, [text for _, text in entries])
    grid = figure.subplots(2, len(columns), sharex=True, squeeze=False)
    for place, (setting, curve) in enumerate(curves.items()):
        above, below = grid[:, columns.index(groups[setting])]
        _draw(above, curve, "goodput_mbps", place, places)
        _draw(below, curve, f"{asked.latency}_p50", place, places)
        for axes, metric in ((above, "goodput_mbps"), (below, f"{asked.latency}_p50")):
            for x, number in _stated(asked, setting, curve, metric, places):
                axes.errorbar(x, number.middle, number.half, **_paper())
        for stated in knees_of(asked.claims, setting) if axis == MS else ():
            _draw_stated_knee(above, stated)
        if axis == MS and (knee := curve.knee()):
            above.plot(knee.limit, knee.goodput, **_ring())
    for column, level in enumerate(columns):
        _dress(grid[0, column], grid[1, column], axis, places, figure.get_figwidth() / len(columns))
        if level:
            say_own_scale(grid[0, column], level)
    length_in = (figure.get_figheight() - _AROUND_IN) / 2
    name_axis(grid[0, 0].yaxis, say(GOODPUT), length_in)
    name_axis(grid[1, 0].yaxis, median_of(asked.latency), length_in)
    add_legend(figure, [handle for handle, _ in entries], [text for _, text in entries])
    title = say("{above} and {below} against the {axis}", above=say("goodput"),
                below=median_of(asked.latency), axis=say(axis))  # fmt: skip
    return [to_plot(figure, NAME, title + _knees(curves, names, axis), f"{title}.")]


def _top(curve: Curve) -> float:
    cells = [*curve.points.values(), *curve.references.values()]
    return max(cell.metrics["goodput_mbps"] or 0.0 for group in cells for cell in group)


def _places(axis: str, curves: Sequence[Curve]) -> Places:
    numbers = sorted({x for curve in curves for x in curve.points})
    found = {name for curve in curves for name in curve.references}
    stock_ms = [float(STOCK_MS)] if axis == MS and STOCK in found else []
    low = min(numbers[:1] + stock_ms)
    high = numbers[-1]
    log = low > 0 and high / low >= _LOG_FROM
    step = (high / low) ** 0.13 if log else (high - low) * 0.13
    references, breaks, ends = {}, [], [low, high]
    if STOCK in found and axis == MS:
        references[STOCK] = float(STOCK_MS)
    elif STOCK in found:
        references[STOCK] = ends[0] = _shifted(low, step, -1, log=log)
        breaks.append(_shifted(low, step, -0.5, log=log))
    if NONE in found:
        references[NONE] = ends[1] = _shifted(high, step, 1, log=log)
        breaks.append(_shifted(high, step, 0.5, log=log))
    room = [_shifted(end, step, sign * 0.35, log=log)
            for end, sign in zip(ends, (-1, 1), strict=True)]  # fmt: skip
    return Places(tuple(numbers), log, references, tuple(breaks), (room[0], room[1]))


def _shifted(x: float, step: float, steps: float, *, log: bool) -> float:
    return x * step**steps if log else x + step * steps


def _draw(axes: Axes, curve: Curve, metric: str, place: int, places: Places) -> None:
    look: dict[str, Any] = {
        "color": colour(place), "marker": MARKERS[place % len(MARKERS)],
        "capsize": 2, "elinewidth": 0.8,
    }  # fmt: skip
    points = [(x, value) for x in sorted(curve.points)
              if (value := over_seeds(curve.points[x], metric))]  # fmt: skip
    if points:
        _errorbar(axes, points, linestyle=LINES[place % len(LINES)], fillstyle=FILLS[place % 2],
                  **look)  # fmt: skip
    for reference, cells in curve.references.items():
        if value := over_seeds(cells, metric):
            x = places.references[reference]
            _errorbar(axes, [(x, value)], linestyle="", fillstyle="none", **look)
            if points:
                end, beside = points[-1 if reference == NONE else 0]
                axes.plot([x, end], [value.mean, beside.mean], color=colour(place),
                          linestyle=_REFERENCE_LINE, linewidth=0.9)  # fmt: skip
    for x, cells in _placed(curve, places):
        if many_lost(cells, metric) and (value := over_seeds(cells, metric)):
            mark_lost(axes, x, value.mean)


def _placed(curve: Curve, places: Places) -> list[tuple[float, list[Result]]]:
    """All cells of a curve, with their places on the axis."""
    references = ((places.references[name], cells) for name, cells in curve.references.items())
    return [*curve.points.items(), *references]


def _errorbar(axes: Axes, points: Sequence[tuple[float, Estimate]], **look: Any) -> None:
    axes.errorbar(
        [x for x, _ in points], [value.mean for _, value in points],
        [value.half_width or 0.0 for _, value in points], **look,
    )  # fmt: skip


def _stated(
    asked: Asked, setting: Setting, curve: Curve, metric: str, places: Places
) -> Iterator[tuple[float, Stated]]:
    """The paper's numbers, each with its place on the axis."""
    for x, cells in _placed(curve, places):
        whole = (*setting, *setting_of(cells[0].factors))
        if number := stated_of(asked.claims, whole, metric):
            yield x, number


def _draw_stated_knee(axes: Axes, knee: Stated) -> None:
    if knee.half:
        axes.axvspan(knee.low, knee.high, facecolor=(muted(), 0.18), linewidth=0)
    else:
        axes.axvline(knee.low, **_paper_line())


def _ring() -> dict[str, Any]:
    return {"marker": "o", "color": ink(), "fillstyle": "none", "markersize": 11, "linestyle": ""}


def _paper() -> dict[str, Any]:
    return {"marker": "x", "color": ink(), "linestyle": "", "capsize": 4, "elinewidth": 1.6}


def _paper_line() -> dict[str, Any]:
    return {"color": ink(), "linestyle": "-.", "linewidth": 0.9}


def _entries(
    curves: Mapping[Setting, Curve], names: Sequence[str], axis: str, asked: Asked, seeds: int
) -> Iterator[Entry]:
    """What each mark means."""
    for place, setting in enumerate(curves):
        line = Line2D([], [], color=colour(place), linestyle=LINES[place % len(LINES)],
                      marker=MARKERS[place % len(MARKERS)], fillstyle=FILLS[place % 2])  # fmt: skip
        mean = say_mean(seeds)
        yield (
            line,
            f"{label(setting, names)}: {mean}"
            if len(curves) > 1 and not place
            else (label(setting, names) if len(curves) > 1 else mean),
        )
    if any(curve.references for curve in curves.values()):
        yield (
            Line2D([], [], color=muted(), linestyle=_REFERENCE_LINE, linewidth=0.9, marker="o",
                   fillstyle="none"),
            say("stock TSQ and no TSQ"),
        )  # fmt: skip
    if axis == MS and any(curve.knee() for curve in curves.values()):
        yield Line2D([], [], **_ring()), _knee_text(curves)
    stated = {knee.text: knee for setting in curves for knee in knees_of(asked.claims, setting)}
    if axis == MS and stated:
        text = say(
            "the paper's knee: {ms} ms",
            ms=", ".join(sorted(stated, key=lambda text: stated[text].low)),
        )
        yield Line2D([], [], **_paper_line()), text
    metrics = ("goodput_mbps", f"{asked.latency}_p50")
    if any(claim.compare == "value" and claim.stated and claim.metric in metrics
           for claim in asked.claims):  # fmt: skip
        yield Line2D([], [], marker="x", color=ink(), linestyle=""), say("the paper")
    groups = [group for curve in curves.values()
              for group in (*curve.points.values(), *curve.references.values())]  # fmt: skip
    if any(many_lost(group, f"{asked.latency}_p50") for group in groups):
        yield lost_entry()


def say_mean(seeds: int) -> str:
    """What a point with bars is."""
    if seeds < 2:
        return say("one seed")
    return say("mean and 95 % interval of {n} seeds", n=str(seeds))


def _knee_text(curves: Mapping[Setting, Curve]) -> str:
    within = f"{100 * WITHIN:.0f} %"
    if len(curves) > 1:
        return say("knee: the fewest ms within {share} of the best", share=within)
    (knee,) = (curve.knee() for curve in curves.values())
    assert knee, "somebody has looked"
    return say("knee, within {share} of the best: {ms}", share=within, ms=format_knee(knee))


def _dress(above: Axes, below: Axes, axis: str, places: Places, width_in: float) -> None:
    for axes in (above, below):
        axes.set_ylim(0, 1.04 * axes.get_ylim()[1])
        if places.log:
            axes.set_xscale("log")
        axes.set_xlim(*places.ends)
        axes.xaxis.set_minor_locator(NullLocator())
    ticks = _ticks(axis, places, width_in)
    below.xaxis.set_major_locator(FixedLocator(list(ticks)))
    below.xaxis.set_major_formatter(FixedFormatter(list(ticks.values())))
    below.xaxis.set_minor_locator(FixedLocator([x for x in places.numbers if x not in ticks]))
    name_axis(below.xaxis, say(axis) if axis in (MS, PACKETS) else axis)
    for x in places.breaks:
        for axes in (above, below):
            axes.text(x, 0, "//", transform=axes.get_xaxis_transform(), ha="center", va="center",
                      color=muted(), clip_on=False)  # fmt: skip


def _ticks(axis: str, places: Places, width_in: float) -> dict[float, str]:
    """The labels that have room, those of the references first, and then from the highest down."""
    texts = {x: short(x) for x in places.numbers}
    kept = {
        x: say("stock") if name == STOCK else say("none") for name, x in places.references.items()
    }
    if axis == MS and STOCK in places.references:
        kept[places.references[STOCK]] = f"{STOCK_MS}\n{say('stock')}"
        texts.pop(places.references[STOCK], None)

    def at_in(x: float) -> float:
        low, high = (math.log(end) if places.log else end for end in places.ends)
        return ((math.log(x) if places.log else x) - low) / (high - low) * (width_in - 0.8)

    def half_in(text: str) -> float:
        return max(map(len, text.splitlines())) * _TICK_LETTER_IN / 2

    for x in sorted(texts, reverse=True):
        if all(abs(at_in(x) - at_in(other)) >= half_in(texts[x]) + half_in(text) + _TICK_GAP_IN
               for other, text in kept.items()):  # fmt: skip
            kept[x] = texts[x]
    return dict(sorted(kept.items()))


def _knees(curves: Mapping[Setting, Curve], names: Sequence[str], axis: str) -> str:
    """What the rings mark: "; knee at 6 ms (5 to 6)"."""
    found = [(label(setting, names), curve.knee()) for setting, curve in curves.items()]
    texts = [
        format_knee(knee) + (f", {name}" if len(curves) > 1 else "") for name, knee in found if knee
    ]
    return f"; {say('knee at {ms}', ms='; '.join(texts))}" if axis == MS and texts else ""
