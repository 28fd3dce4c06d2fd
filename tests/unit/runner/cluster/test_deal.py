# SPDX-License-Identifier: GPL-2.0-or-later
"""Cells on a cluster: who gets which, and what a lost or another worker means."""

import re

import pytest

from cluster import FakeCluster
from tsqlab.errors import TsqlabError
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.kernels import Kernel
from tsqlab.runner.cell import CellError, Job
from tsqlab.runner.cluster import deal as dealing
from tsqlab.runner.cluster.deal import TRIES, Deal
from tsqlab.runner.cluster.parcel import unpack
from tsqlab.runner.executor import Ended, Note, Second


@pytest.fixture
def jobs(tmp_path, monkeypatch):
    """Four cells over a kernel of a few bytes."""
    monkeypatch.setattr(dealing, "_LOOK_EVERY_S", 0)
    built = tmp_path / "kernel"
    (built / "modules").mkdir(parents=True)
    (built / "preload").mkdir()
    for name in ("linux", "agent", "modules/airlink.ko"):
        (built / name).write_text(name)
    kernel = Kernel("6.12", "6.12.1", 1000, "01", True, built / "linux", built / "modules",
                    built / "agent")  # fmt: skip
    path = tmp_path / "four.toml"
    path.write_text('title = "x"\n[matrix]\nseed = [1, 2, 3, 4]\n')
    profile, made_by = load_profile("gigabit"), frozenset({"ip", "tc"})
    return [
        Job(cell, "key", profile, kernel, tmp_path / "out", made_by=made_by)
        for cell in load(str(path)).cells
    ]


def events(deal, times=1):
    return [event for _ in range(times) for event in deal.events(0)]


def notes(happened):
    return [event.text for event in happened if isinstance(event, Note)]


def dealt(cluster, jobs):
    deal = Deal(cluster)
    for job in jobs:
        deal.submit(job)
    return deal


def test_a_worker_has_as_many_cells_as_it_has_room_for(jobs):
    cluster = FakeCluster(a=1, b=2)
    deal = dealt(cluster, jobs)
    events(deal, 3)
    assert sorted(worker for _, worker, _ in cluster.started) == ["a", "b", "b"]
    cluster.answer(cluster.on("a"), files={"seed=1.flent.gz": b"1"}, wall_s=2.5)
    (ended,) = events(deal)
    assert (ended.job.cell.id, ended.wall_s, ended.error) == ("seed=1", 2.5, None)
    events(deal)
    assert cluster.started[-1][:2] == (4, "a")


def test_files_are_there_when_a_cell_has_ended(jobs):
    cluster = FakeCluster(a=1)
    deal = dealt(cluster, jobs[:1])
    events(deal)
    (job,) = jobs[:1]
    cluster.answer(1, files={"seed=1.flent.gz": b"result", "../elsewhere": b"x", "other": b"x"})
    assert events(deal) == [Ended(job)]
    assert job.file.read_bytes() == b"result"
    assert [path.name for path in job.folder.iterdir()] == [job.file.name], "and no others"
    assert not (job.folder.parent / "elsewhere").exists()


def test_a_worker_is_sent_what_it_lacks_once(jobs):
    cluster = FakeCluster(a=1, b=1)
    deal = dealt(cluster, jobs)
    events(deal)
    (name,) = cluster.has["a"]
    assert cluster.has["b"].keys() == {name}
    assert {path: file.content for path, file in cluster.has["a"][name].items()} == {
        "linux": b"linux", "agent": b"agent", "modules/airlink.ko": b"modules/airlink.ko",
    }  # fmt: skip
    (_, _, parcel), *_ = cluster.started
    assert parcel.needs.names == (name,)
    assert str(jobs[0].kernel.linux).encode() not in parcel.job
    cluster.cannot["c"] = AssertionError("it has it")
    cluster.has["c"], cluster.rooms["c"] = {name: ()}, 1
    assert notes(events(deal)) == []


def test_the_cell_of_a_lost_worker_is_run_again(jobs):
    cluster = FakeCluster(a=1, b=1)
    deal = dealt(cluster, jobs[:2])
    events(deal)
    lost = cluster.on("a")
    cluster.heard.append((lost, 7))
    assert events(deal) == [Second("seed=1", 7)]
    del cluster.rooms["a"]
    cluster.answer(cluster.on("b"))
    happened = events(deal, 2)
    assert Second("seed=1", 0) in happened
    assert notes(happened) == [
        "cell seed=1 is run again: worker a is lost, it has left the cluster"
    ]
    assert cluster.forgotten == [lost]
    assert cluster.started[-1][:2] == (3, "b")
    cluster.answer(lost, files={"seed=1.flent.gz": b"late"})
    assert events(deal) == [], "nobody waits for that one"
    cluster.answer(3)
    assert events(deal) == [Ended(jobs[0])]


def test_a_cell_that_ends_its_workers_fails(jobs):
    cluster = FakeCluster(a=1)
    deal = dealt(cluster, jobs[:1])
    happened = []
    for number in range(TRIES):
        cluster.rooms = {f"w{number}": 1}
        happened += events(deal)
        cluster.answer(number + 1, lost="its process has ended")
        happened += events(deal)
    assert len(notes(happened)) == TRIES - 1
    error = happened[-1].error
    assert str(error).startswith(
        f"cell seed=1: {TRIES} workers were lost while they ran it: w0, w1, w2; it may be what "
    )


