# SPDX-License-Identifier: GPL-2.0-or-later
"""A run in which cells fail: one cause is told once."""

import pickle
import re
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace

import pytest

from tsqlab.errors import TsqlabError
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.guest.boot import GuestError
from tsqlab.kernels import Kernel
from tsqlab.runner import experiment as runner
from tsqlab.runner.cell import CellError, Job

KERNEL = Kernel("6.12", "6.12.1", 1000, "01", True, Path(), Path(), Path())
REFUSED = "tsqlab: error: write C /proc/sys/net/ipv4/tcp_sack 7: Invalid argument"


def cell_error(job, said):
    error = GuestError("the guest ended", ("cfg80211: a line", said))
    return CellError(job.cell.title, f"{error} (all of it: {job.cell.id}.log)", str(error))


class Pool:
    """Workers all of whose cells fail, with what *said* says of each."""

    def __init__(self, said):
        self.executor, self.said = self, said

    def submit(self, _, job):
        future = Future()
        # As if it came from another process.
        future.set_exception(pickle.loads(pickle.dumps(cell_error(job, self.said(job.cell)))))
        return future

    def ticks(self):
        return []

    def shutdown(self):
        pass

    def kill(self):
        pass


@pytest.fixture
def told(tmp_path, monkeypatch):
    """Run four cells that fail; what is told of each, and at the end."""
    path = tmp_path / "four.toml"
    path.write_text('title = "x"\n[matrix]\nqdisc = ["fq", "sfq"]\nseed = [1, 2]\n')

    def run(said):
        lines = []
        watcher = SimpleNamespace(
            start=lambda *_: None, failed=lambda cell, error: lines.append(f"{cell}: {error}")
        )
        monkeypatch.setattr(runner, "Workers", lambda _: Pool(said))
        experiment = load(str(path))
        jobs = tuple(
            Job(cell, "key", load_profile("gigabit"), KERNEL, tmp_path / "out")
            for cell in experiment.cells
        )
        with pytest.raises(TsqlabError) as caught:
            runner.run(experiment, jobs, tmp_path / "out", 1, watcher)
        return lines, str(caught.value)

    return run


def test_one_cause_is_told_once(told):
    lines, end = told(lambda _: REFUSED)
    assert len(lines) == 1
    assert re.match(r"(qdisc=s?fq,seed=[12]): cell \1: the guest ended", lines[0])
    assert REFUSED in lines[0]
    assert end == "4 of 4 cells failed, of 1 cause"


def test_another_cause_is_told_as_well(told):
    lines, end = told(lambda cell: f"{REFUSED} {cell.factors['qdisc']}")
    assert sorted(line.partition(",")[0] for line in lines) == ["qdisc=fq", "qdisc=sfq"]
    assert end == "4 of 4 cells failed, of 2 causes"


def test_causes_of_one_cell_each_are_not_counted(told):
    lines, end = told(lambda cell: f"{REFUSED} {cell.id}")
    assert (len(lines), end) == (4, "4 of 4 cells failed")
