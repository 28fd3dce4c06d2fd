# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures as text: the same data gives the same SVG, PNG and PDF, to the byte.

matplotlib is used without pyplot, whose state is the whole process's, and under our style
sheet (tsqlab.mplstyle) with the look's over it, whatever the user's matplotlibrc says.

In a page, the page's themes govern the colours of the style (tsqlab.report.colours); and
identifiers get a prefix, because those of several figures must not meet.
"""

from __future__ import annotations

import io
import math
import re
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import matplotlib
from matplotlib import rcParams
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from tsqlab.report.colours import COLOURS, in_tags, with_properties
from tsqlab.report.plots.look import LOOK, own_style, with_own_decimals
from tsqlab.results.look import Look
from tsqlab.results.plots import Format

STYLE = Path(__file__).parent / "tsqlab.mplstyle"

HATCHES = ("", "////", "....", "xxxx", "----", "\\\\\\\\")
FILLS: tuple[Literal["full", "none", "left", "bottom", "right", "top"], ...] = (
    "full", "none", "left", "bottom", "right", "top",
)  # fmt: skip
Dashes = Literal["-", "--", "-.", ":", ""] | tuple[int, tuple[int, ...]]
LINES: tuple[Dashes, ...] = (
    "-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (7, 2)),
)  # fmt: skip
"""The values of the style sheet, for drawing that does not use the sheet's cycle."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")

PLOT_WIDTH_IN = 5.6  # the width of a plot that stands alone
PANEL_WIDTH_IN = 4.8  # the width of one plot of several
_LEGEND_ROW_IN = 0.19
_LEGEND_COLUMNS_MAX = 4
_LEGEND_LETTER_IN = 0.066  # a letter of the legend's size, on average
_LEGEND_HANDLE_IN = 0.62  # what stands before a legend's text, and the gap behind it

_PX_PER_INCH = 96
_PNG_DPI = 144
_NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
_NO_PDF_METADATA = dict.fromkeys(("Creator", "Producer", "CreationDate"))


@dataclass(frozen=True)
class Plot:
    """A plot, ready for a page and for files."""

    title: str
    description: str  # what the plot shows, for those who do not see it
    svg: str
    width_px: int
    files: Mapping[Format, bytes] = field(default_factory=dict)  # in the formats asked for
    titled: bool = False  # whether its title stands in the figure itself


_FORMATS: ContextVar[Collection[Format]] = ContextVar("formats", default=())
"""The formats that plots are drawn in besides SVG: surroundings of the drawing, as the look is."""


@contextmanager
def drawn_in(formats: Collection[Format]) -> Iterator[None]:
    """Draw in these formats, too."""
    token = _FORMATS.set(formats)
    try:
        yield
    finally:
        _FORMATS.reset(token)


@contextmanager
def style(look: Look | None = None) -> Iterator[None]:
    """Draw under our style and a look's, and leave matplotlib as it was. Raises UsageError."""
    look = look or Look()
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rc_file(STYLE)
        rcParams.update(own_style(look.style))
        token = LOOK.set(look)
        try:
            yield
        finally:
            LOOK.reset(token)


def palette() -> list[str]:
    """The colours of series, in their order."""
    return [to_hex(own) for own in rcParams["axes.prop_cycle"].by_key().get("color", COLOURS)]


def colour(place: int) -> str:
    """The colour of the series at that place."""
    colours = palette()
    return colours[place % len(colours)]


def ink() -> str:
    """The colour of text."""
    return to_hex(rcParams["text.color"])


def muted() -> str:
    """The colour of what stands back behind the data."""
    return to_hex(rcParams["axes.edgecolor"])


def size_in(width_in: float, height_in: float) -> tuple[float, float]:
    """A figure's size: the look's, or the one given. A width alone keeps the proportions."""
    own = LOOK.get().size_in
    if own is None:
        return width_in, height_in
    width, height = own
    return width, height_in * width / width_in if height is None else height


