# SPDX-License-Identifier: GPL-2.0-or-later
"""What ``tsqlab explain`` takes."""

from __future__ import annotations

import argparse

from tsqlab.cli import folder
from tsqlab.cli.options import later


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "name", metavar="CLAIM|EXPERIMENT|CAUSE",
        help="a claim; or a bundled experiment or a cause, of which the claims are listed",
    )  # fmt: skip
    parser.add_argument(
        "--results", type=folder, metavar="DIR",
        help="the folder that tsqlab run wrote (default: results/CLAIM or results/EXPERIMENT, if "
        "it is there)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="the same as one document of JSON")
    parser.set_defaults(command=later("explain"))
