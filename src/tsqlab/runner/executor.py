# SPDX-License-Identifier: GPL-2.0-or-later
"""What runs cells, as a run sees it: the processes of this machine, or a cluster.

A run gives an executor the cells that are not done, hears of what becomes of them, and ends it.
Whatever runs a cell, its files are in the experiment's folder before it is said to have ended.

A worker that is lost takes a cell with it. The executor says what that means: on this machine it
is no accident that can be gone past, and the run ends with an error; on a cluster machines come
and go, and the cell is run again, a few times at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from tsqlab.runner.cell import CellError, Job


@dataclass(frozen=True)
class Ended:
    """A cell has ended: its files are there, or the error says why not."""

    job: Job
    wall_s: float = 0.0  # the real seconds that it took
    error: CellError | None = None


@dataclass(frozen=True)
class Second:
    """So many virtual seconds of a cell are over. One that is run again begins at 0 once more."""

    cell: str
    second: int


@dataclass(frozen=True)
class Note:
    """Something that the user should know, in a line; the run goes on."""

    text: str


Event = Ended | Second | Note


class Executor(Protocol):
    """What runs cells."""

    def submit(self, job: Job) -> None:
        """Have a cell run as soon as there is room for it."""

    def events(self, within_s: float) -> Iterable[Event]:
        """What has happened since the last call; waits for something to, but no longer than that.

        Raises TsqlabError if no cell can be run any more.
        """

    def end(self) -> None:
        """All cells have ended, and there will be no others."""

    def kill(self) -> None:
        """End whatever still runs, at once. Raises nothing."""


Start = Callable[[int], Executor]
"""What makes an executor ready for so many cells. Raises TsqlabError."""
