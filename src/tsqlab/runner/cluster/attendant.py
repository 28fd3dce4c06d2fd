# SPDX-License-Identifier: GPL-2.0-or-later
"""The process beside a worker that runs its cells, one after another.

A worker of a cluster is somebody else's process: its children, its signals and its orphans are
not ours. So each of its threads has an attendant, which is to it what a worker process is to the
local pool: it has a CPU, adopts what its guests leave behind, and ends with whoever started it,
with all its guests. Requests come as pickles on its standard input, and answers go out by its
standard output; what is printed meanwhile goes to stderr.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import IO, Any

from tsqlab.errors import TsqlabError
from tsqlab.guest.lifetime import bury_orphans, end_all_with
from tsqlab.paths import PACKAGE
from tsqlab.runner.cell import CellError, Job, run_cell
from tsqlab.runner.cpus import claim_cpu

_TELL_EVERY_S = 0.5


class AttendantLostError(TsqlabError):
    """The attendant has ended while it ran a cell."""


class Attendant:
    """An attendant as its worker sees it."""

    def __init__(self) -> None:
        """Start it. It ends with the thread that calls this."""
        paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )

    def run(self, job: Job, on_second: Callable[[int], None]) -> float:
        """Run a cell; returns the real seconds it took. Raises CellError, AttendantLostError."""
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None and answers is not None
        try:
            pickle.dump(job, requests)
            requests.flush()
            while isinstance(answer := pickle.load(answers), int):
                on_second(answer)
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            self.end()
            status = self._process.returncode
            raise AttendantLostError(f"its process has ended (status {status})") from error
        except BaseException:  # its answer would be taken for that to the next request
            self.end()
            raise
        if isinstance(answer, CellError):
            raise answer
        wall_s: float = answer
        return wall_s

    @property
    def runs(self) -> bool:
        """Whether it is still there."""
        return self._process.poll() is None

    def end(self) -> None:
        """End it, and its guests with it."""
        self._process.terminate()
        self._process.wait()


def attend(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Run the cells that are asked for, until nobody can ask any more."""

    def answer(what: Any) -> None:
        pickle.dump(what, answers)
        answers.flush()

    while True:
        try:
            job: Job = pickle.load(requests)
        except EOFError:
            return
        bury_orphans()
        try:
            answer(run_cell(job, claim_cpu(), seldom(answer)))
        except CellError as error:
            answer(error)


def seldom(tell: Callable[[int], None]) -> Callable[[int], None]:
    """*tell*, but not more often than somebody far away wants to hear it."""
    told_s = [time.monotonic() - _TELL_EVERY_S]

    def maybe(second: int) -> None:
        now_s = time.monotonic()
        if now_s - told_s[0] >= _TELL_EVERY_S:
            told_s[0] = now_s
            tell(second)

    return maybe


def _main(parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_all_with(parent)
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    attend(requests, answers)


if __name__ == "__main__":
    _main(int(sys.argv[1]))
