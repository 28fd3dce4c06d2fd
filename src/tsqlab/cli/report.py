# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab report``: the table and the page of an experiment's folder."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from tsqlab.cli import folder
from tsqlab.report import claims_table, make_report, summary_table


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("report", help="make report.html again, print the summary")
    parser.add_argument("dir", type=folder, help="the folder that tsqlab run wrote")
    parser.set_defaults(command=_report)


def _report(options: argparse.Namespace) -> None:
    show(options.dir)


def show(path: Path) -> None:
    """Make the report of a folder; print its table and where things are."""
    report = make_report(path)
    print(summary_table(path))
    if claims := claims_table(path):
        print(claims)
    print(f"summary: {path / 'summary.csv'}")
    print(f"plots:   {path / 'plots'}/*.svg")
    print(f"report:  {report}")
