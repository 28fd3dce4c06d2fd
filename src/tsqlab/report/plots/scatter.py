# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings in a plane of two metrics: means over the seeds, with a 95 % interval either way.

Small dots are the cells. A line joins the settings that differ in the factor that varies fastest
where that is a number, as the ms of TSQ are, in the order of the numbers, with an arrow at the
largest; what has no order is not joined. The levels of that factor stand at the points as long as
they have room there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tsqlab.experiment.stored import Result
from tsqlab.metrics.series import Floats
from tsqlab.metrics.statistics import Estimate, estimate
from tsqlab.report.plots.axes import say_own_scale, scale, scale_groups
from tsqlab.report.plots.curves import ranks_of
from tsqlab.report.plots.figure import (
    FILLS,
    LINES,
    MARKERS,
    PLOT_WIDTH_IN,
    Dashes,
    add_legend,
    colour,
    ink,
    muted,
    new_figure,
    palette,
)
from tsqlab.report.plots.labels import Labels
from tsqlab.report.plots.look import say
from tsqlab.report.plots.lost import lost_entry, mark_lost
from tsqlab.report.plots.stated import Asked, Stated, stated_of
from tsqlab.report.plots.sweep import say_mean
from tsqlab.report.table import many_lost
from tsqlab.results.repetitions import (
    NOTHING,
    Setting,
    by_setting,
    level_texts,
    most_seeds,
    varying,
)

_HEIGHT_IN = 3.6
_FURTHER_WIDTH_IN = 3.8  # what a further panel adds
_PANELS_MAX = 4  # panels that have room side by side
_NAMED_MAX = 16  # so many points that no line joins can have their names beside them


@dataclass(frozen=True, eq=False)
class Point:
    """A setting's place."""

    setting: Setting
    name: str  # the level of the fastest factor
    x: Estimate
    y: Estimate
    cells: Floats  # a row for each cell
    stated: tuple[Stated, Stated] | None  # what the paper has for both
    lost: bool  # whether a latency is of pings of which many have no answer

    @property
    def ends(self) -> Floats:
        """The corners of everything that is drawn of it."""
        rows = [(self.x.mean + sign * (self.x.half_width or 0.0),
                 self.y.mean + sign * (self.y.half_width or 0.0)) for sign in (-1, 1)]  # fmt: skip
        return np.concatenate([self.numbers, np.maximum(rows, 0)])

    @property
    def numbers(self) -> Floats:
        """What was measured, and what the paper has."""
        if not self.stated:
            return self.cells
        x, y = self.stated
        return np.concatenate([self.cells, [(x.low, y.low), (x.high, y.high)]])


@dataclass(frozen=True, eq=False)
class Line:
    """The points of one setting of the other factors."""

    name: str
    joined: bool
    points: tuple[Point, ...]


Fill = Literal["full", "none", "left", "bottom", "right", "top"]


@dataclass(frozen=True)
class Mark:
    """How a setting's points look."""

    colour: str
    fill: Fill
    marker: str


def scatter(
    results: Sequence[Result], x: str, y: str, asked: Asked, dress: Callable[[Axes], None]
) -> Figure | None:
    """The plane of the metrics *x* and *y*, or planes that have scales of their own.

    *dress* names the axes of each. None when no cell has both metrics.
    """
    points = list(_points(results, x, y, asked))
    if not points:
        return None
    lines = _lines(points, results)
    named = sum(not line.joined for line in lines for _ in line.points) <= _NAMED_MAX
    looks = _looks(lines, named=named)
    entries = list(_entries(lines, looks, most_seeds(results), named=named))
    groups = scale_groups({point.setting: point.y.mean for point in points},
                          varying([point.setting for point in points])[-1:],
                          _PANELS_MAX)  # fmt: skip
    levels = list(dict.fromkeys(groups.values()))
    width_in = PLOT_WIDTH_IN + _FURTHER_WIDTH_IN * (len(levels) - 1)
    figure = new_figure(width_in, _HEIGHT_IN, [text for _, text in entries])
    for level, axes in zip(levels, figure.subplots(1, len(levels), squeeze=False)[0], strict=True):
        here = [line for line in lines if groups[line.points[0].setting] == level]
        own = [point for line in here for point in line.points]
        for column, axis in enumerate((axes.xaxis, axes.yaxis)):
            ends, numbers = [point.ends for point in own], [point.numbers for point in own]
            scale(axis, *([part[:, column] for part in parts] for parts in (ends, numbers)))
        for line in here:
            _draw(axes, line, looks, LINES[lines.index(line) % len(LINES)])
        dress(axes)
        if level:
            say_own_scale(axes, level)
        if axes.get_subplotspec().colspan.start:
            axes.set_ylabel("")
    add_legend(figure, [handle for handle, _ in entries], [text for _, text in entries])
    if named and len(points) > 1:
        _write_names(figure, lines, groups, levels)
    return figure


def _points(results: Sequence[Result], x: str, y: str, asked: Asked) -> Iterator[Point]:
    settings = by_setting(results)
    last = varying(list(settings))[-1:]
    for setting, cells in settings.items():
        pairs = [(cell.metrics.get(x), cell.metrics.get(y)) for cell in cells]
        rows = np.array([pair for pair in pairs if None not in pair], dtype=float).reshape(-1, 2)
        means = [estimate([float(value) for value in column]) for column in rows.T]
        if means[0] and means[1]:
            stated = [stated_of(asked.claims, setting, metric) for metric in (x, y)]
            yield Point(setting, "".join(level_texts(setting, last)), means[0], means[1], rows,
                        (stated[0], stated[1]) if stated[0] and stated[1] else None,
                        many_lost(cells, x) or many_lost(cells, y))  # fmt: skip


