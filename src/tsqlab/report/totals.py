# SPDX-License-Identifier: GPL-2.0-or-later
"""How many claims of each paper hold, as a table for the terminal and in Markdown."""

from __future__ import annotations

from tsqlab.experiment.papers import papers
from tsqlab.report.pages.overview import Overview
from tsqlab.report.since import changed_lines
from tsqlab.report.table import aligned, markdown


def totals_rows(overview: Overview) -> list[list[str]]:
    """The table of totals: its head, a row per paper, and the sum."""
    today = ["holds today"] if overview.has_today else []
    rows = [_totals_row(overview, paper, paper) for paper in overview.papers]
    total = _totals_row(overview, "all", None)
    return [["paper", "claims", *overview.outcomes, *today], *rows, total]


def _totals_row(overview: Overview, name: str, paper: str | None) -> list[str]:
    count = overview.count(paper)
    numbers = (str(count[outcome]) for outcome in overview.outcomes)
    today = [overview.holds_today(paper)] if overview.has_today else []
    return [name, str(count.total()), *numbers, *today]


def causes_rows(overview: Overview) -> list[list[str]]:
    """The table of what differs: its head, and a row per cause."""
    rows = [[name or "none", title, str(number)] for name, title, number in overview.causes]
    return [["differs by", "", "claims"], *rows]


def totals_text(overview: Overview) -> str:
    """The totals for the terminal, those by cause among them."""
    lines = [*aligned(totals_rows(overview), left=1), overview.left_out]
    if overview.causes:
        lines += ["", *aligned(causes_rows(overview), left=2)]
    if overview.judged:
        lines += ["", *changed_lines(overview.rows, "their own era")]
    return "\n".join(lines).rstrip()


def totals_markdown(overview: Overview) -> str:
    """The totals as a table of Markdown, the papers with their titles."""
    head, *rows = totals_rows(overview)
    titles = {name: f"`{name}`: {paper.title}" for name, paper in papers().items()}
    return markdown(head, ([titles.get(name, name), *numbers] for name, *numbers in rows))
