# SPDX-License-Identifier: GPL-2.0-or-later
"""How many claims of each paper hold, as a table for the terminal and in Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tsqlab.experiment.papers import papers
from tsqlab.report.pages.overview import Overview
from tsqlab.report.table import aligned
from tsqlab.report.verdicts import Outcome


def totals_rows(overview: Overview) -> list[list[str]]:
    """The table of totals: its head, a row per paper, and the sum."""
    outcomes = overview.outcomes
    rows = [_totals_row(paper, overview.count(paper), outcomes) for paper in overview.papers]
    total = _totals_row("all", overview.count(), outcomes)
    return [["paper", "claims", *outcomes], *rows, total]


def _totals_row(name: str, count: Counter[Outcome], outcomes: Sequence[Outcome]) -> list[str]:
    return [name, str(count.total()), *(str(count[outcome]) for outcome in outcomes)]


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
