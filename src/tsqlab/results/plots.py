# SPDX-License-Identifier: GPL-2.0-or-later
"""The folder of plots: each an SVG, as the page has it, and in the formats that were asked for.

A PDF has a font's outlines in it and a PNG is drawn point by point: each takes longer than the SVG,
and most reports are read in a browser only.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Literal, get_args

Format = Literal["pdf", "png"]
FORMATS: tuple[Format, ...] = get_args(Format)
"""The formats besides SVG, by the suffixes of their files."""

PLOTS = "plots"


def formats_of(folder: Path, asked: Collection[Format] = ()) -> tuple[Format, ...]:
    """The formats of a results folder's plots: those *asked* for, and those that are there.

    A plot that is there from an earlier report would otherwise show other results than the page.
    """
    plots = folder / PLOTS
    return tuple(one for one in FORMATS if one in asked or any(plots.glob(f"*.{one}")))
