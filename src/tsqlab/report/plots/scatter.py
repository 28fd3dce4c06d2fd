# SPDX-License-Identifier: GPL-2.0-or-later
"""A point per cell in a plane of two metrics, and an ellipse per setting over its seeds.

As in Flent an ellipse reaches two standard deviations along each of its axes. Where an axis is
logarithmic, so are the deviations along it. Fewer than three seeds make no ellipse.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tsqlab.experiment.stored import Result
from tsqlab.metrics.document import Floats
from tsqlab.report.plots.axes import scale
from tsqlab.report.plots.figure import COLOURS, FILLS, MARKERS, PLOT_WIDTH_IN, new_figure
from tsqlab.results.repetitions import Setting, by_setting, label, level_texts, varying

_DEVIATIONS = 2.0
_SEEDS_MIN = 3
_OUTLINE_POINTS = 48
_HEIGHT_IN = 3.6


@dataclass(frozen=True)
class Mark:
    """How a setting's points look."""

    colour: str
    fill: Literal["full", "none", "left", "bottom", "right", "top"]
    marker: str


def scatter(results: Sequence[Result], x: str, y: str) -> tuple[Figure, Axes] | None:
    """The plane of the metrics *x* and *y*; None when no cell has both. Labels are the caller's."""
    groups = {setting: points for setting, cells in by_setting(results).items()
              if len(points := _points(cells, x, y))}  # fmt: skip
    if not groups:
        return None
    names = varying(list(groups))
    columns = 3 if max(len(label(setting, names)) for setting in groups) < 18 else 2
    figure = new_figure(PLOT_WIDTH_IN, _HEIGHT_IN, math.ceil(len(groups) / columns))
    axes = figure.subplots()
    logs = tuple(
        scale(axis, [points[:, column] for points in groups.values()])
        for column, axis in enumerate((axes.xaxis, axes.yaxis))
    )
    for (setting, points), mark in zip(groups.items(), marks(list(groups), names), strict=True):
        _scatter(axes, points, mark, label(setting, names))
        if len(points) >= _SEEDS_MIN:
            along, up = outline(points, logs)
            axes.fill(along, up, facecolor=(mark.colour, 0.15), edgecolor=mark.colour)
    figure.legend(loc="outside lower center", ncols=columns)
    return figure, axes


def _points(cells: Sequence[Result], x: str, y: str) -> Floats:
    """The points whose numbers both exist and are above zero, which has no logarithm."""
    pairs = [(cell.metrics[x], cell.metrics[y]) for cell in cells]
    return np.array([pair for pair in pairs if all(pair)], dtype=float)


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


def _mark(colour: int, marker: int) -> Mark:
    """The look of the level and of the other levels at those places.

    Where the colours begin again, the fillings are shifted by one.
    """
    return Mark(
        COLOURS[colour % len(COLOURS)],
        FILLS[(colour + colour // len(COLOURS)) % len(FILLS)],
        MARKERS[marker % len(MARKERS)],
    )


def _scatter(axes: Axes, points: Floats, mark: Mark, name: str) -> None:
    axes.plot(points[:, 0], points[:, 1], linestyle="", marker=mark.marker, color=mark.colour,
              fillstyle=mark.fill, markerfacecoloralt="none", label=name)  # fmt: skip


def outline(points: Floats, logs: Sequence[bool]) -> tuple[Floats, Floats]:
    """The ellipse of two standard deviations about the mean, on linear or logarithmic axes."""
    columns = [
        np.log10(values) if log else values for values, log in zip(points.T, logs, strict=True)
    ]
    plane = np.column_stack(columns)
    variances, directions = np.linalg.eigh(np.cov(plane, rowvar=False))
    angle = np.linspace(0, 2 * np.pi, _OUTLINE_POINTS)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    radii = _DEVIATIONS * np.sqrt(np.maximum(variances, 0))
    ring = plane.mean(axis=0) + (circle * radii) @ directions.T
    x, y = (10**values if log else values for values, log in zip(ring.T, logs, strict=True))
    return x, y
