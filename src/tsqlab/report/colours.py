# SPDX-License-Identifier: GPL-2.0-or-later
"""The colours of what is drawn, and how a page's light and dark themes govern them.

A drawing has plain colours. In a page, each of these becomes a custom property of the page with
that colour to fall back to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

INK, MUTED, GRID = "#202124", "#5f6368", "#d0d3d9"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""The colours of our style sheet."""

PROPERTIES: Mapping[str, str] = {INK: "--ink", MUTED: "--muted", GRID: "--rule"} | {
    colour: f"--series-{number}" for number, colour in enumerate(COLOURS, 1)
}
"""The page's custom property for each colour."""

PAPER, RAISED = "#ffffff", "#f5f6f8"
GROUNDS: Mapping[str, str] = {PAPER: "--paper", RAISED: "--raised"}
"""The same of what lies below. Plots have no ground of their own."""


def with_properties(svg: str, properties: Mapping[str, str] = PROPERTIES) -> str:
    """A drawing for a page."""

    def replace(match: re.Match[str]) -> str:
        colour = match[0].lower()
        return f"var({properties[colour]}, {colour})" if colour in properties else match[0]

    return in_tags(r"#[0-9a-fA-F]{6}\b", replace, svg)


def plain(svg: str) -> str:
    """A drawing of a page for a file of its own, where no page governs the colours."""
    return in_tags(r"var\(--[\w-]+, (#[0-9a-f]{6})\)", lambda match: match[1], svg)


def in_tags(pattern: str, replace: Callable[[re.Match[str]], str], svg: str) -> str:
    """Replace within tags only; what stands between them is the reader's text."""
    return re.sub(r"<[^>]*>", lambda tag: re.sub(pattern, replace, tag[0]), svg)
