# SPDX-License-Identifier: GPL-2.0-or-later
"""The same cell gives the same bytes: beside others, in any order, anywhere, as anyone."""

import dataclasses
import os
import subprocess
import sys

import pytest

from as_nobody import in_child_as_nobody, public_folder, published
from tsqlab.experiment.matrix import Cell
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.boot import Machine
from tsqlab.guest.plan import Plan
from tsqlab.guest.run import run_plan
from tsqlab.guest.sandbox import NOBODY
from tsqlab.runner.cell import Job, run_cell

EXPERIMENT = """\
title = "Determinism"
[flows]
streams = 3
length = "2 s"
delay = "500 ms"
[testbed]
qdisc = "fq_codel"
[matrix]
bottleneck = ["R10M", "LR100M"]
congestion_control = ["cubic", "bbr"]
[report]
plots = []
"""


@pytest.fixture
def experiment(tmp_path):
    path = tmp_path / "experiment.toml"
    path.write_text(EXPERIMENT)
    return path


def run(experiment, out, *arguments, **options):
    command = [sys.executable, "-m", "tsqlab.cli", "run", str(experiment), "--out", str(out)]
    subprocess.run([*command, *arguments], check=True, capture_output=True, **options)
    return {path.name: path.read_bytes() for path in sorted(out.glob("*.flent.gz"))}


@pytest.fixture
def load():
    """Something else that keeps every CPU busy."""
    spin = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(spin) for _ in os.sched_getaffinity(0)]
    yield
    for other in others:
        other.kill()
        other.wait()


@pytest.mark.kernels  # it builds none, but loads all CPUs for half a minute, and other tests wait
@pytest.mark.usefixtures("kernel")
def test_two_runs_under_load_are_the_same(experiment, tmp_path, load):
    """One alone and in order, one with all cells at once from another folder, another locale."""
    del load
    first = run(experiment, tmp_path / "first", "--jobs", "1")
    elsewhere = tmp_path / "a longer name than the first" / "with another below"
    elsewhere.mkdir(parents=True)
    environment = os.environ | {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    second = run(
        experiment,
        elsewhere / "out",
        "--jobs",
        "4",
        cwd=elsewhere,
        env=environment | {"X": "y" * 999},
    )
    assert len(first) == 4
    assert first == second


def test_addresses_are_the_same_in_each_boot(kernel, tmp_path, cpu):
    """Where they are random, the heap's place is part of what the kernel calls its memory."""
    plan = Plan((), (["clock", "10000000000", "100000000", "10100000000"], ["end"]))
    told = []
    for boot in ("first", "second"):
        run_plan(Machine(kernel, 256 << 20, 1, cpu), plan, tmp_path / boot)
        console = (tmp_path / boot / "console").read_text()
        told += [line for line in console.splitlines() if "Memory: " in line]
    assert len(told) == 2
    assert told[0] == told[1]
    assert f"/{256 << 10}K available" in told[0]


@pytest.mark.usefixtures("kernel")
def test_another_seed_is_another_run(experiment, tmp_path):
    one = run(experiment, tmp_path / "one", "--seed", "1")
    two = run(experiment, tmp_path / "two", "--seed", "2")
    assert one.keys() == two.keys()
    assert all(one[name] != two[name] for name in one)


@pytest.mark.skipif(os.getuid() != 0, reason="every test here already runs as an ordinary user")
def test_an_ordinary_user_gets_the_same(kernel):
    """No root, no KVM, no home: the kernel and a folder to write to are all that is needed."""
    with public_folder() as public:
        cell = Cell({}, Spec.model_validate({"title": "test", "flows": {"length": "3 s"}}))
        everyones = published(kernel, public, kernel.modules)
        job = Job(cell, "key", load_profile("gigabit"), everyones, public / "root")
        run_cell(job)
        (public / "nobody").mkdir()
        os.chown(public / "nobody", NOBODY, NOBODY)
        own = dataclasses.replace(job, folder=public / "nobody")
        assert in_child_as_nobody(lambda: run_cell(own)) == 0
        assert own.file.stat().st_uid == NOBODY
        assert own.file.read_bytes() == job.file.read_bytes()
