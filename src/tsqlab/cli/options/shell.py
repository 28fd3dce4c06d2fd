# SPDX-License-Identifier: GPL-2.0-or-later
"""What ``tsqlab shell`` takes."""

from __future__ import annotations

import argparse
import re

from tsqlab.cli import LATE
from tsqlab.cli.options import add_cell, add_sandbox, instant, later

SPEED_LEAST, SPEED_MOST = 0.01, 100.0
MAX = "max"


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_cell(parser)
    parser.add_argument(
        "node", nargs="?", help="where (default: the first node; tsqlab show names them)"
    )
    parser.add_argument(
        "-c", dest="script", metavar="COMMAND",
        help="run it in a shell there, without a terminal; a script may also be given as input",
    )  # fmt: skip
    parser.add_argument(
        "--at", type=instant, metavar="TIME",
        help="let the cell's flows run, and begin so long after the measurement has, as 1.5s or "
        "0s (default: no flows)",
    )  # fmt: skip
    parser.add_argument(
        "--speed", type=_speed, metavar="N",
        help=f"virtual seconds in a real one, {SPEED_LEAST:g} to {SPEED_MOST:g}, or {MAX}: as "
        f"fast as it can be (default: 1 at a terminal, {MAX} for a script)",
    )  # fmt: skip
    add_sandbox(parser)
    parser.set_defaults(command=later("shell"), **{LATE: "node"})


def _speed(text: str) -> float | str:
    if text == MAX:
        return MAX
    # float() takes more: "nan", "1_0", digits of other scripts.
    value = float(text) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text, re.ASCII) else 0.0
    if not SPEED_LEAST <= value <= SPEED_MOST:
        message = f"expected {SPEED_LEAST:g} to {SPEED_MOST:g}, or {MAX}, not {text[:20]!r}"
        raise argparse.ArgumentTypeError(message)
    return value
