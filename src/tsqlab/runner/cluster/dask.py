# SPDX-License-Identifier: GPL-2.0-or-later
"""Dask as a cluster (tsqlab.runner.cluster.deal): what is asked of its scheduler.

A task is bound to the worker that it was given to, and Dask neither moves nor repeats it: that is
done where the cells are known. So whatever else Dask does when workers come and go is not used.
Progress comes as events of a topic of the run's own.
"""

from __future__ import annotations

import logging
import threading
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from distributed import CancelledError, Client, Future, KilledWorker, get_worker

from tsqlab.errors import TsqlabError, UsageError
from tsqlab.runner.cluster import worker as asked
from tsqlab.runner.cluster.deal import Answer, Deal
from tsqlab.runner.cluster.parcel import Left, Parcel

_CONNECT_S = 15.0
_FETCH_S = 60.0  # for the bytes of a cell, which may have captures
_LEAVE_S = 5.0


class DaskCluster:
    """The workers of a Dask scheduler."""

    def __init__(self, address: str) -> None:
        """Connect to the scheduler. Raises UsageError if there is none."""
        # It logs what is told in other words here.
        for name in ("distributed", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            self._client = Client(address, timeout=_CONNECT_S, set_as_default=False, name="tsqlab")
        except (OSError, ValueError, TypeError) as error:
            raise UsageError(f"no Dask scheduler at {address}: {error}") from error
        self.address = address
        self._run = f"tsqlab-{uuid.uuid4().hex}"
        self._futures: dict[int, Future] = {}
        self._ended: SimpleQueue[int] = SimpleQueue()
        self._seconds: deque[tuple[int, int]] = deque()
        self._client.subscribe_topic(self._run, self._hear)

    def workers(self) -> Mapping[str, int]:
        """See Cluster."""
        with self._told():
            return dict(self._client.nthreads())

    def ask(
        self, workers: Sequence[str], function: Callable[..., Any], *given: Any
    ) -> Mapping[str, Any]:
        """See Cluster."""
        with self._told():
            found = self._client.run(function, *given, workers=list(workers), on_error="return")
            return dict(found)

    def start(self, task: int, worker: str, parcel: Parcel) -> None:
        """See Cluster."""
        with self._told():
            future = self._client.submit(
                run_here, self._run, task, parcel,
                key=f"{self._run}-{task}", workers=[worker], allow_other_workers=False, pure=False,
            )  # fmt: skip
        self._futures[task] = future
        future.add_done_callback(lambda _: self._ended.put(task))

    def answers(self, within_s: float) -> Sequence[tuple[int, Answer]]:
        """See Cluster."""
        tasks = []
        with suppress(Empty):
            tasks.append(self._ended.get(timeout=within_s))
            while True:
                tasks.append(self._ended.get_nowait())
        answers = ((task, self._answer(task)) for task in tasks if task in self._futures)
        return [(task, answer) for task, answer in answers if answer is not None]

    def seconds(self) -> Sequence[tuple[int, int]]:
        """See Cluster."""
        heard = []
        with suppress(IndexError):
            while True:
                heard.append(self._seconds.popleft())
        return heard

    def forget(self, task: int) -> None:
        """See Cluster."""
        if future := self._futures.pop(task, None):
            with suppress(Exception):
                future.cancel()

    def stop(self, workers: Sequence[str]) -> None:
        """See Cluster. The scheduler may be gone, and with it the answer."""
        order = partial(self.ask, workers, asked.stop, self._run)
        thread = threading.Thread(target=_quietly, args=(order,), daemon=True)
        thread.start()
        thread.join(_LEAVE_S)

    def close(self) -> None:
        """See Cluster."""
        with suppress(Exception):
            self._client.close(timeout=_LEAVE_S)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What Dask raises without its scheduler, in words."""
        try:
            yield
        except (OSError, RuntimeError) as error:
            raise TsqlabError(
                f"the Dask scheduler at {self.address} is gone ({error}); the same command goes on "
                "from here, when it is back"
            ) from error

    def _answer(self, task: int) -> Answer | None:
        """What a task has left; None if it was lost with its worker before it was fetched."""
        future = self._futures.pop(task)
        try:
            left: Left = future.result(timeout=_FETCH_S)
        except KilledWorker:
            return Left(lost="it has ended")
        except CancelledError:
            return Left(lost="or the scheduler has cancelled what it ran")
        except TimeoutError:
            self._futures[task] = future
            if future.done():  # what it has left is not here yet: it is asked again
                self._ended.put(task)
            return None
        except Exception as error:
            return error
        return left

    def _hear(self, event: tuple[float, tuple[int, int]]) -> None:
        _, (task, second) = event
        self._seconds.append((task, second))


def run_here(run: str, task: int, parcel: Parcel) -> Left:
    """Run a parcel on the worker whose task this is."""
    worker = get_worker()

    def tell(second: int) -> None:
        worker.log_event(run, (task, second))

    return asked.run_parcel(run, parcel, Path(worker.local_directory), tell)


def _quietly(call: Callable[[], object]) -> None:
    with suppress(Exception):
        call()


def dask(address: str) -> Callable[[int], Deal]:
    """Run cells on the workers of the Dask scheduler at *address*."""
    return lambda _: Deal(DaskCluster(address))
