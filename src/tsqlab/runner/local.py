# SPDX-License-Identifier: GPL-2.0-or-later
"""The executor of this machine: a pool of processes, each with a CPU of its own."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from queue import Empty, SimpleQueue

from tsqlab.errors import TsqlabError
from tsqlab.runner.cell import CellError, Job, work
from tsqlab.runner.executor import Ended, Event, Second, Start
from tsqlab.runner.workers import Workers


class LocalPool:
    """An Executor (tsqlab.runner.executor) over worker processes.

    When one of them is killed, as for want of memory, the others may be next: the run ends.
    """

    def __init__(self, workers: int) -> None:
        """Start so many workers."""
        self._workers = Workers(workers)
        self._jobs: dict[Future[float], Job] = {}
        # A future comes by itself: to ask all of 10,000 five times a second took a tenth of a CPU.
        self._finished: SimpleQueue[Future[float]] = SimpleQueue()

    def submit(self, job: Job) -> None:
        """See Executor."""
        future = self._workers.executor.submit(work, job)
        self._jobs[future] = job
        future.add_done_callback(self._finished.put)

    def events(self, within_s: float) -> Iterator[Event]:
        """See Executor."""
        finished = list(self._ended_within(within_s))
        for cell, second in self._workers.ticks():
            yield Second(cell, second)
        for future in finished:
            yield _ended(future, self._jobs.pop(future))

    def _ended_within(self, within_s: float) -> Iterator[Future[float]]:
        """The futures of jobs that have ended; waits so long for the first."""
        with suppress(Empty):
            yield self._finished.get(timeout=within_s)
            while True:
                yield self._finished.get_nowait()

    def end(self) -> None:
        """See Executor."""
        self._workers.executor.shutdown()

    def kill(self) -> None:
        """See Executor."""
        self._workers.kill()


def _ended(future: Future[float], job: Job) -> Ended:
    try:
        return Ended(job, future.result())
    except CellError as error:
        return Ended(job, error=error)
    except BrokenProcessPool as error:
        raise TsqlabError(f"a worker process was killed while it ran {job.cell.id}") from error


def local(workers: int) -> Start:
    """Run so many cells at a time on this machine."""
    return lambda cells: LocalPool(min(workers, cells))
