# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes that do not outlive the one that started them, however it ends.

PR_SET_PDEATHSIG does that for a child that asks for it, from then on. Its own children have to
ask anew, and bubblewrap's does so only after bubblewrap has given it a word to go on: when
bubblewrap is killed before, the child waits for ever, and when it is killed just after, the
child boots a guest that nothing ends. So a worker, which may be ended at any moment, adopts what
bubblewrap leaves, and ends that too.
"""

from __future__ import annotations

import ctypes
import os
import signal
from contextlib import suppress
from pathlib import Path
from types import FrameType

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_PR_SET_CHILD_SUBREAPER = 36
_libc = ctypes.CDLL(None)


def die_with(parent: int, how: signal.Signals = signal.SIGKILL) -> None:
    """Called in a child: be sent *how* when *parent*, its parent, ends; exit now if it has.

    It holds across exec.
    """
    _libc.prctl(_PR_SET_PDEATHSIG, how)
    if os.getppid() != parent:  # it ended before we asked
        os._exit(1)


def end_all_with(parent: int) -> None:
    """Called in a child: when *parent* ends, or on SIGTERM, end all descendants, then exit."""
    adopt_orphans()
    signal.signal(signal.SIGTERM, _end_all)
    die_with(parent, signal.SIGTERM)


def adopt_orphans() -> None:
    """Become the parent of what this process's descendants leave behind."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _end_all(_signal: int, _frame: FrameType | None) -> None:
    """What a killed child leaves becomes a child of this process, and is killed next."""
    with suppress(ChildProcessError):  # none is left
        while True:
            for child in children():
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            os.wait()
    os._exit(128 + signal.SIGTERM)


def children() -> list[int]:
    """This process's children, by their ids."""
    lists = Path("/proc/self/task").glob("*/children")
    return [int(child) for own in lists for child in own.read_text().split()]
