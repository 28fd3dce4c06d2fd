# SPDX-License-Identifier: GPL-2.0-or-later
"""Looking around in a cell's testbed: a shell in a node, or a script that is run there.

The testbed is the cell's, whose flows run if the visit is at an instant of its measurement, and
nothing is kept of what they measure. A shell is on the user's terminal, and so its time is in step
with the real clock, unless a guest's usual time is asked for, which jumps. A script is given before
the guest boots, and its time jumps: it prints the same each time.
"""

from __future__ import annotations

import math
import os
import select
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from tsqlab.guest.boot import Company, Machine, run_guest
from tsqlab.guest.pacing import Pacer, Schedule
from tsqlab.guest.places import CLOCK, PLAN_DIR
from tsqlab.guest.plan import Plan
from tsqlab.guest.programs import nodes_by_name
from tsqlab.guest.run import mounts_of, write_plan
from tsqlab.guest.sandbox import program_in_guests
from tsqlab.guest.terminal import Terminal
from tsqlab.guest.testbed import PlanLine
from tsqlab.guest.testbed.common import program_line
from tsqlab.results.files import handle_of_regular
from tsqlab.results.measurement import read_table

OUTPUT_BYTES_MAX = 64 << 20
"""How much of what a script writes to each of its streams is shown."""

_ID = "shell"
_SCRIPT = "script"
_STEP_NS = 100_000_000  # no series is sampled by it
_EVER_NS = 1 << 60  # 36 years
_CHUNK_BYTES = 1 << 16
_KILLED = 128  # what a shell adds to the number of a signal


@dataclass(frozen=True)
class Visit:
    """Who looks at what, and when."""

    node: str
    begin_ns: int  # when the measurement begins, after the boot
    after_ns: int | None = None  # how long after that the shell does; None: no flows run
    script: str | None = None  # what is run in the place of a shell
    # How many virtual seconds pass in a real one; None: as many as the CPU can.
    speed: float | None = None

    @property
    def start_ns(self) -> int:
        """When the shell begins, after the boot."""
        return self.begin_ns + (self.after_ns or 0)


def visited(plan: Plan, visit: Visit, addresses: Mapping[str, str], terminal: str) -> Plan:
    """A cell's plan with a visitor, for whom there are the names of all nodes.

    *terminal* is the kind of the user's terminal, as TERM has it.
    """
    flows = plan.measurement[:-1] if visit.after_ns is not None else ()
    # The last clock has no end: the guest goes on until the visitor leaves.
    clock = ["clock", str(visit.begin_ns), str(_STEP_NS)]
    named, placed = nodes_by_name(addresses)
    script = {} if visit.script is None else {_SCRIPT: visit.script}
    files = {**plan.batches, **named, **script}
    line = _shell_line(visit, terminal) if visit.script is None else _script_line(visit)
    measurement = (*flows, clock, line, ["end"])
    return replace(plan, measurement=measurement, batches=files, placed={**plan.placed, **placed})


def _script_line(visit: Visit) -> PlanLine:
    period = visit.start_ns, visit.start_ns + _EVER_NS
    words = ["/tmp", "env", "HOME=/tmp", _SHELL, f"{PLAN_DIR}/{_SCRIPT}"]
    return ["script", *program_line(visit.node, _ID, period, OUTPUT_BYTES_MAX, words)[1:]]


def _shell_line(visit: Visit, terminal: str) -> PlanLine:
    """A shell that says at each prompt where it is, and when, in virtual time."""
    begin_s = visit.begin_ns // 10**9
    asks = f"read -r _s _ </proc/uptime; _s=$((${{_s%.*}} - {begin_s})).${{_s#*.}}"
    prompts = [f"PROMPT_COMMAND={asks}", f"PS1=[$_s s] {visit.node}:\\w# "]
    if _SHELL != "bash":
        prompts = [f"PS1={visit.node}# "]
    environment = ["env", "HOME=/tmp", f"TERM={terminal}", *prompts]
    options = ["--norc", "--noprofile"] if _SHELL == "bash" else []
    start = str(visit.start_ns)
    return ["shell", visit.node, _ID, start, *environment, _SHELL, *options, "-i"]


