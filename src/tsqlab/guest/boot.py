# SPDX-License-Identifier: GPL-2.0-or-later
"""Booting a guest and staying with it to its end.

Time inside is virtual (time-travel=inf-cpu): when every process sleeps, the clock jumps to the
next timer. So a guest has no use for the real clock, but its host has: a guest that prints no
virtual second for a while is stuck, and is ended.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.guest.lifetime import die_with
from tsqlab.guest.places import AGENT, DONE_NAME
from tsqlab.guest.plan import BOOT_UNIX_NS
from tsqlab.guest.sandbox import Mounts, sandboxed
from tsqlab.kernels import Kernel

STUCK_AFTER_S = 60.0
"""Real seconds without a word from the guest, which speaks twenty times a virtual second."""

_POLL_S = 0.02
_TICK = re.compile(r"^tsqlab: t (\d+) ms$", re.MULTILINE)
_LAST_LINES = 15


class GuestError(TsqlabError):
    """A guest that did not do its work; the message has its last console lines."""


@dataclass(frozen=True)
class Machine:
    """How a guest is made."""

    kernel: Kernel
    memory_bytes: int
    seed: int  # of the guest's random numbers
    cpu: int | None = None  # the host's, to stay on: unpinned costs up to three times as much
    arguments: tuple[str, ...] = ()  # further ones of the kernel's command line
    stuck_after_s: float = STUCK_AFTER_S  # of real time in which virtual time stands still


def boot_arguments(machine: Machine) -> list[str]:
    """The kernel command line."""
    return [
        f"mem={machine.memory_bytes // 1024}K",
        "time-travel=inf-cpu",
        f"time-travel-start={BOOT_UNIX_NS}",
        f"random-seed={machine.seed}",
        *("root=/dev/root", "rootfstype=hostfs", "ro", f"init={AGENT}"),
        *("con=null", "con0=null,fd:1", "norandmaps"),
        # A fault ends the guest at once, with a word on the console.
        *("panic=-1", "oops=panic"),
        *machine.arguments,
    ]


def run_guest(
    machine: Machine,
    mounts: Mounts,
    console: Path,
    on_second: Callable[[int], None] | None = None,
) -> None:
    """Boot a guest, wait for its end, and see that it says it is done.

    *console* becomes the log of its console. *on_second* is told each virtual second of the
    measurement. Raises GuestError when the guest panics, gets stuck or fails otherwise.
    """
    command = sandboxed(machine.kernel, mounts, boot_arguments(machine))
    if machine.cpu is not None:
        command = ["taskset", "-c", str(machine.cpu), *command]
    # Without address randomisation the guest's kernel is at the same place every time.
    command = ["setarch", "--addr-no-randomize", *command]
    with console.open("wb") as log:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                # bubblewrap does this too, but not before it runs. The child takes no lock.
                preexec_fn=partial(die_with, os.getpid()),  # noqa: PLW1509
            )
        except FileNotFoundError as error:
            raise TsqlabError(f"no {error.filename}; try: tsqlab doctor") from error
    try:
        why = _watch(process, console, on_second, machine.stuck_after_s)
    finally:
        _end(process)
    if why is None and not (mounts.out / DONE_NAME).exists():
        why = f"the guest ended before its work (status {process.returncode})"
    if why:
        raise GuestError(f"{why}; its last words:\n{_last_words(console)}")


def _watch(
    process: subprocess.Popen[bytes],
    console: Path,
    on_second: Callable[[int], None] | None,
    stuck_after_s: float,
) -> str | None:
    """Wait for the end; None, or why it was not waited for."""
    size, heard, second = 0, time.monotonic(), -1
    while process.poll() is None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_POLL_S)
        now = time.monotonic()
        if (grown := console.stat().st_size) != size:
            size, heard = grown, now
            if on_second and (latest := _latest_second(console)) > second:
                second = latest
                on_second(second)
        if now - heard > stuck_after_s:
            return f"the guest's virtual time has stood still for {stuck_after_s:.0f} s"
    return None


def _latest_second(console: Path) -> int:
    with console.open("rb") as log:
        log.seek(max(0, console.stat().st_size - 200))
        seconds = _TICK.findall(log.read().decode(errors="replace").replace("\r", ""))
    return int(seconds[-1]) // 1000 if seconds else -1


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ending bubblewrap ends its process namespace, and with it the whole guest."""
    if process.poll() is None:
        process.kill()
        process.wait()


def _last_words(console: Path) -> str:
    lines = console.read_text(errors="replace").replace("\r", "").splitlines()
    said = [line for line in lines if line.strip() and not _TICK.match(line)]
    booted = [number for number, line in enumerate(said) if " as init process" in line]
    said = said[booted[-1] + 1 :] if booted else said
    return "\n".join(f"  {line}" for line in said[-_LAST_LINES:])
