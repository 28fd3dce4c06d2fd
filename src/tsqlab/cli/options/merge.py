# SPDX-License-Identifier: GPL-2.0-or-later
"""What ``tsqlab merge`` takes."""

from __future__ import annotations

import argparse

from tsqlab.cli import folder
from tsqlab.cli.options import later


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "dirs", type=folder, nargs="+", metavar="DIR",
        help="the folders that tsqlab run --shard wrote, or the folders of such folders",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=folder, metavar="DIR", required=True,
        help="where all results go; what is there of the same cells is kept",
    )  # fmt: skip
    parser.set_defaults(command=later("merge"))
