# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes that run guests take CPUs of their own, whichever run they are of.

The CPUs have numbers that no machine has, so that guests of other tests are in nobody's way.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence

import pytest

from tsqlab.cli import executors, main, run
from tsqlab.runner import cpus, workers
from waiting import wait_until

CLAIM = """\
import os, sys
from tsqlab.runner.cpus import claim_cpu
numbers = {int(number) for number in sys.argv[1:]}
os.sched_getaffinity = lambda _: numbers
while True:
    print(claim_cpu(), flush=True)
    if not sys.stdin.readline():
        break
"""

FIRST = 100_000 + os.getpid() * 10  # other runs of these tests have others


class Claimer:
    """A process that runs guests, as far as CPUs go."""

    def __init__(self, count: int) -> None:
        numbers = [str(FIRST + at) for at in range(count)]
        self.process = subprocess.Popen(
            [sys.executable, "-c", CLAIM, *numbers],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.cpu = self.told()

    def told(self) -> int:
        assert self.process.stdout
        return int(self.process.stdout.readline()) - FIRST

    def next_guest(self) -> int:
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.told()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


Claim = Callable[[int, int], list[Claimer]]


@pytest.fixture
def claim() -> Iterator[Claim]:
    """Start so many processes, one after the other, on so many CPUs."""
    started: list[Claimer] = []

    def start(processes: int, count: int) -> list[Claimer]:
        new = [Claimer(count) for _ in range(processes)]
        started.extend(new)
        return new

    yield start
    for one in started:
        one.kill()


def of(claimers: Sequence[Claimer]) -> list[int]:
    return [one.cpu for one in claimers]


def test_each_has_its_own_while_there_are_any(claim: Claim) -> None:
    assert sorted(of(claim(3, 3))) == [0, 1, 2]


def test_where_there_are_more_no_cpu_has_two_more_than_another(claim: Claim) -> None:
    taken = of(claim(5, 2))
    assert sorted(taken[:2]) == [0, 1]
    assert sorted(taken[2:4]) == [0, 1]
    assert taken.count(0) + taken.count(1) == 5


def test_a_process_that_is_killed_leaves_its_cpu(claim: Claim) -> None:
    first, second = claim(2, 2)
    first.kill()
    assert second.cpu == 1
    assert of(claim(1, 2)) == [0]


def test_one_that_shares_a_cpu_moves_to_one_that_has_become_free(claim: Claim) -> None:
    first, second, third = claim(3, 2)
    assert third.cpu == 0, "as first's"
    assert third.next_guest() == 0
    second.kill()
    assert third.next_guest() == 1
    assert third.next_guest() == 1
    assert first.next_guest() == 0
    assert of(claim(1, 2)) == [0], "and has left the place that it had: the second one there"


def test_the_place_goes_with_the_process_not_with_what_it_has_started(claim: Claim) -> None:
    """A guest that outlives its worker by an instant keeps nobody from its CPU."""
    code = CLAIM.replace(
        "while True", "import subprocess\nsubprocess.Popen(['sleep', '60'])\nwhile True"
    )
    assert code != CLAIM
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(FIRST)], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stdout
    try:
        assert process.stdout.readline() == f"{FIRST}\n"
        process.wait()
        assert of(claim(1, 2)) == [0]
    finally:
        os.killpg(process.pid, signal.SIGKILL)


def test_how_many_are_free_is_known(claim: Claim, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpus.os, "sched_getaffinity", lambda _: {FIRST, FIRST + 1, FIRST + 2})
    assert cpus.free_cpus() == 3
    (first, _) = claim(2, 3)
    assert cpus.free_cpus() == 1
    first.kill()
    wait_until(lambda: cpus.free_cpus() == 2)


def test_a_worker_claims_one_and_others_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "claim_cpu", lambda: 7)
    monkeypatch.setattr(workers, "_this", workers._Worker())
    assert workers.cpu_for_guest() is None
    monkeypatch.setattr(workers, "_this", workers._Worker(ticks=object()))
    assert workers.cpu_for_guest() == 7


@pytest.mark.parametrize(
    ("jobs", "free", "said"),
    [
        (4, 4, ""),
        (4, 1, "tsqlab: other runs have 3 of 4 CPUs: up to 4 cells at a time will share CPUs with "
         "theirs, and both take longer; --jobs 1 would not\n"),
        (1, 1, ""),
        (1, 0, "tsqlab: other runs have 4 of 4 CPUs: a cell will share CPUs with theirs, and both "
         "take longer\n"),
        (9, 4, ""),
    ],
)  # fmt: skip
def test_who_shares_cpus_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], jobs: int, free: int,
    said: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(executors.os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    monkeypatch.setattr(executors, "free_cpus", lambda: free)
    monkeypatch.setattr(run, "run_shown", lambda *_: None)
    assert main(["run", "tptsq-4", "--jobs", str(jobs)]) == 0
    assert capsys.readouterr().err == said