def new_figure(width_in: float, height_in: float, legend: Sequence[str] = ()) -> Figure:
    """A figure that matplotlib lays out; the rows that *legend* takes below make it higher."""
    width, height = size_in(width_in, height_in)
    own = LOOK.get().size_in
    if own is None or own[1] is None:
        height += _LEGEND_ROW_IN * _legend_rows(fitted(legend, width), width)
    return Figure(figsize=(width, height), layout="constrained")


def legend_columns(names: Sequence[str], width_in: float) -> int:
    """How many columns of entries fit below a figure of that width."""
    for columns in range(min(len(names), _LEGEND_COLUMNS_MAX), 1, -1):
        rows = math.ceil(len(names) / columns)
        parts = [names[first : first + rows] for first in range(0, len(names), rows)]
        widest = [_LEGEND_HANDLE_IN + _LEGEND_LETTER_IN * max(map(_line, part)) for part in parts]
        if sum(widest) <= width_in:
            return columns
    return 1


def _line(text: str) -> int:
    """The length of its longest line."""
    return max(map(len, text.splitlines()), default=0)


def _legend_rows(names: Sequence[str], width_in: float) -> int:
    """How many lines they take, of which some are broken."""
    if not names:
        return 0
    rows = math.ceil(len(names) / legend_columns(names, width_in))
    parts = [names[first : first + rows] for first in range(0, len(names), rows)]
    return max(sum(1 + name.count("\n") for name in part) for part in parts)


def fitted(names: Sequence[str], width_in: float) -> list[str]:
    """The entries of a legend, those broken that are wider than a figure of that width."""
    letters = max(12, int((width_in - _LEGEND_HANDLE_IN) / _LEGEND_LETTER_IN))
    return [textwrap.fill(name, letters) if len(name) > letters else name for name in names]


def add_legend(
    figure: Figure, handles: Sequence[Any], names: Sequence[str], title: str = ""
) -> None:
    """A legend below the axes. Handles may be tuples, whose artists lie on each other."""
    if names:
        names = fitted(names, figure.get_figwidth())
        columns = legend_columns(names, figure.get_figwidth())
        figure.legend(handles, names, loc="outside lower center", ncols=columns,
                      title=title or None)  # fmt: skip


def to_svg(figure: Figure, name: str, facecolor: str = "none") -> str:
    """The figure as an SVG element; *name* tells its identifiers from those of others."""
    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": name}):
        figure.savefig(text, format="svg", metadata=_NO_METADATA, facecolor=facecolor)
    svg = text.getvalue()
    return _shortened(with_properties(_with_prefix(svg[svg.index("<svg") :], name))).strip()


def to_plot(
    figure: Figure, name: str, title: str, description: str, *, titled: bool = False
) -> Plot:
    """The figure as a plot of a page, and as files."""
    with_own_decimals(figure)
    width_px = round(figure.get_figwidth() * _PX_PER_INCH)
    svg = to_svg(figure, name)
    files = {one: _DRAWN[one](figure) for one in _FORMATS.get()}
    return Plot(title, description, svg, width_px, files, titled)


def to_png(figure: Figure) -> bytes:
    """The figure as an image on white, for what cannot show an SVG."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=_PNG_DPI, facecolor="white",
                   metadata={"Software": None})  # fmt: skip
    return content.getvalue()


def to_pdf(figure: Figure) -> bytes:
    """The figure for LaTeX, its fonts in it; without a date, so that it repeats."""
    content = io.BytesIO()
    figure.savefig(content, format="pdf", metadata=_NO_PDF_METADATA)
    return content.getvalue()


_DRAWN: Mapping[Format, Callable[[Figure], bytes]] = {"pdf": to_pdf, "png": to_png}


def _with_prefix(svg: str, name: str) -> str:
    prefix = re.sub(r"[^a-z0-9]+", "-", name.lower())
    return in_tags(r'(\bid="|href="#|url\(#)', lambda match: f"{match[0]}{prefix}-", svg)


def _shortened(svg: str) -> str:
    """Coordinates to a hundredth of a point, which halves the page."""
    return in_tags(r"(\d\.\d\d)\d+", lambda match: match[1], svg)
