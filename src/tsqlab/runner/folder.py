# SPDX-License-Identifier: GPL-2.0-or-later
"""A run's hold on an experiment's folder: the lock, and which cells are done.

The manifest (tsqlab.results.folder) is written when a run begins and when it ends, and its journal
has a line more after each cell, so that a run that is interrupted at any point goes on where it
stopped.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tsqlab import __version__
from tsqlab.errors import FileError, TsqlabError, UsageError
from tsqlab.experiment.era import ERAS
from tsqlab.experiment.load import Experiment
from tsqlab.guest.host_programs import contents
from tsqlab.results.flent import KEY, read_flent
from tsqlab.results.folder import (
    MANIFEST,
    Manifest,
    ManifestCell,
    ManifestKernel,
    read_manifest,
    write_manifest,
)
from tsqlab.results.journal import JournalLine, add_line
from tsqlab.runner.cell import Job

LOGS = "logs"
"""The folder of the consoles of guests that failed."""


@dataclass
class FolderState:
    """What is done of an experiment. Only the folder's owner, under the lock, changes it."""

    path: Path
    experiment: Experiment
    jobs: tuple[Job, ...]
    # The real time of each cell that is done; None when the run that did it could not note its
    # time.
    wall_s: dict[str, float | None] = field(default_factory=dict)

    def done(self, job: Job) -> bool:
        """Whether the cell's result is there, of just this specification and kernel."""
        return job.cell.id in self.wall_s

    def note(self, job: Job, wall_s: float) -> None:
        """Record that a cell is done. Raises TsqlabError when the disk refuses."""
        self.wall_s[job.cell.id] = wall_s
        line = JournalLine(id=job.cell.id, key=job.key, wall_s=_rounded(wall_s))
        add_line(self.path, line)

    def write(self) -> None:
        """Write the manifest, with all that is done. Raises TsqlabError when the disk refuses."""
        write_manifest(self.path, self._manifest())

    def read(self) -> None:
        """Take over what an earlier run has done. Raises UsageError for another's folder."""
        rows: dict[str, ManifestCell] = {}
        if (self.path / MANIFEST).exists():
            try:
                manifest = read_manifest(self.path)
            except FileError as error:
                raise UsageError(f"{error}, or remove it to start anew") from error
            if manifest.experiment != self.experiment.name:
                raise UsageError(
                    f'{self.path}: holds the experiment "{manifest.experiment}"; '
                    "choose another folder with --out"
                )
            rows = {row.id: row for row in manifest.cells}
        for job in self.jobs:
            row = rows.get(job.cell.id)
            noted = row is not None and row.done and row.key == job.key
            there = job.file.exists() and all(path.exists() for path in job.beside)
            if there and (noted or _key_in(job.file) == job.key):
                self.wall_s[job.cell.id] = row.wall_s if row and noted else None

    def _manifest(self) -> Manifest:
        spec = self.experiment.spec
        kernels = {(_name_of(job), job.kernel.id): job.kernel for job in self.jobs}
        return Manifest(
            experiment=self.experiment.name,
            title=spec.title,
            paper=spec.paper,
            figure=spec.figure,
            comment=self.experiment.comment,
            plots=list(spec.report.plots),
            latency=spec.report.latency,
            columns=list(spec.report.columns),
            against=dict(self.experiment.against),
            look=self.experiment.look,
            factors=list(self.experiment.factors),
            era=spec.lab.era if any(job.cell.today for job in self.jobs) else "",
            tsqlab=__version__,
            host=self._host,
            shard=self.experiment.shard,
            kernels=[
                ManifestKernel(id=kernel.id, release=kernel.release, hz=kernel.hz,
                               version=kernel.version, name=name, source=kernel.source,
                               cotsq=kernel.cotsq)
                for (name, _), kernel in kernels.items()
            ],
            cells=[self._row(job) for job in self.jobs],
        )  # fmt: skip

    @cached_property
    def _host(self) -> dict[str, str]:
        """What the programs of this host are that make the cells' nodes."""
        programs = frozenset().union(*(job.made_by for job in self.jobs))
        return contents(programs) if programs else {}

    def _row(self, job: Job) -> ManifestCell:
        wall_s = self.wall_s.get(job.cell.id)
        return ManifestCell(
            id=job.cell.id,
            key=job.key,
            factors=dict(job.cell.factors),
            file=job.file.name,
            pcaps={name: path.name for name, path in job.pcaps.items()},
            programs={name: [path.name for path in paths] for name, paths in job.outputs.items()},
            trace=job.traced.name if job.traced else "",
            state="done" if self.done(job) else "waiting",
            further=job.cell.further,
            today=job.cell.today,
            wall_s=None if wall_s is None else _rounded(wall_s),
        )


def _rounded(wall_s: float) -> float:
    return round(wall_s, 3)


def _name_of(job: Job) -> str:
    """What [lab] calls a kernel, and the era that it was built as of: "6.12 as of 4.13"."""
    lab = job.cell.spec.lab
    return f"{lab.kernel} as of {lab.era}" if ERAS[lab.era].patches else lab.kernel


def _key_in(file: Path) -> str | None:
    """The key that a result was made for: a run may end before the manifest knows of it."""
    try:
        key = read_flent(file)["metadata"][KEY]["key"]
    except (TsqlabError, KeyError, TypeError):
        return None
    return key if isinstance(key, str) else None


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Own a folder. Raises UsageError when it cannot be made or another run owns it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        file = (path / ".lock").open("w")
    except OSError as error:
        raise UsageError(f"{path}: cannot be used for results: {error.strerror}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"{path}: another run is writing to it") from None
        yield