_SHELL = "bash" if program_in_guests("bash") else "sh"


def run_visit(machine: Machine, plan: Plan, visit: Visit, folder: Path) -> int:
    """Boot a guest with the visitor of a *plan*; the exit status of the shell.

    *folder* is empty, and not needed afterwards. Raises GuestError, and LeftError.
    """
    mounts, arguments = mounts_of(plan, folder), list(machine.arguments)
    write_plan(plan, mounts.plan)
    mounts.out.mkdir()
    with ExitStack() as stack:
        pacer = None
        if visit.speed is not None:
            pacer = Pacer(folder / "clock", Schedule(visit.speed, visit.start_ns))
            stack.callback(pacer.close)
            mounts = replace(mounts, shown={**mounts.shown, CLOCK: folder / "clock"})
            # Of two modes of time, the last one counts.
            arguments.append(f"time-travel=ext:{CLOCK}")
        company: Company
        if visit.script is None:
            screen = stack.enter_context(Terminal(sys.stdin.fileno(), sys.stdout.fileno()))
            arguments.append(f"con1=fd:{screen.inner}")
            company = _AtTerminal(screen, pacer)
            # A guest in which somebody thinks is not stuck, and one that is can be left.
            machine = replace(machine, stuck_after_s=math.inf)
        else:
            company = stack.enter_context(_Printing(mounts.out, pacer))
        machine = replace(machine, arguments=tuple(arguments))
        run_guest(machine, mounts, folder / "console", company=company)
    return _status(mounts.out)


def _status(out: Path) -> int:
    table = read_table(out / f"{_ID}.tsv")
    signal, status = int(table["signal"][-1]), int(table["status"][-1])
    return _KILLED + signal if signal else status


class _AtTerminal:
    """The company of a shell: the user's terminal, and the clock."""

    def __init__(self, terminal: Terminal, pacer: Pacer | None) -> None:
        self._terminal, self._pacer = terminal, pacer

    @property
    def inherited(self) -> tuple[int, ...]:
        return (self._terminal.inner,)

    def attend(self, seconds: float) -> None:
        readable = _attend(self._pacer, seconds, self._terminal.fds)
        self._terminal.turn(readable)


class _Printing:
    """The company of a script: what it has written so far is printed, and the clock is served."""

    inherited: tuple[int, ...] = ()

    def __init__(self, out: Path, pacer: Pacer | None) -> None:
        self._pacer = pacer
        self._streams: list[tuple[Path, BinaryIO]] = [
            (out / f"{_ID}.out", sys.stdout.buffer),
            (out / f"{_ID}.err", sys.stderr.buffer),
        ]
        self._handles: dict[Path, int] = {}

    def __enter__(self) -> _Printing:
        return self

    def __exit__(self, *_of_an_error: object) -> None:
        self._print()
        for handle in self._handles.values():
            os.close(handle)

    def attend(self, seconds: float) -> None:
        _attend(self._pacer, seconds, ())
        self._print()

    def _print(self) -> None:
        for path, stream in self._streams:
            with suppress(FileNotFoundError):  # it has not begun
                if path not in self._handles:
                    self._handles[path] = handle_of_regular(path)
            if path in self._handles:
                while chunk := os.read(self._handles[path], _CHUNK_BYTES):
                    stream.write(chunk)
                stream.flush()


def _attend(pacer: Pacer | None, seconds: float, files: tuple[int, ...]) -> list[int]:
    """Serve the clock within so many real seconds; which of *files* can be read now."""
    until = time.monotonic() + seconds
    while True:
        left = max(0.0, until - time.monotonic())
        wait = pacer.wait_s() if pacer else None
        fds = [*files, *(pacer.fds if pacer else ())]
        readable, _, _ = select.select(fds, [], [], left if wait is None else min(left, wait))
        if pacer:
            pacer.turn(any(fd in readable for fd in pacer.fds))
        theirs = [fd for fd in readable if fd in files]
        if theirs or left == 0.0:
            return theirs
