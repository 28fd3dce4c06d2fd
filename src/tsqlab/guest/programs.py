# SPDX-License-Identifier: GPL-2.0-or-later
"""A cell's ``[[program]]`` tables in its guest: what starts them, and what became of each."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeVar

from tsqlab.errors import TsqlabError, one_line
from tsqlab.experiment.printed import FigureTable, SeriesTable
from tsqlab.experiment.program_table import ProgramTable, names
from tsqlab.experiment.spec import Spec
from tsqlab.guest.places import HOSTS, NSSWITCH
from tsqlab.guest.program import Ended, Program, read_ended
from tsqlab.guest.sandbox import program_in_guests
from tsqlab.guest.testbed.common import PlanLine
from tsqlab.metrics.programs import RAN
from tsqlab.results.measurement import ProgramRun
from tsqlab.results.programs import program_text
from tsqlab.units import Duration

Found = TypeVar("Found")

_SLACK_NS = 1_000_000_000  # a program may round its times to seconds
_LAST_LINES = 5
_LINE_MAX = 300

_HOSTS_FILE, _NSSWITCH_FILE = "hosts", "nsswitch.conf"


def program_lines(spec: Spec, t0_ns: int) -> Iterator[PlanLine]:
    """The lines of a plan that run a cell's programs; its measurement starts at *t0_ns*."""
    for number, table in enumerate(spec.program, 1):
        yield _program(number, table, spec, t0_ns).line()


def _program(number: int, table: ProgramTable, spec: Spec, t0_ns: int = 0) -> Program:
    begin_ns = table.begin_ns(spec.flows.delay)
    return Program(
        node=table.node,
        id=f"program-{number}",
        command=table.command,
        limit_ns=table.end_ns(spec.flows.delay, spec.flows.length) - begin_ns,
        folder=table.folder,
        start_ns=begin_ns,
        preload=table.preload,
        environment=table.environment,
        t0_ns=t0_ns,
    )


def name_files(spec: Spec) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The files by which programs find nodes by their names, and where guests see them."""
    return nodes_by_name(spec.testbed.graph.addresses) if spec.program else ({}, {})


def nodes_by_name(addresses: Mapping[str, str]) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The same of nodes of these addresses, whoever looks for them."""
    known = {"localhost": "127.0.0.1", **addresses}
    files = {
        _HOSTS_FILE: "".join(f"{address}\t{name}\n" for name, address in known.items()),
        _NSSWITCH_FILE: "hosts: files\n",
    }
    return files, {HOSTS: _HOSTS_FILE, NSSWITCH: _NSSWITCH_FILE}


def executable(table: ProgramTable, shown: Mapping[str, Path]) -> Path | None:
    """The host's file that a command runs in a guest that sees *shown*; None if there is none."""
    name = table.command[0]
    if "/" not in name:
        return program_in_guests(name)
    path = PurePosixPath(os.path.normpath(PurePosixPath(table.folder) / name))
    for there, here in shown.items():
        if path.is_relative_to(there):
            found = here / path.relative_to(there)
            return found if found.is_file() else None
    return program_in_guests(str(path))


@dataclass(frozen=True)
class Outcome:
    """What became of a program."""

    table: ProgramTable
    name: str
    ended: Ended
    begin_ns: int  # from the measurement's start on

    @property
    def title(self) -> str:
        """What an error calls it."""
        return f'program "{self.name}" in {self.table.node}'

    @property
    def ran_s(self) -> float:
        """For how long it ran."""
        return Duration(self.ended.at_ns - self.begin_ns).s

    @property
    def why_failed(self) -> str:
        """What was not to be, as a sentence's end; empty if it did what it was to do."""
        ended = self.ended
        if ended.stopped and self.table.stop is None:
            return f'still runs at the end, after {self.ran_s:.3g} s; one that may has stop = "end"'
        if ended.stopped:
            return ""  # a status then says no more than that it was told to end
        if ended.signal is not None:
            return f"was ended by {_signal(ended.signal)}"
        return f"returned {ended.status}" if ended.status else ""

    def check(self) -> None:
        """Raises TsqlabError with its last words if it has failed and may not."""
        if self.why_failed and not self.table.may_fail:
            command = f"$ {shlex.join(self.table.command)}"
            said = _last_lines(self.ended.err) or _last_lines(self.ended.out)
            raise TsqlabError("\n  ".join([f"{self.title} {self.why_failed}", command, *said]))

    def run(self, start_unix_s: float) -> ProgramRun:
        """It as a part of a measurement that starts at *start_unix_s* by the guest's clock.

        Raises TsqlabError if a number is not in what it printed.
        """
        figures = {} if self.ended.stopped else {RAN: self.ran_s}
        series: dict[str, list[tuple[int, float]]] = {}
        if not self.why_failed:
            for figure in self.table.figure:
                figures[figure.column] = self._read(figure, figure.of)
            for table in self.table.series:
                from_s = self.begin_ns / 1e9 if table.clock == "program" else -start_unix_s
                pairs = self._read(table, table.of)
                series[table.column] = [
                    (self._instant(from_s, at_s, table.column), value) for at_s, value in pairs
                ]
        return ProgramRun(
            self.table.node, self.begin_ns, self.ended.at_ns, self.ended.status,
            self.ended.signal, self.ended.stopped, figures, series,
        )  # fmt: skip

    @property
    def text(self) -> str:
        """How it ended, as the file beside what it printed says it."""
        ended = self.ended
        run = ProgramRun(self.table.node, self.begin_ns, ended.at_ns, ended.status, ended.signal,
                         ended.stopped)  # fmt: skip
        return program_text(run, self.table.command, ended.lost_bytes)

    def _instant(self, from_s: float, at_s: float, column: str) -> int:
        """When a value was, in ns from the measurement's start on. Raises TsqlabError."""
        at_ns = round((from_s + at_s) * 1e9)
        if not -_SLACK_NS <= at_ns - self.begin_ns <= self.ended.at_ns - self.begin_ns + _SLACK_NS:
            raise TsqlabError(
                f"{self.title}: {column}: {at_s:.15g} s is no time at which it ran; expected "
                'seconds since its start, or, with clock = "unix", since 1970'
            )
        return at_ns

    def _read(self, table: FigureTable | SeriesTable, read: Callable[[str], Found]) -> Found:
        try:
            return read(self.ended.out if table.stream == "stdout" else self.ended.err)
        except ValueError as error:
            raise TsqlabError(f"{self.title}: {table.column}: {error}") from None


def outcomes(out: Path, spec: Spec) -> list[Outcome]:
    """What became of a cell's programs, from its guest's folder. Raises TsqlabError."""
    named = zip(names(spec.program), spec.program, strict=True)
    return [
        Outcome(table, name, read_ended(out, f"program-{number}"), table.begin_ns(spec.flows.delay))
        for number, (name, table) in enumerate(named, 1)
    ]


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _last_lines(text: str) -> list[str]:
    lines = [one_line(line)[:_LINE_MAX] for line in text.splitlines() if line.strip()]
    return lines[-_LAST_LINES:]
