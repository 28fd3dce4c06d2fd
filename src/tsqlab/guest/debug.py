# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest in gdb, which is in the guest's sandbox: it stops at a virtual instant, or at a symbol.

The virtual clock stands still while somebody looks, so that nothing that is done there changes
what the guest measures, and the next run stops at the same instant, with the same packets at the
same addresses. gdb sees what a guest does, and the sources of this kernel and its modules.
"""

from __future__ import annotations

import json
import math
import os
import select
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.guest import boot
from tsqlab.guest.boot import Company, Machine, Watched, boot_arguments, watch
from tsqlab.guest.lifetime import die_with
from tsqlab.guest.own_modules import in_guest
from tsqlab.guest.places import DONE_FILE, IN_GDB, LINUX, MODULE_DIR, OUT_DIR, PLAN_DIR
from tsqlab.guest.plan import Plan
from tsqlab.guest.run import mounts_of, write_plan
from tsqlab.guest.sandbox import Mounts, program_in_guests, sandboxed
from tsqlab.guest.terminal import Terminal
from tsqlab.kernels import Kernel
from tsqlab.kernels.lines import source_of

_SCRIPT = Path(__file__).with_name("in_gdb.py")
_CONSOLE, _COMMANDS = "console", "gdb"
_CHUNK_BYTES = 1 << 16


@dataclass(frozen=True)
class Stop:
    """Where a guest is to stop, and what is asked there."""

    begin_ns: int  # when the measurement begins, after the boot
    at_ns: int | None = None  # an instant after the boot; None: none
    symbols: tuple[str, ...] = ()  # places in the code, from the instant on if there is one
    commands: tuple[str, ...] = ()  # what gdb is told there
    is_batch: bool = False  # whether gdb ends then, and has no terminal
    # The nodes, by the devices that each has: gdb knows the latter.
    node_of: Mapping[str, str] = field(default_factory=dict)


def run_in_gdb(machine: Machine, plan: Plan, stop: Stop, folder: Path, terminal: str) -> int:
    """Run a plan in gdb; gdb's exit status.

    *folder* is empty; what the guest leaves is in its folder out. *terminal* is the kind of the
    user's terminal, as TERM has it. Raises TsqlabError, and LeftError.
    """
    if not program_in_guests("gdb"):
        raise TsqlabError("no gdb; try: sudo apt-get install gdb")
    write_plan(plan, folder / "plan")
    commands = "".join(f"{command}\n" for command in stop.commands)
    (folder / "plan" / _COMMANDS).write_text(commands, "utf-8", "surrogateescape")
    # gdb is the host's.
    mounts = replace(mounts_of(plan, folder), programs=None)
    mounts = replace(mounts, shown={**mounts.shown, IN_GDB: _SCRIPT})
    mounts.out.mkdir()
    command = _command(machine, mounts, stop, terminal)
    # The guest may stand still for as long as somebody thinks.
    watched = Watched(mounts.out / _CONSOLE, mounts.out, math.inf)
    with ExitStack() as stack:
        process, company = _begun(command, stop, stack)
        try:
            why = watch(process, watched, company=company)
        finally:
            boot.end(process)
        company.attend(0.0)
    if why:
        raise TsqlabError(why)
    return process.returncode


def _begun(
    command: Sequence[str], stop: Stop, stack: ExitStack
) -> tuple[subprocess.Popen[bytes], Company]:
    """Start gdb; with it goes what *stack* ends."""
    if stop.is_batch:
        process = _started(command)
        assert process.stdout is not None
        stack.enter_context(process.stdout)
        return process, _Printing(process.stdout.fileno())
    screen = stack.enter_context(Terminal(sys.stdin.fileno(), sys.stdout.fileno()))
    process = _started(command, screen.inner)
    screen.pass_keys()
    return process, _AtTerminal(screen)


def _command(machine: Machine, mounts: Mounts, stop: Stop, terminal: str) -> list[str]:
    """gdb in the sandbox of the guest that it runs."""
    arguments = boot_arguments(machine)
    command = sandboxed(machine.kernel, mounts, machine.memory_bytes, arguments)
    sandbox = command[: -len(arguments) - 1]  # up to the kernel, which gdb runs instead
    at = sandbox.index("--remount-ro")
    words = [
        *sandbox[:at],
        *_seen(machine.kernel),
        *_told(machine.kernel, mounts, stop, terminal),
        *sandbox[at:],
    ]
    args = f"set args {shlex.join(arguments)} </dev/null >{OUT_DIR}/{_CONSOLE} 2>&1"
    steps = [word for step in (args, "run") for word in ("-ex", step)]
    then = ["-x", f"{PLAN_DIR}/{_COMMANDS}"] if stop.commands else []
    batch = ["-batch"] if stop.is_batch else []
    # The terminal is that of a session in the sandbox: what is outside has no number in there by
    # which gdb could take it back from the guest.
    session = [] if stop.is_batch else ["setsid", "--ctty", "--wait"]
    gdb = ["gdb", "-q", "-nx", *batch, "-x", IN_GDB, *steps, *then]
    return [*words, *session, *gdb, LINUX]


def _seen(kernel: Kernel) -> Iterator[str]:
    """What gdb sees beyond what a guest does, by the paths that debug information has."""
    folders = [kernel.linux.parent.resolve(), kernel.modules.resolve()]
    source = source_of(kernel.linux)
    folders += [source] if source and source.is_dir() else []
    # The guest runs as nobody, who could not enter folders that bubblewrap makes on the way to a
    # bind.
    ways = [way for folder in folders for way in reversed(folder.parents)]
    for way in dict.fromkeys(ways):
        yield from ("--dir", str(way))
    for folder in folders:
        yield from ("--ro-bind", str(folder), str(folder))
    # It looks at its child there.
    yield from ("--proc", "/proc")


def _told(kernel: Kernel, mounts: Mounts, stop: Stop, terminal: str) -> Iterator[str]:
    """What in_gdb.py is told."""
    modules = {file.stem: f"{MODULE_DIR}/{file.name}" for file in kernel.modules.glob("*.ko")}
    about = {
        "begin_ns": stop.begin_ns,
        "at_ns": stop.at_ns,
        "symbols": stop.symbols,
        "modules": {**modules, **in_guest(mounts.shown)},
        "node_of": dict(stop.node_of),
        "console": f"{OUT_DIR}/{_CONSOLE}",
        "done": DONE_FILE,
    }
    yield from ("--setenv", "TSQLAB_DEBUG", json.dumps(about))
    yield from ("--setenv", "TERM", terminal)


def _started(command: Sequence[str], terminal: int | None = None) -> subprocess.Popen[bytes]:
    """Start gdb, at a terminal if there is one."""
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL if terminal is None else terminal,
            stdout=subprocess.PIPE if terminal is None else terminal,
            stderr=subprocess.STDOUT if terminal is None else terminal,
            # The child takes no lock.
            preexec_fn=partial(die_with, os.getpid()),  # noqa: PLW1509
        )
    except FileNotFoundError as error:
        raise TsqlabError(f"no {error.filename}; try: tsqlab doctor") from error


class _AtTerminal:
    """The company of a gdb at the user's terminal."""

    inherited: tuple[int, ...] = ()

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    def attend(self, seconds: float) -> None:
        fds = self._terminal.fds
        self._terminal.turn(select.select(fds, [], [], seconds)[0])


class _Printing:
    """The company of a gdb that nobody is at: what it says is printed."""

    inherited: tuple[int, ...] = ()

    def __init__(self, said: int) -> None:
        self._said = said
        os.set_blocking(said, False)

    def attend(self, seconds: float) -> None:
        if not select.select([self._said], [], [], seconds)[0]:
            return
        while chunk := self._read():
            sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()

    def _read(self) -> bytes:
        try:
            return os.read(self._said, _CHUNK_BYTES)
        except BlockingIOError:
            return b""
