# SPDX-License-Identifier: GPL-2.0-or-later
"""The README's results: the figure and the totals, between two marks."""

from __future__ import annotations

import textwrap
from pathlib import Path

from tsqlab.errors import FileError, TsqlabError
from tsqlab.report import hosts
from tsqlab.report.pages.overview import Entry, Overview
from tsqlab.report.plots import headline
from tsqlab.report.totals import totals_markdown
from tsqlab.results.files import write_whole

_COLUMNS = 95
_BEGIN, _END = "<!-- results: made by `make readme` -->", "<!-- end of results -->"


def update_readme(readme: Path, overview: Overview) -> Path:
    """Put the figure and the totals between the README's marks. Raises TsqlabError.

    Returns the figure's file, docs/headline.svg beside the README.
    """
    text = readme.read_text("utf-8")
    begin, end = text.find(_BEGIN), text.find(_END)
    if begin < 0 or end < begin:
        raise FileError(readme, f"no place for the results: expected the lines {_BEGIN} and {_END}")
    if overview.headline is None:
        raise TsqlabError(
            f"{overview.path}: no results of {headline.EXPERIMENT} for the figure; "
            f"tsqlab run {headline.EXPERIMENT}"
        )
    if not overview.hosts:
        raise TsqlabError(
            f"{overview.path}: no results of {hosts.EXPERIMENT} for the table; "
            f"tsqlab run {hosts.EXPERIMENT}"
        )
    figure = readme.parent / "docs" / "headline.svg"
    write_whole(figure, overview.headline.encode() + b"\n")
    block = "\n".join([
        _BEGIN,
        f"![Goodput and ping of one upload: {overview.headline_text}](docs/headline.svg)",
        "",
        *_caption(overview),
        "",
        overview.hosts,
        "",
        *_claims(overview),
        "",
        totals_markdown(overview),
        "",
        "",
    ])  # fmt: skip
    write_whole(readme, (text[:begin] + block + text[end:]).encode())
    return figure


def _caption(overview: Overview) -> list[str]:
    shown = _entry(overview, headline.EXPERIMENT)
    second = _entry(overview, hosts.EXPERIMENT)
    return _wrapped(
        f"{headline.caption()}, Linux {shown.run['Linux']}, seeds {shown.run['seeds']}, mean and "
        "95 % interval. The host is one of the papers' time. The same upload from it and from a "
        f"host of today ([why they differ](docs/experiments.md#eras)), seeds {second.run['seeds']}:"
    )


def _claims(overview: Overview) -> list[str]:
    done = sum(entry.done for entry in overview.entries)
    hours = sum(entry.simulated_s for entry in overview.entries) / 3600
    today = (
        "Each is judged in its paper's era; the last column is of the same cells over hosts "
        "of today. "
        if overview.has_today
        else ""
    )
    return _wrapped(
        f"What the papers claim, held against {done} runs, {hours:.1f} hours of virtual time "
        f"([docs/claims.md](docs/claims.md)). {overview.left_out} {today}What differs, by cause: "
        "[docs/differences.md](docs/differences.md)."
    )


def _entry(overview: Overview, name: str) -> Entry:
    return next(entry for entry in overview.entries if entry.name == name)


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _COLUMNS, break_long_words=False, break_on_hyphens=False)
