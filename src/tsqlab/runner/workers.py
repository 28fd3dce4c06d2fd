# SPDX-License-Identifier: GPL-2.0-or-later
"""The pool of processes that guests are run by, each with a CPU of its own (tsqlab.runner.cpus).

A guest's tracer and the process that it traces wake each other at every system call. This costs
a context switch if both are on one CPU, and an inter-processor interrupt and a wait if they are
on two.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from queue import Empty, Queue
from typing import Any

from tsqlab.guest.lifetime import bury_orphans, end_all_with
from tsqlab.runner.cpus import claim_cpu


@dataclass
class _Worker:
    """The queue that this worker process reports progress to."""

    ticks: Queue[tuple[str, int]] | None = None


_this = _Worker()


class Workers:
    """A process pool, and the queue on which its guests report their progress."""

    def __init__(self, count: int) -> None:
        """Start *count* workers, each on one of the CPUs that this process may use."""
        context = multiprocessing.get_context("spawn")
        self._ticks: Any = context.Queue()
        self.executor = ProcessPoolExecutor(count, context, _start, (self._ticks, os.getpid()))

    def kill(self) -> None:
        """End the workers at once, and with them their guests."""
        for process in multiprocessing.active_children():
            process.terminate()
        self.executor.shutdown(cancel_futures=True)

    def ticks(self) -> list[tuple[str, int]]:
        """The guests' progress since the last call: (name, virtual second)."""
        ticks = []
        while True:
            try:
                ticks.append(self._ticks.get_nowait())
            except Empty:
                return ticks


def _start(ticks: Any, parent: int) -> None:
    """Set up a worker: it ends with its parent, leaves Ctrl-C to it, and takes a CPU."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_all_with(parent)
    _this.ticks = ticks
    claim_cpu()


def cpu_for_guest() -> int | None:
    """The CPU for the next guest of this worker process, cleared of the last one's remains.

    None in a process that is no worker.
    """
    if _this.ticks is None:
        return None
    bury_orphans()
    return claim_cpu()


def teller(name: str) -> Callable[[int], None] | None:
    """A function that tells the pool how many virtual seconds of *name* are over, if there is one.

    It is for a worker process.
    """
    ticks = _this.ticks
    if ticks is None:
        return None
    return lambda second: ticks.put((name, second))
