# SPDX-License-Identifier: GPL-2.0-or-later
"""What ``tsqlab tune`` takes."""

from __future__ import annotations

import argparse

from tsqlab.cli import count_to, folder
from tsqlab.cli.options import add_jobs, add_sandbox, later
from tsqlab.experiment.era import ERAS, TODAY

_MS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 12.0, 16.0)
_SEEDS_MAX = 1000


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("profile", help="a radio's profile (tsqlab list), or its file")
    parser.add_argument("--congestion-control", default="cubic", metavar="CC")
    parser.add_argument(
        "--ms", type=_ms, nargs="+", default=_MS, metavar="MS",
        help="what to try (default: 1 to 8, 12 and 16)",
    )  # fmt: skip
    parser.add_argument(
        "--seeds", type=count_to(_SEEDS_MAX), default=5, metavar="N", help="default: 5"
    )
    parser.add_argument("--length", default="20 s", help='of each upload (default: "20 s")')
    parser.add_argument("--kernel", default="6.12", metavar="NAME", help="one with CoTSQ")
    parser.add_argument(
        "--era", choices=list(ERAS), default=TODAY,
        help=f"{'; '.join(f'{era.name}: {era.title}' for era in ERAS.values())} (default: {TODAY})",
    )  # fmt: skip
    add_jobs(parser, "cells")
    parser.add_argument(
        "--out", type=folder, metavar="DIR", help="default: results/tune-PROFILE-CC[-ERA]"
    )
    add_sandbox(parser)
    parser.set_defaults(command=later("tune"))


def _ms(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.002 <= value <= 1000 or round(value * 1000) != value * 1000:
        message = f"expected ms from 0.002 to 1000, to the us, not {text!r}"
        raise argparse.ArgumentTypeError(message)
    return value
