# SPDX-License-Identifier: GPL-2.0-or-later
"""A program that need not know of the lab: its line in a plan, and how it ended.

What it does with time is its own affair, and some programs wait in a way that ends on any
machine but not in virtual time: agent/preload/ has libraries that make them wait otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.guest.instants import T0_NS
from tsqlab.guest.places import PRELOAD_DIR
from tsqlab.guest.testbed import PlanLine
from tsqlab.guest.testbed.common import program_line
from tsqlab.results.files import open_regular
from tsqlab.results.measurement import read_table

OUTPUT_BYTES = 1 << 20
"""How much is kept of what a program writes to each of its two streams."""


@dataclass(frozen=True)
class Program:
    """A program in a node, and when it may run."""

    node: str  # "-" is the guest's first namespace
    id: str  # its results' name, of up to 31 characters
    command: tuple[str, ...]
    limit_ns: int  # it is killed after so much virtual time
    folder: str = "/"  # where it starts
    start_ns: int = 0  # when it starts, from the measurement's start on
    preload: tuple[str, ...] = ()  # names of files in agent/preload, without their .c
    environment: Mapping[str, str] = field(default_factory=dict)
    t0_ns: int = T0_NS  # when the measurement starts

    def line(self) -> PlanLine:
        """The line of a plan that runs it."""
        start = self.t0_ns + self.start_ns
        words = [self.folder, *_surrounded(self.preload, self.environment), *self.command]
        return program_line(self.node, self.id, (start, start + self.limit_ns), OUTPUT_BYTES, words)


def _surrounded(libraries: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """What stands before a command that is preloaded, or has an environment of its own."""
    paths = " ".join(f"{PRELOAD_DIR}/{name}.so" for name in libraries)
    preloaded = {"LD_PRELOAD": paths} if paths else {}
    variables = [f"{name}={value}" for name, value in {**preloaded, **environment}.items()]
    return ["env", *variables] if variables else []


@dataclass(frozen=True)
class Ended:
    """How a program ended."""

    at_ns: int  # when, from the measurement's start on
    status: int | None  # what it returned; None if a signal ended it
    signal: int | None  # the signal that ended it
    stopped: bool  # whether that was the lab's, because its time was over
    out: str  # what it wrote to its standard output, up to OUTPUT_BYTES
    err: str  # and to its standard error
    lost_bytes: int  # how much more it wrote

    @property
    def succeeded(self) -> bool:
        """Whether it ended by itself and returned 0."""
        return self.status == 0 and not self.stopped


def read_ended(out: Path, program: str) -> Ended:
    """How the program with that id ended, from a guest's folder. Raises TsqlabError."""
    table = read_table(out / f"{program}.tsv")
    try:
        row = {name: int(values[0]) for name, values in table.items()}
        written = {stream: row[f"{stream}_bytes"] for stream in ("out", "err")}
        return Ended(
            at_ns=row["t_ns"],
            status=row["status"] if row["status"] >= 0 else None,
            signal=row["signal"] or None,
            stopped=bool(row["stopped"]),
            out=read_output(out, program, "out"),
            err=read_output(out, program, "err"),
            lost_bytes=sum(max(0, count - OUTPUT_BYTES) for count in written.values()),
        )
    except (LookupError, OSError) as error:
        raise TsqlabError(f"{out}: not what the guest says of a program: {error!r}") from error


def read_output(out: Path, program: str, stream: str) -> str:
    """What a program wrote to *stream*, "out" or "err", even if its guest died. Raises OSError."""
    with open_regular(out / f"{program}.{stream}", OUTPUT_BYTES, errors="replace") as file:
        return file.read()
