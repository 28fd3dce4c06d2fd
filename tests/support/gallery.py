# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages of questions, read: each with its experiment, its table and its answer: docs/gallery.md.

Other pages may have such sections, too, under headings of another level.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tsqlab.paths import ROOT

PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "gallery"


def _section(level: int) -> re.Pattern[str]:
    head = "#" * level
    return re.compile(
        rf"^{head} (?:(?!^#).)*?\n\n\[([\w-]+)\]\(.*?^```text\n(.*?)^```\n(.*?)(?=^##|\Z)",
        re.M | re.S,
    )


_SECTION = _section(2)


@dataclass(frozen=True)
class Section:
    """A question of the page."""

    name: str  # of its experiment
    table: str
    answer: str


def sections(page: Path = PAGE, level: int = 2) -> list[Section]:
    """The questions, in the page's order."""
    return [Section(*match.groups()) for match in _section(level).finditer(page.read_text("utf-8"))]


def write_table(name: str, table: str, page: Path = PAGE) -> None:
    """Put a table into the page, in the place of the one that is there."""

    def replace(match: re.Match[str]) -> str:
        if match[1] != name:
            return match[0]
        begin, end = (place - match.start() for place in match.span(2))
        return match[0][:begin] + table + match[0][end:]

    page.write_text(_SECTION.sub(replace, page.read_text("utf-8")), "utf-8")


def numbers(text: str) -> set[str]:
    """The numbers in a text, but for those in names: 54 of "54 Mbit/s", none of "AP1"."""
    return set(re.findall(r"(?<![\w.])[0-9]+(?:\.[0-9]+)?(?![\w])", text))
