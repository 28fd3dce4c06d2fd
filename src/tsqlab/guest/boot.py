# SPDX-License-Identifier: GPL-2.0-or-later
"""Booting a guest and staying with it to its end.

Time inside is virtual (time-travel=inf-cpu): when every process sleeps, the clock jumps to the
next timer. So a guest does not need the real clock. The host does: a guest whose console says
nothing for a while is stuck, and is ended.
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
from typing import Protocol

from tsqlab.bubblewrap import BWRAP, NONE, Refusal, wanted
from tsqlab.errors import TsqlabError
from tsqlab.guest import own_modules
from tsqlab.guest.lifetime import die_with
from tsqlab.guest.places import AGENT, DONE_NAME
from tsqlab.guest.plan import BOOT_UNIX_NS
from tsqlab.guest.sandbox import Mounts, refused, sandboxed
from tsqlab.guest.words import DIED, last_words
from tsqlab.kernels import Kernel
from tsqlab.results.files import is_regular

STUCK_AFTER_S = 60.0
"""A guest that prints nothing for so many real seconds is stuck:
it prints 20 times in a virtual second."""

STOOD_STILL = "the guest's virtual time has stood still"

OUT_BYTES_MAX = 8 << 30
OUT_FILES_MAX = 100_000
CONSOLE_BYTES_MAX = 256 << 20
_MEASURE_EVERY_S = 1.0
"""How often the size of a guest's results is checked, in real seconds."""

_POLL_S = 0.02
_END_S = 10.0
_REFUSED = b"bwrap: "
_TICK = re.compile(r"^tsqlab: t (\d+) ms$", re.MULTILINE)


class GuestError(TsqlabError):
    """A guest that did not do its work; the message has its last console lines."""

    def __init__(self, why: str, last_words: tuple[str, ...]) -> None:
        """*why* it did not, and its last words."""
        super().__init__(why, last_words)  # as an exception needs it to be pickled
        self.why, self.last_words = why, last_words

    @property
    def died(self) -> bool:
        """Whether the kernel did, of a panic, a BUG or a fault."""
        return self.why.startswith(DIED)

    def __str__(self) -> str:
        """Both, as lines."""
        return "\n  ".join((f"{self.why}; its last words:", *self.last_words))


@dataclass(frozen=True)
class Machine:
    """The machine that a guest is booted on."""

    kernel: Kernel
    memory_bytes: int
    seed: int  # the seed of the guest's random numbers
    # The CPU of the host to stay on. A guest that is not pinned costs up to three times as much.
    cpu: int | None = None
    arguments: tuple[str, ...] = ()  # more arguments for the kernel command line
    stuck_after_s: float = STUCK_AFTER_S  # how many real seconds virtual time may stand still
    ends_after_s: float | None = None  # how many real seconds it may take in all; None: any


class Company(Protocol):
    """Something of the host's that goes on beside a guest, such as a terminal."""

    @property
    def inherited(self) -> tuple[int, ...]:
        """The files that the guest's process has open, too."""

    def attend(self, seconds: float) -> None:
        """Do what there is to do within so many real seconds."""


def boot_arguments(machine: Machine) -> list[str]:
    """The kernel command line."""
    return [
        f"mem={machine.memory_bytes // 1024}K",
        "time-travel=inf-cpu",
        f"time-travel-start={BOOT_UNIX_NS}",
        f"random-seed={machine.seed}",
        *("root=/dev/root", "rootfstype=hostfs", "ro", f"init={AGENT}"),
        *("con=null", "con0=null,fd:1", "norandmaps"),
        # A fault ends the guest at once, with a message on the console.
        *("panic=-1", "oops=panic"),
        *machine.arguments,
    ]


