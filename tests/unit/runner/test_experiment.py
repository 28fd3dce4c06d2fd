# SPDX-License-Identifier: GPL-2.0-or-later
"""A run in which cells fail: one cause is told once."""

import pickle
import re
from pathlib import Path

import pytest

from tsqlab.errors import TsqlabError
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.guest.boot import GuestError
from tsqlab.kernels import Kernel
from tsqlab.results.folder import read_manifest
from tsqlab.runner import experiment as runner
from tsqlab.runner.cell import CellError, Job
from tsqlab.runner.executor import Ended, Note, Second

KERNEL = Kernel("6.12", "6.12.1", 1000, "01", True, Path(), Path(), Path())
REFUSED = "tsqlab: error: write C /proc/sys/net/ipv4/tcp_sack 7: Invalid argument"


def cell_error(job, said):
    error = GuestError("the guest ended", ("cfg80211: a line", said))
    return CellError(job.cell.title, f"{error} (all of it: {job.cell.id}.log)", str(error))


class Executor:
    """An executor of which each cell has ended as *end* says, which is given its job."""

    def __init__(self, end):
        self.end_of, self.waiting, self.over = end, [], ""

    def submit(self, job):
        self.waiting.append(job)

    def events(self, _):
        yield from self.end_of(self.waiting.pop(0))

    def end(self):
        self.over += "ended"

    def kill(self):
        self.over += "killed"


class Told:
    """A watcher that writes down what it is told."""

    def __init__(self):
        self.lines, self.seconds, self.notes = [], [], []

    def start(self, cells, done, seconds):
        pass

    def tick(self, seconds):
        self.seconds.append(seconds)

    def finished(self, cell, wall_s):
        self.lines.append(f"{cell}: {wall_s}")

    def failed(self, cell, error):
        self.lines.append(f"{cell}: {error}")

    def told(self, text):
        self.notes.append(text)


@pytest.fixture
def run_four(tmp_path):
    """Run four cells on an executor whose cells end as a function says; what is told."""
    path = tmp_path / "four.toml"
    path.write_text('title = "x"\n[matrix]\nqdisc = ["fq", "sfq"]\nseed = [1, 2]\n')

    def run(end, watcher):
        executor = Executor(end)
        experiment = load(str(path))
        jobs = tuple(
            Job(cell, "key", load_profile("gigabit"), KERNEL, tmp_path / "out")
            for cell in experiment.cells
        )
        try:
            runner.run(experiment, jobs, tmp_path / "out", lambda _: executor, watcher)
        finally:
            assert executor.over in ("ended", "killed")
            watcher.over = executor.over

    return run


@pytest.fixture
def told(run_four):
    """Run four cells that fail; what is told of each, and at the end."""

    def run(said):
        def end(job):
            # As if it came from another process.
            yield Ended(job, error=pickle.loads(pickle.dumps(cell_error(job, said(job.cell)))))

        watcher = Told()
        with pytest.raises(TsqlabError) as caught:
            run_four(end, watcher)
        assert watcher.over == "ended", "a failed cell ends nothing"
        return watcher.lines, str(caught.value)

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


def leave(job):
    """What any executor has done when it says that a cell has ended."""
    job.folder.mkdir(exist_ok=True)
    job.file.touch()
    return Ended(job, 1.5)


def test_a_cell_that_has_ended_is_done(run_four, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "_summarise", lambda _: None)
    watcher = Told()
    run_four(lambda job: [leave(job)], watcher)
    assert len(watcher.lines) == 4
    assert [cell.wall_s for cell in read_manifest(tmp_path / "out").cells] == [1.5] * 4


def test_a_cell_that_is_run_again_takes_its_seconds_back(run_four, monkeypatch):
    """Of 7 s, then lost, then 2 and 9 s, nine have been run; and all of 70 s when it ends."""
    monkeypatch.setattr(runner, "_summarise", lambda _: None)
    watcher = Told()

    def end(job):
        for second in (7, 0, 2, 9):
            yield Second(job.cell.id, second)
        yield Note("again")
        yield leave(job)

    run_four(end, watcher)
    assert watcher.seconds[:5] == [7, -7, 2, 7, 61]
    assert sum(watcher.seconds) == 4 * 70
    assert watcher.notes == ["again"] * 4


@pytest.mark.parametrize("error", [TsqlabError("nobody is there"), KeyboardInterrupt()])
def test_what_ends_a_run_ends_its_executor(run_four, error):
    def end(_):
        raise error
        yield

    watcher = Told()
    with pytest.raises(type(error)):
        run_four(end, watcher)
    assert watcher.over == "killed"
