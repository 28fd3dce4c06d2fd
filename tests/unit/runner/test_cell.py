# SPDX-License-Identifier: GPL-2.0-or-later
"""A cell's files: those of one run, whatever becomes of another."""

from dataclasses import replace

import pytest

from made_up_run import KERNEL, leave_result, make_up_runs, run
from tsqlab.experiment.load import load
from tsqlab.guest.captures import captures
from tsqlab.guest.testbed import wiring
from tsqlab.runner import cell as cells
from tsqlab.runner.experiment import jobs_of


@pytest.fixture
def experiment():
    return load("tptsq-4", ["seed=1", 'capture=["C>R"]'])


def test_a_result_never_stands_beside_another_run_s_captures(tmp_path, monkeypatch, experiment):
    """The next run, with another kernel, is interrupted when its guest has ended."""
    edited = replace(KERNEL, id="edited")
    before, after = (jobs_of(experiment, tmp_path, lambda _, k=kernel: k)[0]
                     for kernel in (KERNEL, edited))  # fmt: skip
    leave_result(before)
    (capture,) = before.pcaps.values()
    spec = before.cell.spec
    (told,) = captures(spec, wiring(spec, before.profile, before.others))

    def run_plan(*words):
        out = words[2] / "out"
        out.mkdir(parents=True)
        (out / f"{told.series}.pcap").write_text("of the edited kernel")
        return out

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(cells, "run_plan", run_plan)
    monkeypatch.setattr(cells, "collect", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cells.run_cell(after)
    assert capture.read_text() == "of the edited kernel"
    assert not before.file.exists()

    ran = []
    make_up_runs(monkeypatch, lambda job: (ran.append(job.cell.id), leave_result(job))[1])
    run(experiment, tmp_path, KERNEL)
    assert before.cell.id in ran
    assert before.key in capture.read_text()


def test_a_run_removes_what_killed_writers_have_left(tmp_path, monkeypatch, experiment):
    make_up_runs(monkeypatch)
    (tmp_path / "pcaps").mkdir()
    left = [tmp_path / ".cell.flent.gz.abc.unfinished", tmp_path / "pcaps" / ".x.y.unfinished"]
    mine = tmp_path / "notes.unfinished"
    for path in (*left, mine):
        path.touch()
    run(experiment, tmp_path)
    assert not any(path.exists() for path in left)
    assert mine.exists()
