# SPDX-License-Identifier: GPL-2.0-or-later
"""What ``tsqlab show`` takes."""

from __future__ import annotations

import argparse
from pathlib import Path

from tsqlab.cli.options import later


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("experiment", help="a bundled experiment's name, or a file")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE",
        help="as of tsqlab run: another value of a key",
    )  # fmt: skip
    parser.add_argument(
        "--svg", type=Path, metavar="FILE", help="draw it as well: nodes, wires, media and flows"
    )
    parser.set_defaults(command=later("show"))