def run_guest(
    machine: Machine,
    mounts: Mounts,
    console: Path,
    on_second: Callable[[int], None] | None = None,
    company: Company | None = None,
) -> None:
    """Boot a guest, wait until it ends, and check that it has done its work.

    *console* becomes the log of its console. *on_second* is called with each virtual second of
    the measurement, and *company* attends to what else goes on. Raises GuestError when the guest
    panics, gets stuck or fails otherwise.
    """
    arguments = boot_arguments(machine)
    command = sandboxed(machine.kernel, mounts, machine.memory_bytes, arguments)
    if machine.cpu is not None:
        command = ["taskset", "-c", str(machine.cpu), *command]
    with console.open("wb") as log:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=company.inherited if company else (),
                # bubblewrap does this too, but only once it runs. The child takes no lock.
                preexec_fn=partial(die_with, os.getpid()),  # noqa: PLW1509
            )
        except FileNotFoundError as error:
            raise TsqlabError(f"no {error.filename}; try: tsqlab doctor") from error
    try:
        watched = Watched(console, mounts.out, machine.stuck_after_s, machine.ends_after_s)
        why = watch(process, watched, on_second, company)
    finally:
        end(process)
    if why is None and not is_regular(mounts.out / DONE_NAME):
        why = f"the guest ended before its work (status {process.returncode})"
    if why:
        if why_refused := _refused(console):
            raise TsqlabError(str(why_refused))
        modules = own_modules.files(machine.kernel, mounts.shown)
        raise GuestError(*last_words(console, why, machine.kernel.linux, modules))


def _refused(console: Path) -> Refusal | None:
    """Why there was no sandbox, if the console has bubblewrap's words and it still is refused."""
    with console.open("rb") as log:
        is_said = log.read(len(_REFUSED)) == _REFUSED
    return refused() if is_said and wanted() == BWRAP else None


@dataclass(frozen=True)
class Watched:
    """What is watched while a guest runs."""

    console: Path
    out: Path
    stuck_after_s: float
    ends_after_s: float | None = None


def watch(
    process: subprocess.Popen[bytes],
    watched: Watched,
    on_second: Callable[[int], None] | None = None,
    company: Company | None = None,
) -> str | None:
    """Wait until the guest ends. Returns None, or why it has to be ended before."""
    size, second = 0, -1
    begun = heard = measured = time.monotonic()
    while process.poll() is None:
        if company is not None:
            company.attend(_POLL_S)
        else:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_POLL_S)
        now = time.monotonic()
        if (grown := _size(watched.console)) != size:
            size, heard = grown, now
            if on_second and (latest := _latest_second(watched.console)) > second:
                second = latest
                on_second(second)
        if now - heard > watched.stuck_after_s:
            return f"{STOOD_STILL} for {watched.stuck_after_s:.0f} s"
        if watched.ends_after_s is not None and now - begun > watched.ends_after_s:
            return f"the guest has taken more than {watched.ends_after_s:.0f} real seconds"
        if now - measured > _MEASURE_EVERY_S:
            measured = now
            if why := _too_much(watched):
                return why
    return _too_much(watched)


def _too_much(watched: Watched) -> str | None:
    """The limit that the guest's console or results exceed, as a sentence; None if none."""
    if _size(watched.console) > CONSOLE_BYTES_MAX:
        return f"the guest's console has more than {CONSOLE_BYTES_MAX >> 20} MiB"
    files = written = 0
    for folder, _, names in os.walk(watched.out):
        for name in names:
            with suppress(FileNotFoundError):  # the guest may have removed it by now
                written += (Path(folder) / name).lstat().st_blocks * 512
            files += 1
            if files > OUT_FILES_MAX or written > OUT_BYTES_MAX:
                return (
                    f"the guest wrote more than {OUT_FILES_MAX} files or "
                    f"{OUT_BYTES_MAX >> 30} GiB of results"
                )
    return None


def _size(console: Path) -> int:
    """How long a console's log is; one that a debugger has the guest write is not there at once."""
    try:
        return console.lstat().st_size
    except FileNotFoundError:
        return 0


def _latest_second(console: Path) -> int:
    with console.open("rb") as log:
        log.seek(max(0, console.stat().st_size - 200))
        seconds = _TICK.findall(log.read().decode(errors="replace").replace("\r", ""))
    return int(seconds[-1]) // 1000 if seconds else -1


def end(process: subprocess.Popen[bytes]) -> None:
    """Ending bubblewrap ends its process namespace, and with it the whole guest.

    What is in its place where it is refused (tsqlab.guest.own_root) ends the guest when told to.
    """
    if process.poll() is None and wanted() == NONE:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_END_S)
    if process.poll() is None:
        process.kill()
        process.wait()
