# SPDX-License-Identifier: GPL-2.0-or-later
"""How many claims of each paper hold, as a table for the terminal and in Markdown."""

from __future__ import annotations

from collections import Counter

from tsqlab.experiment.papers import papers
from tsqlab.report.pages.overview import Overview
from tsqlab.report.table import aligned
from tsqlab.report.verdicts import OUTCOMES, Outcome


def totals_rows(overview: Overview) -> list[list[str]]:
    """The table of totals: its head, a row per paper, and the sum."""
    head = ["paper", "claims", *OUTCOMES]
    rows = [_totals_row(paper, overview.count(paper)) for paper in overview.papers]
    return [head, *rows, _totals_row("all", overview.count())]


def _totals_row(name: str, count: Counter[Outcome]) -> list[str]:
    return [name, str(count.total()), *(str(count[outcome]) for outcome in OUTCOMES)]


def totals_text(overview: Overview) -> str:
    """The totals for the terminal."""
    return "\n".join(aligned(totals_rows(overview), left=1))


def totals_markdown(overview: Overview) -> str:
    """The totals as a table of Markdown, the papers with their titles."""
    head, *rows = totals_rows(overview)
    lines = [head, ["---", *("---:" for _ in head[1:])]]
    for name, *numbers in rows:
        paper = papers().get(name)
        lines.append([f"`{name}`: {paper.title}" if paper else name, *numbers])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
