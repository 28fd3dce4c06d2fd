# SPDX-License-Identifier: GPL-2.0-or-later
"""A flame graph as an SVG without scripts.

A box is a function; those that it called stand on it, and its width is its share of all samples.
Boxes on one another are in alphabetical order, not that of time. A browser shows a box's name and
share where the pointer is. (The packages that draw flame graphs wrap a Perl script, or make pages
of HTML with scripts; a picture in a page of documentation needs neither.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from stacks import Node
from symbols import HOST, KERNEL, PROGRAMS, UML

_WIDTH, _ROW, _MARGIN = 1200, 16, 8
_LETTER = 6.3  # px, of a letter in the font
_LETTERS_MIN = 3  # a shorter name says nothing

COLOURS = {
    HOST: "#bdbdbd",
    UML: "#d9b99b",
    PROGRAMS: "#e6e0d0",
    "timers": "#f2d16b",
    "sched, softirq, RCU": "#f5b461",
    "memory": "#c9a0dc",
    "files": "#b8c9a0",
    "lib: copies, checksums": "#e39bc0",
    "TCP": "#e57373",
    "IP, UDP": "#f0a090",
    "net/core": "#8fc79a",
    "qdiscs": "#5fae9f",
    "mac80211": "#7fb3e0",
    "airlink": "#5b8fd0",
    "wireline": "#8f9fe0",
    KERNEL: "#dddddd",
}
"""The colour of each part of the system."""

_STYLE = "text{font:11px sans-serif;pointer-events:none}rect{stroke:#fff;stroke-width:.5}"


def draw(root: Node, title: str) -> str:
    """The SVG of a tree, whose root is its lowest row."""
    rooms = [room for room in COLOURS if any(n.function.room == room for n in root.walk())]
    legend = _legend(rooms)
    height = _ROW * (_depth(root) + 4) + 2 * _MARGIN
    colours = "".join(f".{_class(room)}{{fill:{colour}}}" for room, colour in COLOURS.items())
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
        f'viewBox="0 0 {_WIDTH} {height}">',
        f"<style>{_STYLE}{colours}</style>",
        '<rect width="100%" height="100%" fill="#fff"/>',
        _text(_MARGIN, _MARGIN + 11, title),
        *legend,
        *_boxes(root, _MARGIN, height - _MARGIN - _ROW, (_WIDTH - 2 * _MARGIN) / root.samples),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _depth(node: Node) -> int:
    return 1 + max((_depth(child) for child in node.children.values()), default=0)


def _legend(rooms: Sequence[str]) -> Iterator[str]:
    x, y = float(_MARGIN), _MARGIN + _ROW
    for room in rooms:
        width = 24 + _LETTER * len(room)
        if x + width > _WIDTH:
            x, y = float(_MARGIN), y + _ROW
        yield f'<rect class="{_class(room)}" x="{x:.0f}" y="{y}" width="12" height="12"/>'
        yield _text(x + 15, y + 10, room)
        x += width


def _boxes(node: Node, x: float, y: int, px_per_sample: float, of: int = 0) -> Iterator[str]:
    """A node's box, and those on it; *of* is the number of all samples, the root's own."""
    of = of or node.samples
    width, name = node.samples * px_per_sample, node.function.name
    said = ", ".join(filter(None, [name, node.function.room, f"{node.samples / of:.1%}"]))
    letters = int((width - 4) / _LETTER)
    shown = name if len(name) <= letters else f"{name[: letters - 2]}.."
    yield (
        f'<g><title>{escape(said)}</title><rect class="{_class(node.function.room)}" '
        f'x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_ROW - 1}"/>'
        f"{_text(x + 2, y + 11, shown) if letters >= _LETTERS_MIN else ''}</g>"
    )
    for function in sorted(node.children, key=lambda each: (each.name, each.room)):
        child = node.children[function]
        yield from _boxes(child, x, y - _ROW, px_per_sample, of)
        x += child.samples * px_per_sample


def _class(room: str) -> str:
    return f"c{list(COLOURS).index(room if room in COLOURS else KERNEL)}"


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}">{escape(text)}</text>'