def _lines(points: Sequence[Point], results: Sequence[Result]) -> list[Line]:
    """The points by the other factors' setting, in the order of the fastest one's numbers."""
    names = varying([point.setting for point in points])
    ranks = ranks_of(results, names[-1]) if names else {}
    found: dict[tuple[str, ...], list[Point]] = {}
    for point in points:
        found.setdefault(level_texts(point.setting, names[:-1]), []).append(point)
    lines = []
    for others, own in found.items():
        places = [ranks.get(point.name, 0.0) for point in own]
        joined = bool(ranks) and len(set(places)) == len(places)
        ordered = [own[place] for place in np.argsort(places, kind="stable")]
        name = ", ".join(level for level in others if level != NOTHING)
        lines.append(Line(name, joined, tuple(ordered)))
    return lines


def _looks(lines: Sequence[Line], *, named: bool) -> Mapping[Setting, Mark]:
    """The mark of each setting: its line's where names stand beside points, otherwise its own."""
    settings = [point.setting for line in lines for point in line.points]
    if not named:
        return dict(zip(settings, marks(settings, varying(settings)), strict=True))
    return {
        point.setting: Mark(colour(place), FILLS[place % 2], MARKERS[place % len(MARKERS)])
        for place, line in enumerate(lines)
        for point in line.points
    }


def marks(settings: Sequence[Setting], names: Sequence[str]) -> list[Mark]:
    """A colour and a filling for each level of the fastest factor, a marker for the others."""
    last = [level_texts(setting, names)[-1:] for setting in settings]
    others = [level_texts(setting, names)[:-1] for setting in settings]
    if len(set(others)) == 1:  # both the colour and the marker show the one factor
        others = last
    colours, markers = list(dict.fromkeys(last)), list(dict.fromkeys(others))
    return [
        _mark(colours.index(level), markers.index(rest))
        for level, rest in zip(last, others, strict=True)
    ]


def _mark(place: int, marker: int) -> Mark:
    """The look of the level and of the other levels at those places.

    Where the colours begin again, the fillings are shifted by one.
    """
    fill = FILLS[(place + place // len(palette())) % len(FILLS)]
    return Mark(colour(place), fill, MARKERS[marker % len(MARKERS)])


def _draw(axes: Axes, line: Line, looks: Mapping[Setting, Mark], dashes: Dashes) -> None:
    if line.joined:
        own = looks[line.points[0].setting].colour
        places = [(point.x.mean, point.y.mean) for point in line.points]
        axes.plot(*zip(*places, strict=True), color=own, linestyle=dashes)
        if len(set(places[-2:])) == 2:
            head = {"arrowstyle": "-|>", "color": own, "linestyle": "none", "shrinkB": 4,
                    "mutation_scale": 16}  # fmt: skip
            axes.annotate("", places[-1], places[-2], arrowprops=head, zorder=3)
    for point in line.points:
        mark = looks[point.setting]
        axes.plot(point.cells[:, 0], point.cells[:, 1], ".", color=mark.colour, alpha=0.45,
                  markersize=3, markeredgewidth=0)  # fmt: skip
        axes.errorbar(point.x.mean, point.y.mean, point.y.half_width, point.x.half_width,
                      color=mark.colour, marker=mark.marker, fillstyle=mark.fill, capsize=2,
                      elinewidth=0.8, markerfacecoloralt="none")  # fmt: skip
        if point.stated:
            x, y = point.stated
            axes.errorbar(x.middle, y.middle, y.half, x.half, marker="x", color=ink(), capsize=4,
                          elinewidth=1.6, linestyle="")  # fmt: skip
        if point.lost:
            mark_lost(axes, point.x.mean, point.y.mean)


def _entries(
    lines: Sequence[Line], looks: Mapping[Setting, Mark], seeds: int, *, named: bool
) -> Iterator[tuple[Line2D, str]]:
    """What each mark means."""
    if named and len(lines) > 1:
        for place, line in enumerate(lines):
            dashes: Dashes = LINES[place % len(LINES)] if line.joined else ""
            yield _handle(looks[line.points[0].setting], dashes), line.name
    elif not named:
        for line in lines:
            for point in line.points:
                name = ", ".join(part for part in (line.name, point.name) if part)
                yield _handle(looks[point.setting]), name
    yield Line2D([], [], color=muted(), linestyle="", marker="o"), say_mean(seeds)
    if seeds > 1:
        yield Line2D([], [], color=muted(), linestyle="", marker=".", markersize=3), say("a cell")
    if any(point.stated for line in lines for point in line.points):
        yield Line2D([], [], color=ink(), linestyle="", marker="x"), say("the paper")
    if any(point.lost for line in lines for point in line.points):
        yield lost_entry()


def _handle(mark: Mark, dashes: Dashes = "") -> Line2D:
    return Line2D([], [], color=mark.colour, linestyle=dashes, marker=mark.marker,
                  fillstyle=mark.fill, markerfacecoloralt="none")  # fmt: skip


def _write_names(
    figure: Figure, lines: Sequence[Line], groups: Mapping[Setting, str], levels: Sequence[str]
) -> None:
    figure.draw_without_rendering()  # it is then that the axes have their places
    for level, axes in zip(levels, figure.axes, strict=True):
        here = [line for line in lines if groups[line.points[0].setting] == level]
        places = [(point.x.mean, point.y.mean) for line in here for point in line.points]
        labels = Labels(axes, places)
        for line in here:
            # A line's ends are named first: they are what must not be missing.
            ends = line.points[:1] + line.points[-1:]
            for point in sorted(line.points, key=lambda point: point not in ends):
                labels.write(point.name, point.x.mean, point.y.mean)
