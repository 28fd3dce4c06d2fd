# SPDX-License-Identifier: GPL-2.0-or-later
"""What ``tsqlab report`` takes."""

from __future__ import annotations

import argparse
from pathlib import Path

from tsqlab.cli import folder
from tsqlab.cli.options import later
from tsqlab.results.plots import FORMATS


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "dirs", type=folder, nargs="*", metavar="DIR",
        help="the folder that tsqlab run wrote, or several, side by side; with --all, the folder "
        "of such folders (default: results)",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=folder, metavar="DIR",
        help="with several folders: where their common report goes (default: results/A+B)",
    )  # fmt: skip
    add_looks(parser)
    for name in FORMATS:
        parser.add_argument(
            f"--{name}", action="append_const", dest="formats", const=name,
            help=f"draw each figure as {name.upper()}, too, plots/*.{name}; SVG is always there",
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
    parser.set_defaults(command=later("report"), formats=[])


def add_looks(parser: argparse.ArgumentParser) -> None:
    """Add what stands in place of an experiment's own [report]."""
    parser.add_argument(
        "--against", action="append", default=[], metavar="FACTOR=LEVEL",
        help="columns of differences to that level, paired by seed",
    )  # fmt: skip
    parser.add_argument(
        "--columns", action="append", default=[], metavar="METRIC,...",
        help="what the table shows: columns of summary.csv",
    )  # fmt: skip
    parser.add_argument("--style", metavar="FILE", help="a matplotlib style sheet for the figures")
    parser.add_argument(
        "--size", metavar="SIZE", help='of each figure: "84 mm x 60 mm", or "84 mm", its width'
    )
    parser.add_argument(
        "--language", metavar="NAME", help="of the figures: en, de, or a file of words"
    )
