# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run writes of itself, by the number of its cells: the manifest and its journal.

    .venv/bin/python bench/journal.py [CELLS ...]

No guest runs: each cell is noted as done at once, as by a run whose guests take no time. A column
that is the same in all rows says that the whole grows in proportion to the cells. Beside it stands
what it would be if the manifest were written after each cell, as it was until 0.1.0.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.kernels import Kernel
from tsqlab.results.folder import MANIFEST, read_manifest
from tsqlab.results.journal import JOURNAL
from tsqlab.runner.cell import Job
from tsqlab.runner.folder import FolderState

_CELLS = (1_250, 2_500, 5_000, 10_000)
_COLUMNS = (
    "cells", "manifest, MB", "journal, bytes a cell", "written, bytes a cell", "time, us a cell",
    "read, us a cell", "with a manifest a cell, MB",
)  # fmt: skip


def main() -> None:
    """Print a row for each number of cells."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cells", nargs="*", type=int, default=_CELLS)
    print(" | ".join(_COLUMNS))
    for cells in parser.parse_args().cells:
        with tempfile.TemporaryDirectory() as folder:
            print(" | ".join(_row(Path(folder), cells)))
            sys.stdout.flush()


def _row(folder: Path, cells: int) -> list[str]:
    file = folder / "many.toml"
    file.write_text(f'title = "many"\n[matrix]\nseed = {list(range(1, cells + 1))}\n')
    experiment = load(str(file))
    kernel = Kernel("6.12", "6.12.1", 1000, "01", True, folder, folder, folder)
    profile = load_profile(experiment.spec.testbed.device)
    out = folder / "out"
    out.mkdir()
    jobs = tuple(Job(cell, f"{cell.id:0>16.16}", profile, kernel, out) for cell in experiment.cells)
    state = FolderState(out, experiment, jobs)

    written, begun = _written(), time.process_time()
    state.write()
    for job in jobs:
        state.note(job, 1.0)
    journal = (out / JOURNAL).stat().st_size
    state.write()
    written, took_s = _written() - written, time.process_time() - begun

    begun = time.process_time()
    read_manifest(out)
    read_s = time.process_time() - begun
    manifest = (out / MANIFEST).stat().st_size
    each = (journal, written, took_s * 1e6, read_s * 1e6)
    return [
        str(cells), f"{manifest / 1e6:.2f}", *(f"{value / cells:.0f}" for value in each),
        f"{manifest * cells / 1e6:.0f}",
    ]  # fmt: skip


def _written() -> int:
    """How many bytes this process has written, to whatever."""
    lines = Path("/proc/self/io").read_text("utf-8").splitlines()
    return int(dict(line.split(": ") for line in lines)["wchar"])


if __name__ == "__main__":
    main()
