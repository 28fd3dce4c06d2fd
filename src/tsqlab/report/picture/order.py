# SPDX-License-Identifier: GPL-2.0-or-later
"""Who stands above whom in a column, so that few lines cross.

A line that passes columns has a bend in each, which has a place among the boxes as if it were one:
so no line crosses a text. Places are found by barycentres, to and fro, as Sugiyama, Tagawa and Toda
do ("Methods for Visual Understanding of Hierarchical System Structures", 1981); of all orders that
come up the one with the fewest crossings is taken.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import fmean

from tsqlab.report.picture.columns import Columns
from tsqlab.report.picture.scene import Scene

_SWEEPS = 12


@dataclass(frozen=True)
class Leg:
    """A part of a line, from one column to the next."""

    left: str  # keys of boxes and of bends
    right: str
    radio: bool
    strands: tuple[int, ...]  # which flows go along it


@dataclass(frozen=True)
class Ordered:
    """A scene with an order in each column."""

    scene: Scene
    columns: tuple[tuple[str, ...], ...]  # keys, from above
    lines: Mapping[tuple[str, str], tuple[Leg, ...]]  # of each tie, from the left to the right

    @cached_property
    def legs(self) -> tuple[Leg, ...]:
        """All legs."""
        return tuple(leg for line in self.lines.values() for leg in line)


def ordered(scene: Scene, columns: Columns) -> Ordered:
    """Find the order."""
    along: dict[frozenset[str], list[int]] = {}
    for number, strand in enumerate(scene.strands):
        for ends in dict.fromkeys(frozenset(ends) for ends in pairwise(strand.way)):
            along.setdefault(ends, []).append(number)
    places: list[list[str]] = [[] for _ in range(1 + max(columns.values()))]
    for box in scene.boxes:
        places[columns[box.key]].append(box.key)
    lines = {}
    for tie in scene.ties:
        left, right = sorted((tie.node, tie.to), key=lambda key: columns[key])
        bends = range(columns[left] + 1, columns[right])
        points = (left, *(f"bend {tie.node} {tie.to} {column}" for column in bends), right)
        for column, bend in zip(bends, points[1:], strict=False):
            places[column].append(bend)
        strands = tuple(along.get(frozenset((left, right)), ()))
        lines[tie.node, tie.to] = tuple(Leg(*ends, tie.radio, strands) for ends in pairwise(points))
    legs = [leg for line in lines.values() for leg in line]
    return Ordered(scene, _uncrossed(places, legs), lines)


def _uncrossed(
    columns: Sequence[Sequence[str]], legs: Sequence[Leg]
) -> tuple[tuple[str, ...], ...]:
    """The columns with as few crossings as the sweeps find."""
    lefts: dict[str, list[str]] = {}
    rights: dict[str, list[str]] = {}
    for leg in legs:
        lefts.setdefault(leg.right, []).append(leg.left)
        rights.setdefault(leg.left, []).append(leg.right)
    now = [list(column) for column in columns]
    best, fewest = now, _crossings(now, rights)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        now = [list(column) for column in now]
        there = rights if sweep % 2 else lefts
        inside = range(len(now) - 2, -1, -1) if sweep % 2 else range(1, len(now))
        for place in inside:
            beside = now[place + 1 if sweep % 2 else place - 1]
            now[place] = _by_barycentre(now[place], beside, there)
        if (count := _crossings(now, rights)) < fewest:
            best, fewest = now, count
    return tuple(map(tuple, best))


def _by_barycentre(
    column: Sequence[str], beside: Sequence[str], there: Mapping[str, Sequence[str]]
) -> list[str]:
    """A column by the means of the places that its boxes are tied to; others keep theirs."""
    heights = {key: place / max(1, len(beside) - 1) for place, key in enumerate(beside)}
    own = {key: place / max(1, len(column) - 1) for place, key in enumerate(column)}
    means = {key: fmean(heights[one] for one in there[key]) if key in there else own[key]
             for key in column}  # fmt: skip
    return sorted(column, key=lambda key: means[key])


def _crossings(columns: Sequence[Sequence[str]], rights: Mapping[str, Sequence[str]]) -> int:
    """How many legs cross: of each two columns, those that are above at one end and below."""
    count = 0
    for left, right in pairwise(columns):
        place = {key: number for number, key in enumerate(right)}
        above: list[int] = []
        for key in left:
            ends = sorted(place[end] for end in rights.get(key, ()))
            count += sum(len(above) - bisect_right(above, end) for end in ends)
            for end in ends:
                insort(above, end)
    return count
