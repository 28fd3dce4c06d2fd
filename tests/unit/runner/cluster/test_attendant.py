# SPDX-License-Identifier: GPL-2.0-or-later
"""The process that runs a worker's cells: what it is asked and answers, and how it ends."""

import io
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tsqlab.runner.cell import CellError
from tsqlab.runner.cluster import attendant as attending
from tsqlab.runner.cluster.attendant import Attendant, AttendantLostError, attend, seldom
from waiting import wait_until


def test_each_request_has_its_answers(monkeypatch):
    """A cell that takes 2.5 s, and one that fails."""
    monkeypatch.setattr(attending, "_TELL_EVERY_S", 0)

    def run_cell(job, cpu, on_second):
        assert cpu in os.sched_getaffinity(0)
        if job == "bad":
            raise CellError("cell bad", "the guest ended", "a cause", died=True)
        on_second(7)
        return 2.5

    monkeypatch.setattr(attending, "run_cell", run_cell)
    requests, answers = io.BytesIO(pickle.dumps("good") + pickle.dumps("bad")), io.BytesIO()
    attend(requests, answers)
    answers.seek(0)
    assert [pickle.load(answers), pickle.load(answers)] == [7, 2.5]
    error = pickle.load(answers)
    assert (str(error), error.died) == ("cell bad: the guest ended", True)
    assert answers.read() == b""


def test_progress_is_told_seldom(monkeypatch):
    now_s = [100.0]
    monkeypatch.setattr(attending.time, "monotonic", lambda: now_s[0])
    told = []
    tell = seldom(told.append)
    for second in range(20):
        tell(second)
        now_s[0] += 0.125
    assert told == [0, 4, 8, 12, 16]


def test_an_attendant_that_is_killed_is_lost():
    attendant = Attendant()
    os.kill(attendant._process.pid, signal.SIGKILL)
    attendant._process.wait()
    assert not attendant.runs
    with pytest.raises(AttendantLostError, match=r"its process has ended \(status -9\)"):
        attendant.run(None, lambda _: None)


def test_an_attendant_ends_with_its_worker():
    program = (
        "import signal\nfrom tsqlab.runner.cluster.attendant import Attendant\n"
        "attendant = Attendant()\nprint(attendant._process.pid, flush=True)\nsignal.pause()\n"
    )
    worker = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        pid = int(worker.stdout.readline())
        wait_until(lambda: command_of(pid))
    finally:
        worker.kill()
        worker.wait()
    wait_until(lambda: not command_of(pid))


def command_of(pid):
    """What a process runs; nothing of one that has ended, even if nobody has asked how."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:
        return b""
