# SPDX-License-Identifier: GPL-2.0-or-later
"""Names beside points, where they cover neither a point nor each other."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from tsqlab.report.plots.figure import ink, muted

_SIZE_PT = 7.0
_LETTER = 0.62  # the width of a letter, as a share of its size, on average
_POINT_PT = 4.0  # from a point's middle to its edge, or nearly
# Where a name may stand, seen from its point: steps to the right and up, the best first.
_SIDES = ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))
_FURTHER = (4, 7, 10)  # how much further a name stands that has no room at its point
_ALIGNED = {1: "left", 0: "center", -1: "right"}
_RAISED = {1: "bottom", 0: "center", -1: "top"}


class Labels:
    """The names in one pair of axes, whose place in the figure is settled."""

    def __init__(self, axes: Axes, points: Sequence[tuple[float, float]]) -> None:
        """Keep all *points*, in the axes' own numbers, free."""
        self._axes = axes
        self._px = axes.figure.dpi / 72  # of a point of type
        transformed = (axes.transData.transform(point) for point in points)
        self._points = [(float(right), float(up)) for right, up in transformed]
        self._taken = [self._around(*point) for point in self._points]

    def write(self, name: str, x: float, y: float) -> bool:
        """Write a name at a point, if there is room; returns whether there was.

        A name that would stand nearer to another point stands further away, with a line.
        """
        right_px, up_px = self._axes.transData.transform((x, y))
        at = float(right_px), float(up_px)
        for steps in (1, *_FURTHER):
            for right, up in _SIDES:
                box = self._box(name, at, right * steps, up * steps)
                if self._free(box) and (steps > 1 or self._nearest(box) == at):
                    self._taken.append(box)
                    self._annotate(name, (x, y), (right, up), steps)
                    return True
        return False

    def _annotate(
        self, name: str, point: tuple[float, float], side: tuple[int, int], steps: float
    ) -> None:
        right, up = side
        away = steps * _POINT_PT
        line = {"arrowstyle": "-", "color": muted(), "linewidth": 0.6, "shrinkA": 0, "shrinkB": 2}
        text = self._axes.annotate(
            name, point, (right * away, up * away), textcoords="offset points",
            ha=_ALIGNED[right], va=_RAISED[up], fontsize=_SIZE_PT, color=ink(),
            arrowprops=line if steps > 1 else None,
        )  # fmt: skip
        text.set_in_layout(False)

    def _nearest(self, box: Bbox) -> tuple[float, float]:
        middle = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
        return min(self._points, key=lambda point: math.dist(point, middle))

    def _around(self, x: float, y: float) -> Bbox:
        half = _POINT_PT * self._px * 0.9
        return Bbox.from_extents(x - half, y - half, x + half, y + half)

    def _box(self, name: str, at: tuple[float, float], right: float, up: float) -> Bbox:
        width = len(name) * _SIZE_PT * _LETTER * self._px
        height = _SIZE_PT * 1.1 * self._px
        left = at[0] + right * _POINT_PT * self._px - width * (1 - _sign(right)) / 2
        bottom = at[1] + up * _POINT_PT * self._px - height * (1 - _sign(up)) / 2
        return Bbox.from_bounds(left, bottom, width, height)

    def _free(self, box: Bbox) -> bool:
        inside = self._axes.bbox
        fits = box.x0 >= inside.x0 and box.x1 <= inside.x1 and box.y0 >= inside.y0
        return bool(fits and box.y1 <= inside.y1 and not box.count_overlaps(self._taken))


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
