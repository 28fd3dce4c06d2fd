# SPDX-License-Identifier: GPL-2.0-or-later
"""A testbed's picture as SVG, with plain colours (tsqlab.report.colours).

Lines of flows are drawn first and boxes over them: a flow goes behind the boxes on its way, and its
arrow is where it arrives.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from xml.etree import ElementTree

from tsqlab.report.colours import COLOURS, GRID, INK, MUTED, PAPER, RAISED
from tsqlab.report.picture.letters import LINE_PX, NAME_PX, SIZE_PX, width_px
from tsqlab.report.picture.order import Leg
from tsqlab.report.picture.places import STRAND_PX, Place, Placed
from tsqlab.report.picture.scene import Box, Kind, Strand

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif'
_MARGIN_PX = 12
_ARROW_PX = 6
_SWATCH_PX = 26
_DASHES = ("", "7 3", "2 2", "9 2 2 2")  # of flows that have the same colour
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_Element = ElementTree.Element


def drawn(picture: Placed) -> str:
    """The picture as an SVG element."""
    scene = picture.ordered.scene
    rows = [strand.text for strand in scene.strands]
    rows += [f"and {scene.more_flows} more"] if scene.more_flows else []
    wide = max((width_px(row) for row in rows), default=0.0) + _SWATCH_PX + 16
    columns = max(1, min(len(rows), int(picture.width // wide)))
    lines = -(-len(rows) // columns)
    width = max(picture.width, wide if rows else 0) + 2 * _MARGIN_PX
    height = picture.height + LINE_PX * (lines + 1) + 2 * _MARGIN_PX
    svg = _Element("svg", {
        "xmlns": "http://www.w3.org/2000/svg", "class": "testbed", "role": "img",
        "viewBox": f"{-_MARGIN_PX} {-_MARGIN_PX} {_number(width)} {_number(height)}",
        "width": _number(width), "height": _number(height),
        "font-family": FONT, "font-size": str(SIZE_PX),
    })  # fmt: skip
    _add(svg, "title", text=f"Testbed: {scene.title}")
    _lines(svg, picture)
    for number, strand in enumerate(scene.strands):
        _flow(svg, picture, number, strand)
    for box in scene.boxes:
        _box(svg, box, picture.places[box.key])
    for number, row in enumerate(rows):
        column, line = divmod(number, lines)
        x, y = column * wide, picture.height + LINE_PX * (line + 1.5)
        if number < len(scene.strands):
            style = _style(number, scene.strands[number])
            _add(svg, "path", d=f"M{_number(x)} {_number(y - 4)}h{_SWATCH_PX - 6}", **style)
        _add(svg, "text", x=_number(x + _SWATCH_PX), y=_number(y), fill=INK, text=row)
    ElementTree.indent(svg, " ")
    return ElementTree.tostring(svg, encoding="unicode")


def _add(parent: _Element, tag: str, text: str = "", **attributes: str) -> _Element:
    named = {name.replace("_", "-"): value for name, value in attributes.items() if value}
    child = ElementTree.SubElement(parent, tag, named)
    child.text = _NOT_IN_XML.sub("\ufffd", text) or None
    return child


def _number(value: float) -> str:
    """A coordinate to a tenth of a pixel."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def _lines(svg: _Element, picture: Placed) -> None:
    for legs in picture.ordered.lines.values():
        dashes = "4 3" if legs[0].radio else ""
        _add(svg, "path", d=_path(picture, legs), fill="none", stroke=MUTED,
             stroke_dasharray=dashes)  # fmt: skip


def _path(picture: Placed, legs: Sequence[Leg], away: float = 0.0) -> str:
    """A line from the right side of one box to the left side of another, straight in columns."""
    first, last = picture.places[legs[0].left], picture.places[legs[-1].right]
    parts = [f"M{_number(first.x + first.width)} {_number(picture.ends[legs[0]][0] + away)}"]
    for leg in legs:
        out, into = picture.columns[leg.left][1], picture.columns[leg.right][0]
        here, there = (y + away for y in picture.ends[leg])
        middle = (out + into) / 2
        curve = " ".join(_number(value) for value in (middle, here, middle, there, into, there))
        parts.append(f"H{_number(out)}C{curve}")
    return f"{''.join(parts)}H{_number(last.x)}"


def _flow(svg: _Element, picture: Placed, number: int, strand: Strand) -> None:
    """A flow along its way, with a dot where it begins and an arrow where it arrives."""
    style = _style(number, strand)
    lines = picture.ordered.lines
    for here, there in pairwise(strand.way):
        legs = lines[here, there] if (here, there) in lines else lines[there, here]
        away = STRAND_PX * (legs[0].strands.index(number) - (len(legs[0].strands) - 1) / 2)
        _add(svg, "path", d=_path(picture, legs, away), fill="none", **style)
        if here == strand.way[0]:
            x, y, _ = _end(picture, legs, here, away)
            _add(svg, "circle", cx=_number(x), cy=_number(y), r="2.5", fill=style["stroke"])
        if there == strand.way[-1]:
            x, y, side = _end(picture, legs, there, away)
            back = f"{_number(side * _ARROW_PX)} {_number(_ARROW_PX / 2)}v{_number(-_ARROW_PX)}"
            _add(svg, "path", d=f"M{_number(x)} {_number(y)}l{back}z", fill=style["stroke"])


def _end(picture: Placed, legs: Sequence[Leg], key: str, away: float) -> tuple[float, float, int]:
    """Where a line meets a box, and the side of that: 1 is its right."""
    place = picture.places[key]
    if key == legs[0].left:
        return place.x + place.width, picture.ends[legs[0]][0] + away, 1
    return place.x, picture.ends[legs[-1]][1] + away, -1


def _style(number: int, strand: Strand) -> Mapping[str, str]:
    again, place = divmod(number, len(COLOURS))
    dashes = "1 3" if strand.pings else _DASHES[again % len(_DASHES)]
    return {"stroke": COLOURS[place], "stroke_width": "2", "stroke_dasharray": dashes}


_LOOKS: Mapping[Kind, Mapping[str, str]] = {
    Kind.NODE: {"fill": RAISED, "stroke": INK, "rx": "4"},
    Kind.WIRE: {"fill": PAPER, "stroke": GRID, "rx": "2"},
    Kind.MEDIUM: {"fill": PAPER, "stroke": MUTED, "stroke_dasharray": "4 3", "rx": "12"},
}


def _box(svg: _Element, box: Box, place: Place) -> None:
    group = _add(svg, "g")
    _add(group, "title", text=box.tip)
    _add(group, "rect", x=_number(place.x), y=_number(place.y - place.height / 2),
         width=_number(place.width), height=_number(place.height), **_LOOKS[box.kind])  # fmt: skip
    first = place.y - LINE_PX * len(box.lines) / 2 + LINE_PX * 0.76
    for number, line in enumerate(box.lines):
        name = number == 0 and box.kind is not Kind.WIRE
        look = {"fill": INK, "font_size": str(NAME_PX), "font_weight": "bold"}
        _add(group, "text", x=_number(place.x + place.width / 2),
             y=_number(first + LINE_PX * number), text_anchor="middle",
             text=line, **(look if name else {"fill": MUTED}))  # fmt: skip
