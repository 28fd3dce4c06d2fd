# SPDX-License-Identifier: GPL-2.0-or-later
"""What the commands take that load the whole lab, apart from what they do.

So their --help, and a mistake in what is given, wait for nothing: pydantic, numpy and our own
schemas take half a second.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from importlib import import_module

from tsqlab.cli import jobs


def later(module: str) -> Callable[[argparse.Namespace], None]:
    """The command of that module of tsqlab.cli, which is loaded when the command is run."""

    def command(options: argparse.Namespace) -> None:
        import_module(f"tsqlab.cli.{module}").execute(options)

    return command


def add_jobs(parser: argparse.ArgumentParser, what: str) -> None:
    """How many of *what* are run at a time."""
    parser.add_argument(
        "--jobs", type=jobs, default=len(os.sched_getaffinity(0)), metavar="N",
        help=f"{what} at a time (default: one a CPU)",
    )  # fmt: skip
