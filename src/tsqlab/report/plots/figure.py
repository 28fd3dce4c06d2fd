# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures as text: the same data gives the same SVG, to the byte.

matplotlib is used without pyplot, whose state is the whole process's, and under our style
sheet alone (tsqlab.mplstyle), whatever the user's own says.

In a page, each colour of the style becomes a custom property with that colour to fall back
to, so the page's light and dark themes govern its plots; and identifiers get a prefix,
because those of several figures must not meet.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import matplotlib
from matplotlib.figure import Figure

STYLE = Path(__file__).parent / "tsqlab.mplstyle"

INK, MUTED, GRID = "#202124", "#5f6368", "#d0d3d9"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
HATCHES = ("", "////", "....", "xxxx", "----", "\\\\\\\\")
FILLS: tuple[Literal["full", "none", "left", "bottom", "right", "top"], ...] = (
    "full", "none", "left", "bottom", "right", "top",
)  # fmt: skip
LINES: tuple[str | tuple[int, tuple[int, ...]], ...] = (
    "-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (7, 2)),
)  # fmt: skip
"""The values of the style sheet, for drawing that does not use the sheet's cycle."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")

PROPERTIES = {INK: "--ink", MUTED: "--muted", GRID: "--rule"} | {
    colour: f"--series-{number}" for number, colour in enumerate(COLOURS, 1)
}
"""The page's custom property for each colour."""

PLOT_WIDTH_IN = 5.6  # the width of a plot that stands alone
PANEL_WIDTH_IN = 4.8  # the width of one plot of several
_LEGEND_ROW_IN = 0.19

_PX_PER_INCH = 96
_PNG_DPI = 144
_NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))


@dataclass(frozen=True)
class Plot:
    """A plot, ready for a page."""

    title: str
    description: str  # what the plot shows, for those who do not see it
    svg: str
    width_px: int
    png: bytes = b""


@contextmanager
def style() -> Iterator[None]:
    """Draw under our style, and leave matplotlib as it was."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rc_file(STYLE)
        yield


def new_figure(width_in: float, height_in: float, legend_rows: int = 0) -> Figure:
    """A figure that matplotlib lays out; each row of the legend below makes it higher."""
    size_in = (width_in, height_in + _LEGEND_ROW_IN * legend_rows)
    return Figure(figsize=size_in, layout="constrained")


def to_svg(figure: Figure, name: str, facecolor: str = "none") -> str:
    """The figure as an SVG element; *name* tells its identifiers from those of others."""
    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": name}):
        figure.savefig(text, format="svg", metadata=_NO_METADATA, facecolor=facecolor)
    svg = text.getvalue()
    return _shortened(_with_properties(_with_prefix(svg[svg.index("<svg") :], name))).strip()


def to_plot(figure: Figure, name: str, title: str, description: str) -> Plot:
    """The figure as a plot of a page."""
    width_px = round(figure.get_figwidth() * _PX_PER_INCH)
    return Plot(title, description, to_svg(figure, name), width_px, to_png(figure))


def to_png(figure: Figure) -> bytes:
    """The figure as an image on white, for what cannot show an SVG."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=_PNG_DPI, facecolor="white",
                   metadata={"Software": None})  # fmt: skip
    return content.getvalue()


def plain(svg: str) -> str:
    """An SVG for a file of its own: with the style's colours, which no page governs there."""
    return _in_tags(r"var\(--[\w-]+, (#[0-9a-f]{6})\)", lambda match: match[1], svg)


def _with_prefix(svg: str, name: str) -> str:
    prefix = re.sub(r"[^a-z0-9]+", "-", name.lower())
    return _in_tags(r'(\bid="|href="#|url\(#)', lambda match: f"{match[0]}{prefix}-", svg)


def _with_properties(svg: str) -> str:
    def replace(match: re.Match[str]) -> str:
        colour = match[0].lower()
        return f"var({PROPERTIES[colour]}, {colour})" if colour in PROPERTIES else match[0]

    return _in_tags(r"#[0-9a-fA-F]{6}\b", replace, svg)


def _shortened(svg: str) -> str:
    """Coordinates to a hundredth of a point, which halves the page."""
    return _in_tags(r"(\d\.\d\d)\d+", lambda match: match[1], svg)


def _in_tags(pattern: str, replace: Callable[[re.Match[str]], str], svg: str) -> str:
    """Replace within tags only; what stands between them is the reader's text."""
    return re.sub(r"<[^>]*>", lambda tag: re.sub(pattern, replace, tag[0]), svg)
