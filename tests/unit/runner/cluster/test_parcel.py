# SPDX-License-Identifier: GPL-2.0-or-later
"""A cell's way to a worker and back: without paths there, and only its own files back."""

from dataclasses import replace

import pytest

from tsqlab.errors import TsqlabError
from tsqlab.experiment.load import load
from tsqlab.kernels import Kernel
from tsqlab.kernels.own_modules import OwnModule
from tsqlab.runner.cluster import parcel as parcels
from tsqlab.runner.cluster.content import keep
from tsqlab.runner.cluster.parcel import Left, Packer, deliver, gather, placed, unpack
from tsqlab.runner.experiment import jobs_of

FILE = """\
title = "x"
[lab]
capture = ["C>R"]
[[program]]
name = "run"
node = "C"
command = ["sh", "/srv/script"]
see."/srv/script" = "script"
"""


@pytest.fixture
def job(tmp_path, monkeypatch):
    """A cell that has a program, a capture and a module of its own, and runs wqm."""
    monkeypatch.setenv("TSQLAB_CACHE", str(tmp_path / "cache"))
    built = tmp_path / "kernel"
    (built / "modules").mkdir(parents=True)
    for name in ("linux", "agent", "modules/wireline.ko", "modules/wireline.log", "own.ko", "wqm"):
        (built / name).write_text(name)
    (built / "linux").chmod(0o755)
    (tmp_path / "script").write_text("true\n")
    (tmp_path / "x.toml").write_text(FILE)
    kernel = Kernel("6.12", "6.12.1", 1000, "01", True, built / "linux", built / "modules",
                    built / "agent")  # fmt: skip
    monkeypatch.setattr(parcels, "wqm_daemon", lambda: built / "wqm")
    monkeypatch.setattr(parcels, "_runs_daemon", lambda _: True)
    (job,) = jobs_of(load(str(tmp_path / "x.toml")), tmp_path / "out", lambda _: kernel)
    return replace(job, modules=(OwnModule("mine", "key", built / "own.ko", (), ""),))


def test_a_cell_is_placed_where_its_content_is_kept(job, tmp_path):
    packer = Packer()
    parcel = packer.pack(job)
    for name in parcel.needs.names:
        keep(name, packer.files(name))
    there = placed(unpack(parcel), parcel, tmp_path / "scratch")
    assert (there.key, there.cell.spec) == (job.key, job.cell.spec)
    assert there.folder == tmp_path / "scratch"
    assert there.kernel.linux.read_text() == "linux"
    assert there.kernel.linux.stat().st_mode & 0o777 == 0o755
    assert there.kernel.agent.read_text() == "agent"
    assert [path.name for path in there.kernel.modules.iterdir()] == ["wireline.ko"]
    assert there.modules[0].file.read_text() == "own.ko"
    assert (there.modules[0].name, there.modules[0].key) == ("mine", "key")
    assert there.daemon.read_text() == "wqm"
    assert there.shown == job.shown


def test_a_cell_without_a_daemon_is_sent_none(job, monkeypatch):
    monkeypatch.setattr(parcels, "_runs_daemon", lambda _: False)
    assert len(Packer().pack(job).needs.names) == 2


@pytest.mark.parametrize(
    "change", [lambda path: path.write_text("false\n"), lambda path: path.unlink()]
)
def test_a_worker_that_has_other_files_for_programs_does_not_run_them(job, tmp_path, change):
    parcel = Packer().pack(job)
    change(tmp_path / "script")
    with pytest.raises(TsqlabError, match="a worker needs the same files at the same places"):
        placed(unpack(parcel), parcel, tmp_path / "scratch")


def test_what_a_cell_leaves_comes_back_whole(job, tmp_path):
    there = replace(job, folder=tmp_path / "scratch")
    for number, path in enumerate((*there.beside, there.file, there.folder / "other")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"%d" % number)
    job.console.parent.mkdir(parents=True)
    job.console.write_text("of an earlier try")
    files = gather(there)
    assert len(files) == 1 + 3 + 1, "a capture, three of a program, and the result"
    deliver(Left(files), job)
    assert [path.read_bytes() for path in (*job.beside, job.file)] == [b"0", b"1", b"2", b"3", b"4"]
    assert not job.console.exists()
    assert not (job.folder / "other").exists()


@pytest.mark.parametrize("what", ["captures", "console"])
def test_a_result_never_stands_beside_what_another_run_has_left(job, what):
    """As of a cell whose program fails, after its captures are there: it has no result."""
    for path in (*job.beside, job.file, job.console):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("of the run before")
    names = [str(path.relative_to(job.folder)) for path in (*job.beside, job.console)]
    deliver(Left(dict.fromkeys(names[-1:] if what == "console" else names, b"of this")), job)
    assert job.console.read_text() == "of this"
    assert job.file.exists() == (what == "console")
