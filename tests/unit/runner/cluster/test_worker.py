# SPDX-License-Identifier: GPL-2.0-or-later
"""What a worker does with a parcel, with an attendant that runs no guest."""

from pathlib import Path

import pytest

from tsqlab.errors import TsqlabError
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.kernels import Kernel
from tsqlab.runner.cell import CellError, Job
from tsqlab.runner.cluster import worker
from tsqlab.runner.cluster.attendant import AttendantLostError
from tsqlab.runner.cluster.parcel import Needs, Parcel

KERNEL = Kernel("6.12", "6.12.1", 1000, "01", True, Path(), Path(), Path())


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a cell whose attendant does as told; what it leaves."""
    path = tmp_path / "x.toml"
    path.write_text('title = "x"\n')
    (cell,) = load(str(path)).cells
    home = Job(cell, "key", load_profile("gigabit"), KERNEL, Path("/home/of/results"))
    monkeypatch.setattr(worker, "unpack", lambda _: home)
    (tmp_path / "scratch").mkdir()

    def ran(does):
        class Attendant:
            runs = True

            def run(self, job, on_second):
                assert worker._serves[self] == "run"
                return does(job, on_second)

        worker._mine.attendant = None
        monkeypatch.setattr(worker, "Attendant", Attendant)
        seconds = []
        left = worker.run_parcel(
            "run", Parcel(b"", Needs("kernel", (), "")), tmp_path / "scratch", seconds.append
        )
        assert list((tmp_path / "scratch").iterdir()) == [], "nothing stays"
        return left, seconds

    yield ran
    worker._mine.attendant = None
    worker._serves.clear()


def test_a_cell_s_files_are_its_answer(run):
    def does(job, on_second):
        on_second(3)
        job.file.write_bytes(b"result")
        return 2.5

    left, seconds = run(does)
    assert (left.files, left.wall_s, left.error, left.lost) == (
        {"cell.flent.gz": b"result"}, 2.5, None, "",
    )  # fmt: skip
    assert seconds == [3]


def test_an_error_s_paths_are_those_of_home(run):
    def does(job, _):
        job.console.parent.mkdir()
        job.console.write_bytes(b"console")
        message = f"the guest ended (all of it: {job.console})"
        raise CellError("the cell", message, f"{job.folder}: full", died=True)

    left, _ = run(does)
    assert str(left.error) == (
        "the cell: the guest ended (all of it: /home/of/results/logs/cell.log)"
    )
    assert (left.error.cause, left.error.died) == ("/home/of/results: full", True)
    assert left.files == {"logs/cell.log": b"console"}


def test_a_lost_attendant_is_said(run):
    def does(*_):
        raise AttendantLostError("its process has ended (status -9)")

    left, _ = run(does)
    assert left.lost == "its process has ended (status -9)"


def test_a_cell_that_cannot_be_placed_is_an_error(run, monkeypatch):
    def refuse(*_):
        raise TsqlabError("other files")

    monkeypatch.setattr(worker, "placed", refuse)
    left, _ = run(None)
    assert str(left.error) == "the cell: other files"


def test_stop_ends_the_attendants_of_one_run(monkeypatch):
    ended = []

    class Attendant:
        def __init__(self, name):
            self.name = name

        def end(self):
            ended.append(self.name)

    serves = {Attendant("mine"): "mine", Attendant("other"): "other"}
    monkeypatch.setattr(worker, "_serves", serves)
    worker.stop("mine")
    worker.stop("mine")
    assert ended == ["mine"]
    assert list(serves.values()) == ["other"]
