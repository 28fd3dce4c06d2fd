# SPDX-License-Identifier: GPL-2.0-or-later
"""What ``tsqlab debug`` takes."""

from __future__ import annotations

import argparse
import re

from tsqlab.cli.options import add_cell, instant, later


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_cell(parser)
    parser.add_argument(
        "--at", type=instant, metavar="TIME",
        help="stop so long after the measurement has begun, as 1.5s; with --break, at the first "
        "such place from then on",
    )  # fmt: skip
    parser.add_argument(
        "--break", type=_place, action="append", default=[], dest="symbols", metavar="SYMBOL",
        help="stop at a function, or FILE:LINE, of the kernel or a module; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--command", action="append", default=[], dest="commands", metavar="GDBCOMMAND",
        help="what gdb is told when it has stopped; may be repeated, or given as input",
    )  # fmt: skip
    parser.add_argument(
        "--batch", action="store_true", help="end when that is done, as without a terminal"
    )
    parser.set_defaults(command=later("debug"))


def _place(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][\w.]{0,199}|[\w./-]{1,200}:[0-9]{1,9}", text, re.ASCII):
        message = f"expected a function, or FILE:LINE, not {text[:40]!r}"
        raise argparse.ArgumentTypeError(message)
    return text
