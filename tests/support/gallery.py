# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/gallery.md, read: each question with its experiment, its table and its answer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tsqlab.paths import ROOT

PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "gallery"
_SECTION = re.compile(
    r"^## .*?\n\n\[([\w-]+)\].*?^```text\n(.*?)^```\n(.*?)(?=^## |\Z)", re.M | re.S
)


@dataclass(frozen=True)
class Section:
    """A question of the page."""

    name: str  # of its experiment
    table: str
    answer: str


def sections() -> list[Section]:
    """The questions, in the page's order."""
    return [Section(*match.groups()) for match in _SECTION.finditer(PAGE.read_text("utf-8"))]


def write_table(name: str, table: str) -> None:
    """Put a table into the page, in the place of the one that is there."""

    def replace(match: re.Match[str]) -> str:
        if match[1] != name:
            return match[0]
        begin, end = (place - match.start() for place in match.span(2))
        return match[0][:begin] + table + match[0][end:]

    PAGE.write_text(_SECTION.sub(replace, PAGE.read_text("utf-8")), "utf-8")
