# SPDX-License-Identifier: GPL-2.0-or-later
"""What ``tsqlab new`` takes."""

from __future__ import annotations

import argparse

from tsqlab.cli.options import later
from tsqlab.experiment.starters import starters

USUAL = "wifi"


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "name", nargs="?", default="mine",
        help="of the file, .toml being added if it is not there (default: mine)",
    )  # fmt: skip
    parser.add_argument(
        "--like", choices=list(starters()), default=USUAL,
        help=f"what it begins with: radios, wires, a graph of both, flows one by one, or programs "
        f"(default: {USUAL})",
    )  # fmt: skip
    parser.set_defaults(command=later("new"))
