# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes that do not outlive the one that started them, however it ends.

A child that asks for PR_SET_PDEATHSIG is ended with its parent from then on. Its own children
have to ask again. bubblewrap's child asks only after bubblewrap has told it to go on. If
bubblewrap is killed before that, the child waits for ever. If it is killed just after, the child
boots a guest that nothing ends. So a worker, which may be ended at any moment, adopts the
processes that bubblewrap leaves behind, and ends them, too. One is left behind by every guest:
bubblewrap goes when the guest ends, and does not wait for the child that was its sandbox's first
process.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_PR_SET_CHILD_SUBREAPER = 36
_GRACE_S, _POLL_S = 3.0, 0.01
_libc = ctypes.CDLL(None)


def die_with(parent: int, how: signal.Signals = signal.SIGKILL) -> None:
    """Have the kernel send *how* to this process when its *parent* ends.

    Called in a child, which exits now if *parent* has already ended. It holds across exec.
    """
    _libc.prctl(_PR_SET_PDEATHSIG, how)
    if os.getppid() != parent:  # the parent ended before we asked
        os._exit(1)


def end_all_with(parent: int) -> None:
    """Called in a child: end all descendants and exit when *parent* ends, or on SIGTERM."""
    adopt_orphans()
    signal.signal(signal.SIGTERM, _end_all)
    die_with(parent, signal.SIGTERM)


def adopt_orphans() -> None:
    """Become the parent of what this process's descendants leave behind."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)


def bury_orphans() -> None:
    """Reap the children that have ended, for a process that has none but those it has adopted."""
    with suppress(ChildProcessError):  # no child is left
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _end_all(_signal: int, _frame: FrameType | None) -> None:
    _ask_children()
    kill_children()
    os._exit(128 + signal.SIGTERM)


def _ask_children() -> None:
    """Have the children end by themselves, for some have a folder to remove."""
    for child in children():
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGTERM)
    end_s = time.monotonic() + _GRACE_S
    with suppress(ChildProcessError):  # no child is left
        while time.monotonic() < end_s:
            if not os.waitpid(-1, os.WNOHANG)[0]:
                time.sleep(_POLL_S)


def kill_children() -> None:
    """End all descendants of a process that adopts orphans.

    The children of a killed child become ours, and are killed next.
    """
    with suppress(ChildProcessError):  # no child is left
        while True:
            for child in children():
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            os.wait()


def children() -> list[int]:
    """The process ids of this process's children."""
    lists = Path("/proc/self/task").glob("*/children")
    return [int(child) for own in lists for child in own.read_text("utf-8").split()]
