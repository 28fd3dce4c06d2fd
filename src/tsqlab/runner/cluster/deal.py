# SPDX-License-Identifier: GPL-2.0-or-later
"""An Executor over a cluster: gives cells to workers, and bears losing some of them.

It gives a worker a cell when the worker has room, and never before: so a cell is on one worker at
most, and when that is lost it is known which cell it ran. That cell is run again elsewhere. It may
have been the cell that ended the worker, as by taking all memory, and then it would end one after
another; so a cell whose workers are lost TRIES times has failed.

A worker is asked what it is before it gets its first cell, and gets none if its results would be
others (tsqlab.runner.cluster.host). It is sent what guests are booted with and it lacks. Workers
may come and go at any time.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tsqlab.errors import TsqlabError
from tsqlab.runner.cell import CellError, Job
from tsqlab.runner.cluster import worker as asked
from tsqlab.runner.cluster.host import about_host, why_refused
from tsqlab.runner.cluster.parcel import Left, Packer, Parcel, deliver
from tsqlab.runner.executor import Ended, Event, Note, Second

TRIES = 3
"""How many workers a cell may lose."""

_LOOK_EVERY_S = 0.5

Answer = Left | BaseException


class Cluster(Protocol):
    """Workers somewhere. A task is one try of a cell, and its number is never used again."""

    address: str

    def workers(self) -> Mapping[str, int]:
        """How many cells each worker may run at a time. Raises TsqlabError without a cluster."""

    def ask(
        self, workers: Sequence[str], function: Callable[..., Any], *given: Any
    ) -> Mapping[str, Any]:
        """What a function returns on each of these workers, or the exception that it raises."""

    def start(self, task: int, worker: str, parcel: Parcel) -> None:
        """Have a worker run a parcel."""

    def answers(self, within_s: float) -> Sequence[tuple[int, Answer]]:
        """The tasks that have ended since the last call, one of which is waited for."""

    def seconds(self) -> Sequence[tuple[int, int]]:
        """How many virtual seconds of tasks are over, as far as it is new."""

    def forget(self, task: int) -> None:
        """Nobody wants to know of a task any more; it is not run if it has not begun."""

    def stop(self, workers: Sequence[str]) -> None:
        """End what workers run or have ready for us, at once. Raises nothing."""

    def close(self) -> None:
        """Leave the cluster. Raises nothing."""


@dataclass(frozen=True)
class _Try:
    job: Job
    worker: str


class Deal:
    """An Executor (tsqlab.runner.executor) over a cluster."""

    def __init__(self, cluster: Cluster) -> None:
        """Nothing has been given to anybody."""
        self._cluster = cluster
        self._packer = Packer()
        self._waiting: deque[Job] = deque()
        self._needs: dict[str, None] = {}  # the names of content that cells need
        self._programs: frozenset[str] = frozenset()  # the host's, which make their nodes
        self._running: dict[int, _Try] = {}
        self._room: dict[str, int] = {}  # of the workers that may run cells
        self._refused: dict[str, str] = {}  # why the others may not
        self._lost: defaultdict[str, list[str]] = defaultdict(list)  # whom each cell has lost
        self._tasks = 0
        self._looked_s = 0.0
        self._says_nobody = self._has_run = False

    def submit(self, job: Job) -> None:
        """See Executor."""
        self._needs |= dict.fromkeys(self._packer.needs(job).names)
        self._programs |= job.made_by
        self._waiting.append(job)

    def events(self, within_s: float) -> Iterator[Event]:
        """See Executor."""
        now_s = time.monotonic()
        if now_s - self._looked_s >= _LOOK_EVERY_S:
            self._looked_s = now_s
            yield from self._look()
        self._give()
        answers = self._cluster.answers(within_s)
        for task, second in self._cluster.seconds():
            if task in self._running:
                yield Second(self._running[task].job.cell.id, second)
        for task, answer in answers:
            if task in self._running:
                yield from self._settle(task, answer)

    def end(self) -> None:
        """See Executor."""
        self._cluster.stop(list(self._room))
        self._cluster.close()

    def kill(self) -> None:
        """See Executor."""
        for task in self._running:
            self._cluster.forget(task)
        self._cluster.stop(list(self._room))
        self._cluster.close()

    def _look(self) -> Iterator[Event]:
        """Who has come, and who is gone."""
        there = self._cluster.workers()
        for worker in [worker for worker in self._room if worker not in there]:
            del self._room[worker]
            ran = [task for task, tried in self._running.items() if tried.worker == worker]
            for task in ran:
                self._cluster.forget(task)
                yield from self._lose(task, "it has left the cluster")
        new = [worker for worker in there if worker not in {**self._room, **self._refused}]
        if new:
            yield from self._welcome(new, there)
        yield from self._say_nobody()

    def _say_nobody(self) -> Iterator[Event]:
        """Say it if there is nobody to run cells. Raises TsqlabError if there never was."""
        if self._room:
            self._has_run, self._says_nobody = True, False
        elif self._refused and not self._has_run:
            worker, why = next(iter(self._refused.items()))
            others = len(self._refused) - 1
            more = f"; nor may {others} others" if others else ""
            raise TsqlabError(f"worker {worker} may not run cells: {why}{more}")
        elif not self._says_nobody:
            self._says_nobody = True
            yield Note(f"waiting for workers of {self._cluster.address}: it has none now")

    def _welcome(self, new: Sequence[str], there: Mapping[str, int]) -> Iterator[Event]:
        """Have new workers ready, or refuse them."""
        programs, ready = tuple(sorted(self._programs)), []
        here = about_host(programs)
        for worker, about in self._cluster.ask(new, asked.about, programs).items():
            if isinstance(about, BaseException):
                yield from self._refuse(worker, _has_none(about))
            elif why := why_refused(about, here):
                yield from self._refuse(worker, why)
            else:
                ready.append(worker)
        failed = self._send(ready) if ready else {}
        for worker, why in failed.items():
            yield from self._refuse(worker, why)
        self._room |= {worker: there[worker] for worker in ready if worker not in failed}

    def _send(self, workers: Sequence[str]) -> dict[str, str]:
        """Send workers what they lack; why it could not be done, of those of whom it could not."""
        failed: dict[str, str] = {}
        lacking: defaultdict[str, list[str]] = defaultdict(list)
        names = list(self._needs)
        for worker, lacks in self._cluster.ask(workers, asked.lacks, names).items():
            if isinstance(lacks, BaseException):
                failed[worker] = f"it cannot say what it has: {lacks}"
                continue
            for name in lacks:
                lacking[name].append(worker)
        for name, who in lacking.items():
            sent = self._cluster.ask(who, asked.take, name, self._packer.files(name))
            failed |= {
                worker: f"it cannot keep what guests are booted with: {error}"
                for worker, error in sent.items()
                if isinstance(error, BaseException)
            }
        return failed

    def _refuse(self, worker: str, why: str) -> Iterator[Event]:
        if worker in self._cluster.workers():  # or it has left just now, which is no fault of it
            self._refused[worker] = why
            yield Note(f"worker {worker} gets no cells: {why}")

    def _give(self) -> None:
        """Give cells to the workers that have room."""
        busy = Counter(tried.worker for tried in self._running.values())
        for worker, room in self._room.items():
            for _ in range(room - busy[worker]):
                if not self._waiting:
                    return
                job = self._waiting.popleft()
                self._tasks += 1
                self._running[self._tasks] = _Try(job, worker)
                self._cluster.start(self._tasks, worker, self._packer.pack(job))

    def _settle(self, task: int, answer: Answer) -> Iterator[Event]:
        """Take what a cell has left."""
        if isinstance(answer, Left) and answer.lost:
            yield from self._lose(task, answer.lost)
            return
        tried = self._running.pop(task)
        job = tried.job
        if isinstance(answer, BaseException):
            said = f"{type(answer).__name__}: {answer}"
            yield Ended(job, error=self._of(tried, CellError(job.cell.title, said, said)))
            return
        try:
            deliver(answer, job)
        except (TsqlabError, OSError) as error:
            yield Ended(job, error=CellError(job.cell.title, str(error), str(error)))
            return
        yield Ended(job, answer.wall_s, answer.error and self._of(tried, answer.error))

    def _lose(self, task: int, why: str) -> Iterator[Event]:
        """Have a cell run again whose worker is lost, if it has not lost too many."""
        tried = self._running.pop(task)
        job, lost = tried.job, self._lost[tried.job.cell.id]
        lost.append(tried.worker)
        if len(lost) < TRIES:
            self._waiting.appendleft(job)
            yield Second(job.cell.id, 0)
            yield Note(f"{job.cell.title} is run again: worker {tried.worker} is lost, {why}")
            return
        cause = f"{TRIES} workers were lost while they ran it"
        said = (
            f"{cause}: {', '.join(lost)}; it may be what ends them, as a guest does "
            "that takes more memory than there is"
        )
        yield Ended(job, error=CellError(job.cell.title, said, cause))

    @staticmethod
    def _of(tried: _Try, error: CellError) -> CellError:
        """An error that says on which worker it was."""
        title = f"{error.title} (on {tried.worker})"
        return CellError(title, error.message, error.cause, error.died)


def _has_none(error: BaseException) -> str:
    if isinstance(error, ImportError | AttributeError):
        return f"it has no tsqlab, or another version ({error})"
    return f"it does not say what it is ({type(error).__name__}: {error})"
