# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs whose guests are made up: each cell leaves its files at once, no two the same.

All else is as in a run: keys, the manifest and its journal, the summary.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from synthetic import record
from tsqlab.experiment.load import Experiment
from tsqlab.experiment.stored import plain
from tsqlab.kernels import Kernel
from tsqlab.results.flent import to_flent, write_flent
from tsqlab.runner import experiment as runner
from tsqlab.runner import local
from tsqlab.runner.cell import Job

KERNEL = Kernel("6.12", "6.12.1", 1000, "0123abcd", True, Path(), Path(), Path())

TOOK_S = 1.25
"""The real time of each cell, which is the one thing that differs from run to run."""


def leave_result(job: Job) -> float:
    """What a worker does: the cell's files are there afterwards."""
    document = to_flent(record())
    share = 1 + zlib.crc32(job.cell.id.encode()) % 100 / 1000
    results = {name: [value if value is None else value * share for value in values]
               for name, values in document["results"].items()}  # fmt: skip
    lab = document["metadata"]["TSQLAB"] | {
        "key": job.key, "spec": plain(job.cell.spec), "device": plain(job.profile),
        "kernel": {"release": job.kernel.release, "id": job.kernel.id},
    }  # fmt: skip
    for path in job.beside:
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{path.name} of {job.key}")
    metadata = document["metadata"] | {"TSQLAB": lab}
    write_flent(job.file, document | {"results": results, "metadata": metadata})
    return TOOK_S


class Pool:
    """Workers of a run, as far as it looks at them; *order* is the one that cells end in."""

    def __init__(self, worker: Callable[[Job], float]) -> None:
        self.executor, self.worker = self, worker

    def submit(self, _: Any, job: Job) -> Future[float]:
        future: Future[float] = Future()
        job.console.parent.mkdir(parents=True, exist_ok=True)
        try:
            future.set_result(self.worker(job))
        except Exception as error:
            future.set_exception(error)
        return future

    def ticks(self) -> Iterable[Any]:
        return ()

    def shutdown(self) -> None:
        pass

    def kill(self) -> None:
        pass


def make_up_runs(
    monkeypatch: pytest.MonkeyPatch, worker: Callable[[Job], float] = leave_result
) -> None:
    """From now on a run's cells are done by *worker*, in this process."""
    monkeypatch.setattr(local, "Workers", lambda _: Pool(worker))


def run(experiment: Experiment, folder: Path, kernel: Kernel = KERNEL) -> None:
    """Run an experiment's cells into a folder, as ``tsqlab run`` does."""
    jobs = runner.jobs_of(experiment, folder, lambda _: kernel)
    quiet = SimpleNamespace(
        **dict.fromkeys(("start", "finished", "failed", "tick", "told"), _nothing)
    )
    runner.run(experiment, jobs, folder, local.local(1), quiet)


def _nothing(*_: Any) -> None:
    pass


def files_in(folder: Path) -> Mapping[str, bytes]:
    """All that is in a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