def test_other_cells_go_on_when_one_ends_its_workers(jobs):
    """One of four ends each worker that takes it; the others are done all the same."""
    cluster = FakeCluster(a=1)
    deal = dealt(cluster, jobs)
    ended = []
    for number in range(TRIES + 3):
        cluster.rooms = {f"w{number}": 1}
        ended += events(deal)
        task, _, parcel = cluster.started[-1]
        if unpack(parcel).cell.id == "seed=2":
            cluster.answer(task, lost="killed")
        else:
            cluster.answer(task)
        ended += events(deal)
    ended = {event.job.cell.id: event.error for event in ended if isinstance(event, Ended)}
    assert {name for name, error in ended.items() if error} == {"seed=2"}
    assert len(ended) == 4


def test_an_error_says_which_worker_it_was_on(jobs):
    cluster = FakeCluster(a=1)
    deal = dealt(cluster, jobs[:1])
    events(deal)
    error = CellError("cell seed=1", "the guest ended", "a cause", died=True)
    cluster.answer(1, error=error, files={"logs/seed=1.log": b"console"})
    (ended,) = events(deal)
    assert str(ended.error) == "cell seed=1 (on a): the guest ended"
    assert (ended.error.cause, ended.error.died) == ("a cause", True)
    assert jobs[0].console.read_bytes() == b"console"


def test_an_answer_that_is_none_is_a_failure_of_its_cell(jobs):
    cluster = FakeCluster(a=1)
    deal = dealt(cluster, jobs[:1])
    events(deal)
    cluster.ready.append((1, MemoryError("no room")))
    (ended,) = events(deal)
    assert str(ended.error) == "cell seed=1 (on a): MemoryError: no room"


def test_files_that_cannot_be_written_are_a_failure_of_their_cell(jobs):
    cluster = FakeCluster(a=1)
    deal = dealt(cluster, jobs[:1])
    events(deal)
    jobs[0].folder.write_text("a file in its place")
    cluster.answer(1, files={"seed=1.flent.gz": b"x"})
    (ended,) = events(deal)
    assert str(ended.error).startswith("cell seed=1: ")
    assert "/out" in str(ended.error)


def test_a_worker_of_another_kind_gets_no_cells(jobs):
    """One has another ip, which could give other bytes."""
    cluster = FakeCluster(a=1, b=1)
    cluster.abouts["b"] = {"guests' ip": "another"}
    deal = dealt(cluster, jobs)
    happened = events(deal, 3)
    assert {worker for _, worker, _ in cluster.started} == {"a"}
    assert notes(happened) == [
        "worker b gets no cells: its guests would run other programs or libraries: ip"
    ]
    assert "b" not in cluster.has


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (ModuleNotFoundError("No module named 'tsqlab'"),
         "it has no tsqlab, or another version (No module named 'tsqlab')"),
        (OSError("gone"), "it does not say what it is (OSError: gone)"),
        ({"tsqlab": "0.0.9"}, "tsqlab is 0.0.9 there, and "),
        ({"the sources of tsqlab": "x"}, "the sources of tsqlab are others"),
    ],
)  # fmt: skip
def test_without_a_worker_of_its_kind_a_run_ends(jobs, answer, why):
    cluster = FakeCluster(a=1)
    cluster.abouts["a"] = answer
    happened = dealt(cluster, jobs).events(0)
    assert next(happened).text.startswith(f"worker a gets no cells: {why}")
    with pytest.raises(TsqlabError, match=f"worker a may not run cells: {re.escape(why)}"):
        next(happened)
    assert cluster.started == []


def test_a_run_waits_for_the_only_good_worker_to_come_back(jobs):
    cluster = FakeCluster(a=1, b=1)
    cluster.abouts["b"] = OSError("odd")
    deal = dealt(cluster, jobs)
    events(deal)
    del cluster.rooms["a"]
    assert notes(events(deal, 2))[-1] == "waiting for workers of fake:1: it has none now"
    cluster.rooms["a2"] = 1
    events(deal)
    assert cluster.started[-1][1] == "a2"


def test_a_worker_whose_disk_is_full_gets_no_cells(jobs):
    cluster = FakeCluster(a=1, b=1)
    cluster.cannot["a"] = TsqlabError("/cache: No space left on device")
    happened = events(dealt(cluster, jobs))
    assert notes(happened) == [
        "worker a gets no cells: it cannot keep what guests are booted with: /cache: No space "
        "left on device"
    ]
    assert {worker for _, worker, _ in cluster.started} == {"b"}


def test_a_run_waits_for_workers_and_says_so_once(jobs):
    cluster = FakeCluster()
    deal = dealt(cluster, jobs)
    assert notes(events(deal, 3)) == ["waiting for workers of fake:1: it has none now"]
    cluster.rooms = {"late": 1}
    assert events(deal) == []
    assert [worker for _, worker, _ in cluster.started] == ["late"]


def test_a_run_that_is_ended_stops_its_workers(jobs):
    cluster = FakeCluster(a=1, b=1)
    deal = dealt(cluster, jobs)
    events(deal)
    deal.kill()
    assert sorted(cluster.forgotten) == [1, 2]
    assert sorted(cluster.stopped) == ["a", "b"]
    assert cluster.closed


def test_a_run_that_is_done_leaves_nothing_running(jobs):
    cluster = FakeCluster(a=1)
    deal = dealt(cluster, jobs[:1])
    events(deal)
    cluster.answer(1)
    events(deal)
    deal.end()
    assert (cluster.stopped, cluster.closed) == (["a"], True)


def test_a_kernel_that_is_gone_is_an_error_of_its_cell(jobs):
    jobs[0].kernel.linux.unlink()
    deal = Deal(FakeCluster(a=1))
    with pytest.raises(TsqlabError, match=r"cell seed=1 cannot be sent: .*linux"):
        deal.submit(jobs[0])
