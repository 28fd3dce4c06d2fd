# SPDX-License-Identifier: GPL-2.0-or-later
"""What an experiment of many cells costs beside its guests: CPU time and memory, stage by stage.

    .venv/bin/python bench/scale.py CELL.flent.gz [CELLS ...]

No guest runs: the given result of a cell stands for each of so many (as links to it), so files are
read as long as they would be. Each stage runs in a process of its own, whose CPU time and largest
memory are printed, by cell and in all. docs/scale.md says what a million cells come to.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.experiment.load import Experiment, load
from tsqlab.kernels import Kernel
from tsqlab.report import make_report
from tsqlab.runner import experiment as runner
from tsqlab.runner.cell import Job
from tsqlab.runner.folder import FolderState
from tsqlab.runner.local import local
from tsqlab.runner.merge import merge

_CELLS = (1_000, 2_000, 4_000)
_RESULT, _COUNT = "given.flent.gz", "cells"


def main() -> None:
    """Print a row for each stage and number of cells."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("result", type=Path)
    parser.add_argument("cells", nargs="*", type=int, default=_CELLS)
    parser.add_argument("--stage", choices=_STAGES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.stage:
        _STAGES[options.stage](options.result)
        return
    print("cells | stage | CPU, s | ms a cell | memory, MB")
    for cells in options.cells:
        with tempfile.TemporaryDirectory(dir=options.result.parent) as name:
            os.link(options.result, Path(name) / _RESULT)
            (Path(name) / _COUNT).write_text(str(cells))
            for stage in _STAGES:
                _print(stage, Path(name), cells)


def _make(folder: Path) -> None:
    """The folder of a run that is all done, and its experiment's file."""
    result, cells = folder / _RESULT, int((folder / _COUNT).read_text())
    text = f'title = "many"\n[matrix]\nseed = {list(range(1, cells + 1))}\n'
    (folder / "many.toml").write_text(f'{text}[report]\nplots = ["goodput-ping"]\n')
    (folder / "out").mkdir()
    experiment, jobs = _jobs(folder)
    state = FolderState(folder / "out", experiment, jobs)
    for job in jobs:
        os.link(result, job.file)
        state.wall_s[job.cell.id] = 1.0
    state.write()


def _jobs(folder: Path) -> tuple[Experiment, tuple[Job, ...]]:
    experiment = load(str(folder / "many.toml"))
    kernel = Kernel("6.12", "6.12.1", 1000, "01", True, folder, folder, folder)
    return experiment, runner.jobs_of(experiment, folder / "out", lambda _: kernel)


def _nothing(folder: Path) -> None:
    """What each stage has to load."""


def _keys(folder: Path) -> None:
    """Read the experiment, and make the key of each cell."""
    _jobs(folder)


def _again(folder: Path) -> None:
    """Run it when all is done: keys, the manifest, the summary."""
    experiment, jobs = _jobs(folder)
    runner.run(experiment, jobs, folder / "out", local(1), _Quiet())


class _Quiet:
    """A watcher that has nothing to see."""

    def start(self, cells: int, done: int, seconds: float) -> None:
        """See Watcher."""

    def tick(self, seconds: float) -> None:
        """See Watcher."""

    def finished(self, cell: str, wall_s: float) -> None:
        """See Watcher."""

    def failed(self, cell: str, error: TsqlabError) -> None:
        """See Watcher."""

    def told(self, text: str) -> None:
        """See Watcher."""


def _merged(folder: Path) -> None:
    """Copy it into another folder."""
    merge([folder / "out"], folder / "merged")


def _reported(folder: Path) -> None:
    """Make its page, its plot and its means."""
    make_report(folder / "out")


_STAGES: dict[str, Callable[[Path], None]] = {
    "(make)": _make, "start": _nothing, "keys": _keys, "run again": _again, "merge": _merged,
    "report": _reported,
}  # fmt: skip


def _print(stage: str, folder: Path, cells: int) -> None:
    process = subprocess.Popen([sys.executable, __file__, str(folder), "--stage", stage])
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise SystemExit(f"{stage} failed")
    cpu_s, memory_kb = used.ru_utime + used.ru_stime, used.ru_maxrss
    row = (stage, f"{cpu_s:.1f}", f"{cpu_s / cells * 1e3:.2f}", f"{memory_kb / 1e3:.0f}")
    print(" | ".join((str(cells), *row)), flush=True)


if __name__ == "__main__":
    main()
