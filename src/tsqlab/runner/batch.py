# SPDX-License-Identifier: GPL-2.0-or-later
"""Many experiments one after another, each into a folder of its own.

Those with the least virtual time left to run come first, so that quick results are there
early. What goes wrong in one does not stop the others: its account says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.experiment.load import Experiment
from tsqlab.experiment.matrix import Cell
from tsqlab.kernels import Kernel
from tsqlab.runner.cell import Job
from tsqlab.runner.executor import Start
from tsqlab.runner.experiment import ModuleFor, Watcher, jobs_of, nobody, run
from tsqlab.runner.folder import FolderState


@dataclass(frozen=True)
class Prepared:
    """An experiment that can run, or why it cannot."""

    name: str
    folder: Path
    experiment: Experiment | None = None
    jobs: tuple[Job, ...] = ()
    left_s: float = 0.0  # the virtual seconds of the cells that are not done
    error: str = ""


@dataclass(frozen=True)
class Account:
    """What became of an experiment, and what it took."""

    name: str
    cells: int
    done: int
    simulated_s: float  # the virtual seconds of the cells that are done, whenever they ran
    # The wall-clock time of the cells that are done. A cell whose time nobody noted counts as 0.
    cells_wall_s: float
    wall_s: float  # the wall-clock time of this run, whose cells run side by side, with its report
    error: str = ""

    @property
    def speed(self) -> float | None:
        """Virtual seconds in a second of one worker."""
        return self.simulated_s / self.cells_wall_s if self.cells_wall_s else None


def prepare(
    experiments: Sequence[tuple[str, Callable[[], Experiment]]],
    folder_of: Callable[[str], Path],
    kernel_for: Callable[[Cell], Kernel],
    module_for: ModuleFor = nobody,
) -> list[Prepared]:
    """Load the experiments, build what they need, and order them: short ones first."""
    prepared = []
    for name, read in experiments:
        folder = folder_of(name)
        try:
            experiment = read()
            jobs = jobs_of(experiment, folder, kernel_for, module_for)
            state = _state(folder, experiment, jobs)
            left = [job for job in _own(jobs) if not state.done(job)]
            prepared.append(Prepared(name, folder, experiment, jobs, _simulated_s(left)))
        except (TsqlabError, OSError) as error:
            prepared.append(Prepared(name, folder, error=str(error)))
    return sorted(prepared, key=lambda entry: entry.left_s)


def run_batch(
    prepared: Sequence[Prepared],
    start: Start,
    watcher_of: Callable[[Prepared], Watcher],
    after: Callable[[Path], object],
) -> Iterator[Account]:
    """Run each experiment and do *after* with its folder, as making its report."""
    for entry in prepared:
        begun, errors = time.monotonic(), [entry.error] if entry.error else []
        if entry.experiment is not None:
            try:
                run(entry.experiment, entry.jobs, entry.folder, start, watcher_of(entry))
            except (TsqlabError, OSError) as error:
                errors.append(str(error))
            try:
                after(entry.folder)
            except (TsqlabError, OSError) as error:
                errors.append(f"no report: {error}")
        yield _account(entry, time.monotonic() - begun, "; ".join(errors))


def _account(entry: Prepared, wall_s: float, error: str) -> Account:
    done: list[Job] = []
    cells_wall_s = 0.0
    if entry.experiment is not None:
        try:
            state = _state(entry.folder, entry.experiment, entry.jobs)
        except (TsqlabError, OSError):
            # The folder is damaged, or another experiment's. The error says which.
            pass
        else:
            done = [job for job in _own(entry.jobs) if state.done(job)]
            cells_wall_s = sum(state.wall_s[job.cell.id] or 0.0 for job in done)
    return Account(
        entry.name,
        len(_own(entry.jobs)),
        len(done),
        _simulated_s(done),
        cells_wall_s,
        wall_s,
        error,
    )


def _own(jobs: Sequence[Job]) -> list[Job]:
    """Those that are not of another shard."""
    return [job for job in jobs if not job.cell.elsewhere]


def _state(folder: Path, experiment: Experiment, jobs: tuple[Job, ...]) -> FolderState:
    state = FolderState(folder, experiment, jobs)
    state.read()
    return state


def _simulated_s(jobs: Sequence[Job]) -> float:
    return sum(job.cell.spec.total.s for job in jobs)
