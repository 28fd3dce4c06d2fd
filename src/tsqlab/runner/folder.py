# SPDX-License-Identifier: GPL-2.0-or-later
"""An experiment's folder: its manifest, and which of its cells are done.

The manifest is rewritten whole after each cell, under another name first, so that a run that
is interrupted at any point goes on where it stopped.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tsqlab.errors import TsqlabError, UsageError
from tsqlab.experiment.load import Experiment
from tsqlab.results.files import write_whole
from tsqlab.results.flent import KEY, read_flent
from tsqlab.runner.cell import Job

MANIFEST = "manifest.json"


@dataclass
class Folder:
    """The state of one experiment's folder. Only its owner, under the lock, changes it."""

    path: Path
    experiment: Experiment
    jobs: tuple[Job, ...]
    # By cell, those that are done; None when the run that did one could not note its time.
    wall_s: dict[str, float | None] = field(default_factory=dict)

    def done(self, job: Job) -> bool:
        """Whether the cell's result is there, of just this specification and kernel."""
        return job.cell.id in self.wall_s

    def note(self, job: Job, wall_s: float) -> None:
        """Enter a finished cell."""
        self.wall_s[job.cell.id] = wall_s
        self.write()

    def write(self) -> None:
        """Write the manifest. Raises TsqlabError when the disk refuses."""
        text = json.dumps(self._manifest(), indent=1) + "\n"
        write_whole(self.path / MANIFEST, text.encode())

    def read(self) -> None:
        """Take over what an earlier run has done. Raises UsageError for another's folder."""
        try:
            old = json.loads((self.path / MANIFEST).read_text())
            owner, rows = old["experiment"], {row["id"]: row for row in old["cells"]}
        except FileNotFoundError:
            owner, rows = self.experiment.name, {}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"{self.path / MANIFEST}: damaged ({error}); remove it to start anew"
            ) from error
        if owner != self.experiment.name:
            raise UsageError(
                f'{self.path}: holds the experiment "{owner}"; choose another folder with --out'
            )
        for job in self.jobs:
            row = rows.get(job.cell.id, {})
            noted = row.get("state") == "done" and row.get("key") == job.key
            if job.file.exists() and (noted or _key_in(job.file) == job.key):
                self.wall_s[job.cell.id] = row.get("wall_s") if noted else None

    def _manifest(self) -> Mapping[str, Any]:
        spec = self.experiment.spec
        kernels = {job.kernel.id: job.kernel for job in self.jobs}
        return {
            "experiment": self.experiment.name,
            "title": spec.title,
            "paper": spec.paper,
            "figure": spec.figure,
            "comment": self.experiment.comment,
            "plots": list(spec.report.plots),
            "latency": spec.report.latency,
            "factors": list(self.experiment.factors),
            "kernels": [
                {
                    "id": kernel.id,
                    "release": kernel.release,
                    "hz": kernel.hz,
                    "series": kernel.version,
                }
                for kernel in kernels.values()
            ],
            "cells": [self._row(job) for job in self.jobs],
        }

    def _row(self, job: Job) -> Mapping[str, Any]:
        row = {
            "id": job.cell.id,
            "key": job.key,
            "factors": dict(job.cell.factors),
            "file": job.file.name,
            "state": "done" if self.done(job) else "waiting",
        }
        wall_s = self.wall_s.get(job.cell.id)
        return row if wall_s is None else row | {"wall_s": round(wall_s, 3)}


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
