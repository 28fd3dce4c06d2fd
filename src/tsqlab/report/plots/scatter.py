# SPDX-License-Identifier: GPL-2.0-or-later
"""A point per cell in a plane of two metrics, and an ellipse per setting over its seeds.

As in Flent an ellipse reaches two standard deviations along each of its axes. Where an axis is
logarithmic, so are the deviations along it. Fewer than three seeds make no ellipse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tsqlab.experiment.stored import Result
from tsqlab.metrics.document import Floats
from tsqlab.report.plots.axes import scale
from tsqlab.report.plots.figure import COLOURS, FILLS, MARKERS
from tsqlab.results.repetitions import Setting, by_setting, label, varying, words

_DEVIATIONS = 2.0
_SEEDS_MIN = 3
_OUTLINE_POINTS = 48
_SIZE_IN = (5.6, 3.6)
_LEGEND_ROW_IN = 0.19


@dataclass(frozen=True)
class Mark:
    """How a setting's points look."""

    colour: str
    fill: Literal["full", "none", "left", "bottom", "right", "top"]
    marker: str


def scatter(results: Sequence[Result], x: str, y: str) -> tuple[Figure, Axes] | None:
    """The plane of the metrics *x* and *y*; None when no cell has both. Labels are the caller's."""
    groups = {one: points for one, cells in by_setting(results).items()
              if len(points := _points(cells, x, y))}  # fmt: skip
    if not groups:
        return None
    names = varying(list(groups))
    columns = 3 if max(len(label(one, names)) for one in groups) < 18 else 2
    rows = -(-len(groups) // columns)
    size_in = (_SIZE_IN[0], _SIZE_IN[1] + _LEGEND_ROW_IN * rows)
    figure = Figure(figsize=size_in, layout="constrained")
    axes = figure.subplots()
    logs = tuple(
        scale(axis, [points[:, at] for points in groups.values()])
        for at, axis in enumerate((axes.xaxis, axes.yaxis))
    )
    for (one, points), mark in zip(groups.items(), marks(list(groups), names), strict=True):
        _scatter(axes, points, mark, label(one, names))
        if len(points) >= _SEEDS_MIN:
            along, up = outline(points, logs)
            axes.fill(along, up, facecolor=(mark.colour, 0.15), edgecolor=mark.colour)
    figure.legend(loc="outside lower center", ncols=columns)
    return figure, axes


def _points(cells: Sequence[Result], x: str, y: str) -> Floats:
    """Those that have both numbers, and more than nothing: zero has no logarithm."""
    pairs = [(cell.metrics[x], cell.metrics[y]) for cell in cells]
    return np.array([pair for pair in pairs if all(pair)], dtype=float)


def marks(settings: Sequence[Setting], names: Sequence[str]) -> list[Mark]:
    """A colour and a filling for each level of the fastest factor, a marker for the others."""
    last = [words(one, names)[-1:] for one in settings]
    others = [words(one, names)[:-1] for one in settings]
    if len(set(others)) == 1:  # one factor alone varies: both tell it
        others = last
    colours, markers = list(dict.fromkeys(last)), list(dict.fromkeys(others))
    return [
        Mark(
            COLOURS[colours.index(a) % len(COLOURS)],
            FILLS[(colours.index(a) + colours.index(a) // len(COLOURS)) % len(FILLS)],
            MARKERS[markers.index(b) % len(MARKERS)],
        )
        for a, b in zip(last, others, strict=True)
    ]


def _scatter(axes: Axes, points: Floats, mark: Mark, name: str) -> None:
    axes.plot(points[:, 0], points[:, 1], linestyle="", marker=mark.marker, color=mark.colour,
              fillstyle=mark.fill, markerfacecoloralt="none", label=name)  # fmt: skip


def outline(points: Floats, logs: Sequence[bool]) -> tuple[Floats, Floats]:
    """The ellipse of two standard deviations about the mean, on linear or logarithmic axes."""
    columns = (np.log10(points[:, at]) if log else points[:, at] for at, log in enumerate(logs))
    plane = np.column_stack(list(columns))
    variances, directions = np.linalg.eigh(np.cov(plane, rowvar=False))
    angle = np.linspace(0, 2 * np.pi, _OUTLINE_POINTS)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    radii = _DEVIATIONS * np.sqrt(np.maximum(variances, 0))
    ring = plane.mean(axis=0) + (circle * radii) @ directions.T
    x, y = (10 ** ring[:, at] if log else ring[:, at] for at, log in enumerate(logs))
    return x, y
