# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab report``: the table and the page of an experiment's folder, or of all."""

from __future__ import annotations

import argparse
from pathlib import Path

from tsqlab.cli import folder
from tsqlab.errors import TsqlabError, UsageError
from tsqlab.experiment.stored import read_folder
from tsqlab.report import claims_table, identical_lines, summary_table, what_ran, write_report

RESULTS = Path("results")
"""The folder that runs go to by default."""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "dir", type=folder, nargs="?",
        help="the folder that tsqlab run wrote; with --all, the folder of such folders "
        "(default: results)",
    )  # fmt: skip
    parser.add_argument(
        "--all", action="store_true",
        help="one page for every bundled experiment, DIR/index.html, and each one's report",
    )  # fmt: skip
    parser.add_argument(
        "--summary", choices=("text", "markdown"),
        help="with --all: print the totals, and make nothing",
    )  # fmt: skip
    parser.add_argument(
        "--readme", type=Path, metavar="FILE",
        help="with --all: put the totals and the figure into FILE, and make nothing else",
    )  # fmt: skip
    parser.set_defaults(command=_report)


def _report(options: argparse.Namespace) -> None:
    if options.all:
        _report_all(options)
    elif options.summary or options.readme:
        raise UsageError("--summary and --readme belong to --all")
    elif options.dir is None:
        raise UsageError("give the folder that tsqlab run wrote, or --all")
    else:
        show(options.dir)


def _report_all(options: argparse.Namespace) -> None:
    # matplotlib takes half a second, which commands that draw nothing need not wait for.
    from tsqlab.report import readme, totals  # noqa: PLC0415
    from tsqlab.report.pages.overview import read_overview  # noqa: PLC0415

    path = options.dir or RESULTS
    if options.readme:
        figure = readme.update_readme(options.readme, read_overview(path))
        print(f"wrote {options.readme} and {figure}")
    elif options.summary:
        write = {"text": totals.totals_text, "markdown": totals.totals_markdown}
        print(write[options.summary](read_overview(path)))
    else:
        show_all(path)


def show_all(path: Path, *, reports: bool = True) -> None:
    """Make the page of all experiments, and their *reports*; print its totals.

    Raises TsqlabError for damage.
    """
    from tsqlab.report.pages.overview import INDEX, make_overview  # noqa: PLC0415
    from tsqlab.report.totals import totals_text  # noqa: PLC0415

    made = make_overview(path, reports=reports)
    print(totals_text(made))
    print(f"report:  {path / INDEX}")
    if made.errors:
        raise TsqlabError("\n".join(f"{entry.name}: {entry.error}" for entry in made.errors))


def show(path: Path) -> None:
    """Make the report of a folder; print its table and where things are."""
    content = read_folder(path)
    report = write_report(content)
    for line in what_ran(content).lines():
        print(line)
    print(summary_table(path))
    for line in identical_lines(content):
        print(line)
    if claims := claims_table(content, report):
        print(claims)
    print(f"summary: {path / 'summary.csv'}")
    print(f"plots:   {path / 'plots'}/*.svg")
    print(f"report:  {report}")
