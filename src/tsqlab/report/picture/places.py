# SPDX-License-Identifier: GPL-2.0-or-later
"""Where each box of a picture is, and where lines meet it.

A line has a slot of its own at the side of its box. Boxes are as near to the middle of what they
are tied to as their neighbours above and below let them: isotonic regression, column by column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from tsqlab.report.picture.letters import LINE_PX, NAME_PX, width_px
from tsqlab.report.picture.order import Leg, Ordered
from tsqlab.report.picture.scene import Box, Kind

STRAND_PX = 6  # from one flow's line to the next
_SLOT_PX, _PAD_PX = 10, 8
_GAP_PX, _BEND_GAP_PX = 14, 4  # between two boxes, and beside a bend
_GUTTER_PX = (36, 120)  # between two columns, the more the more a line there goes up or down
_SWEEPS = 16


@dataclass(frozen=True)
class Place:
    """A rectangle."""

    x: float  # its left
    y: float  # its middle
    width: float
    height: float


@dataclass(frozen=True)
class Placed:
    """A scene with a place for everything."""

    ordered: Ordered
    places: Mapping[str, Place]  # of boxes, and of bends, which have the width of their column
    columns: Mapping[str, tuple[float, float]]  # the left and right edges of a key's column
    # Where each leg meets what is on its left and on its right, as heights.
    ends: Mapping[Leg, tuple[float, float]]
    width: float
    height: float


@dataclass(frozen=True)
class _Slots:
    """The sides of boxes: how high a slot is, and how far from its box's middle."""

    heights: Mapping[str, float]  # that each box needs
    lefts: Mapping[str, Sequence[Leg]]  # the legs at the left of a box
    rights: Mapping[str, Sequence[Leg]]
    at_left: Mapping[Leg, float]  # of the leg's end at the box on its left, from its middle
    at_right: Mapping[Leg, float]


def placed(scene: Ordered) -> Placed:
    """Give all a place."""
    boxes = {box.key: box for box in scene.scene.boxes}
    slots = _slots(scene)
    heights = {key: max(slots.heights.get(key, 0), _height(boxes[key]) if key in boxes else 0)
               for column in scene.columns for key in column}  # fmt: skip
    middles = _middles(scene, boxes, heights, slots)
    top = min(middles[key] - heights[key] / 2 for key in middles)
    middles = {key: y - top for key, y in middles.items()}
    ends = {leg: (middles[leg.left] + slots.at_left[leg], middles[leg.right] + slots.at_right[leg])
            for leg in scene.legs}  # fmt: skip
    places: dict[str, Place] = {}
    edges: dict[str, tuple[float, float]] = {}
    x = 0.0
    for number, column in enumerate(scene.columns):
        widths = {key: width_of(boxes[key]) for key in column if key in boxes}
        wide = max(widths.values(), default=0.0)
        for key in column:
            own = widths.get(key, wide)
            places[key] = Place(x + (wide - own) / 2, middles[key], own, heights[key])
            edges[key] = (x, x + wide)
        steep = max((abs(ends[leg][1] - ends[leg][0]) for leg in scene.legs
                     if leg.left in edges and leg.right not in edges), default=0.0)  # fmt: skip
        last = number == len(scene.columns) - 1
        x += wide + (0 if last else min(_GUTTER_PX[1], _GUTTER_PX[0] + steep / 6))
    bottom = max(place.y + place.height / 2 for place in places.values())
    return Placed(scene, places, edges, ends, x, bottom)


def width_of(box: Box) -> float:
    """The width of a box."""
    named = box.kind is not Kind.WIRE
    widths = [width_px(line, NAME_PX, bold=True) if named and not number else width_px(line)
              for number, line in enumerate(box.lines)]  # fmt: skip
    return 2 * _PAD_PX + max(widths)


def _height(box: Box) -> float:
    return LINE_PX * len(box.lines) + 2 * _PAD_PX * (0.25 if box.kind is Kind.WIRE else 0.75)


def _slot(leg: Leg) -> float:
    return max(_SLOT_PX, STRAND_PX * len(leg.strands) + 6)


def _slots(scene: Ordered) -> _Slots:
    rank = {key: place for column in scene.columns for place, key in enumerate(column)}
    lefts: dict[str, list[Leg]] = {}
    rights: dict[str, list[Leg]] = {}
    for leg in scene.legs:
        lefts.setdefault(leg.right, []).append(leg)
        rights.setdefault(leg.left, []).append(leg)
    heights: dict[str, float] = {}
    at_left: dict[Leg, float] = {}
    at_right: dict[Leg, float] = {}
    for key, legs in rights.items():
        legs.sort(key=lambda leg: rank[leg.right])
        heights[key] = max(heights.get(key, 0), _divide(legs, at_left))
    for key, legs in lefts.items():
        legs.sort(key=lambda leg: rank[leg.left])
        heights[key] = max(heights.get(key, 0), _divide(legs, at_right))
    return _Slots(heights, lefts, rights, at_left, at_right)


def _divide(legs: Sequence[Leg], offsets: dict[Leg, float]) -> float:
    """Give each leg at a side its slot; the height that they need."""
    whole = sum(map(_slot, legs))
    y = -whole / 2
    for leg in legs:
        offsets[leg] = y + _slot(leg) / 2
        y += _slot(leg)
    return whole


def _middles(
    scene: Ordered, boxes: Mapping[str, Box], heights: Mapping[str, float], slots: _Slots
) -> dict[str, float]:
    """The height at which the middle of each box is."""
    middles: dict[str, float] = {}
    offsets: list[list[float]] = []  # of a column's boxes, from its first
    for column in scene.columns:
        own = [0.0]
        for above, below in pairwise(column):
            gap = _GAP_PX if above in boxes and below in boxes else _BEND_GAP_PX
            own.append(own[-1] + (heights[above] + heights[below]) / 2 + gap)
        offsets.append(own)
        middle = own[-1] / 2
        middles |= {key: y - middle for key, y in zip(column, own, strict=True)}
    for sweep in range(_SWEEPS):
        order = range(len(scene.columns))
        for place in order if sweep % 2 == 0 else reversed(order):
            column, own = scene.columns[place], offsets[place]
            wanted = [_wanted(key, middles, slots) - y for key, y in zip(column, own, strict=True)]
            middles |= {key: base + y for key, base, y
                        in zip(column, isotonic(wanted), own, strict=True)}  # fmt: skip
    return middles


def _wanted(key: str, middles: Mapping[str, float], slots: _Slots) -> float:
    """Where a box's lines would be straight, on average."""
    straight = [middles[leg.left] + slots.at_left[leg] - slots.at_right[leg]
                for leg in slots.lefts.get(key, ())]  # fmt: skip
    straight += [middles[leg.right] + slots.at_right[leg] - slots.at_left[leg]
                 for leg in slots.rights.get(key, ())]  # fmt: skip
    return fmean(straight) if straight else middles[key]


def isotonic(wanted: Sequence[float]) -> list[float]:
    """The nearest numbers, by squares, that never fall: pool adjacent violators."""
    pools: list[tuple[float, int]] = []  # means, and of how many
    for value in wanted:
        pool = (value, 1)
        while pools and pools[-1][0] >= pool[0]:
            mean, count = pools.pop()
            pool = ((mean * count + pool[0] * pool[1]) / (count + pool[1]), count + pool[1])
        pools.append(pool)
    return [mean for mean, count in pools for _ in range(count)]
