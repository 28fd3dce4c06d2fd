# SPDX-License-Identifier: GPL-2.0-or-later
"""What the commands take that load the whole lab, apart from what they do.

So their --help, and a mistake in what is given, wait for nothing: pydantic, numpy and our own
schemas take half a second.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from importlib import import_module

from tsqlab.bubblewrap import KINDS, NONE, VARIABLE, wanted
from tsqlab.cli import jobs
from tsqlab.units import Duration


def later(module: str) -> Callable[[argparse.Namespace], int | None]:
    """The command of that module of tsqlab.cli, which is loaded when the command is run."""

    def command(options: argparse.Namespace) -> int | None:
        _choose_sandbox(getattr(options, "sandbox", None))
        status: int | None = import_module(f"tsqlab.cli.{module}").execute(options)
        return status

    return command


def _choose_sandbox(given: str | None) -> None:
    """Set it for this process and those that it starts, and say what it costs."""
    if given is not None:
        os.environ[VARIABLE] = given
    if wanted() == NONE:
        # They look at this machine's kernel, which --help need not wait for.
        from tsqlab.guest.sandbox import confines_files, cost_of_none  # noqa: PLC0415

        if given or not confines_files():
            print(f"tsqlab: {cost_of_none()}", file=sys.stderr)


def add_sandbox(parser: argparse.ArgumentParser) -> None:
    """What guests are run in."""
    parser.add_argument(
        "--sandbox", choices=KINDS,
        help=f"of guests: bubblewrap's (the default), or {NONE} where that is refused, as in a "
        f"container ({VARIABLE} says it for all commands; docs/sandbox.md: what it costs)",
    )  # fmt: skip


def add_cell(parser: argparse.ArgumentParser) -> None:
    """One cell of an experiment."""
    parser.add_argument("experiment", help="a bundled experiment's name, or a file")
    parser.add_argument(
        "--cell", metavar="CELL",
        help="which, by its name as tsqlab run has it, or its number (default: 1)",
    )  # fmt: skip
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE",
        help="as of tsqlab run: another value of a key",
    )  # fmt: skip


def instant(text: str) -> Duration:
    """An argument that is an instant of the measurement, by its distance from the beginning."""
    try:
        return Duration.of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def add_jobs(parser: argparse.ArgumentParser, what: str) -> None:
    """How many of *what* are run at a time."""
    parser.add_argument(
        "--jobs", type=jobs, default=len(os.sched_getaffinity(0)), metavar="N",
        help=f"{what} at a time (default: one a CPU)",
    )  # fmt: skip
