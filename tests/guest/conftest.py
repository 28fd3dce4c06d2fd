# SPDX-License-Identifier: GPL-2.0-or-later
"""Guests for tests: a kernel, and ways to run a plan or a cell in it."""

import contextlib
import itertools
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from bss import words
from single import single
from tsqlab.experiment.matrix import Cell
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.boot import Machine
from tsqlab.guest.plan import Plan, make_plan
from tsqlab.guest.run import run_plan
from tsqlab.kernels import Recipe, build
from tsqlab.results.flent import read_flent
from tsqlab.runner.cell import Job, run_cell


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/guest/" in str(item.path):
            item.add_marker(pytest.mark.guest)


def pytest_generate_tests(metafunc):
    """A test that takes a *piece* is run in ten of them with --sanitized, each in a guest."""
    if "piece" in metafunc.fixturenames:
        watches = metafunc.config.getoption("sanitized", default=False)
        metafunc.parametrize("piece", range(1, 11) if watches else (1,))


@pytest.fixture
def processes():
    """The processes whose command line has a text in it, by their ids."""

    def find(text):
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):  # it has ended meanwhile
                if text in path.read_bytes().replace(b"\0", b" ").decode(errors="replace"):
                    found.append(int(path.parent.name))
        return found

    return find


def pytest_addoption(parser):
    parser.addoption(
        "--sanitized", action="store_true", help="guests whose kernel watches itself; long"
    )


@pytest.fixture(scope="session")
def kernel_watches(pytestconfig):
    """Whether the kernel has KASAN and the like."""
    return pytestconfig.getoption("sanitized", default=False)


@pytest.fixture
def cycles(kernel_watches, piece):
    """The numbers of the times that a stress test does what it does: 1000 in all pieces."""
    return range(100 * (piece - 1), 100 * piece) if kernel_watches else range(12)


@pytest.fixture(scope="session")
def afterwards_s(kernel_watches):
    """How long stress.afterwards() takes: kmemleak needs a while."""
    return 30 if kernel_watches else 5


@pytest.fixture(scope="session")
def kernel(kernel_watches):
    return build(Recipe(extra=("sanitized",) if kernel_watches else ()))


@pytest.fixture(scope="session")
def tree(kernel):
    """The kernel's source, patched."""
    return Path(json.loads((kernel.linux.parent / "tsqlab.json").read_text())["tree"])


@pytest.fixture(scope="session")
def cpu():
    """One to stay on: each test process takes the next."""
    allowed = sorted(os.sched_getaffinity(0))
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    return allowed[int(worker.removeprefix("gw")) % len(allowed)]


@pytest.fixture
def guest(kernel, tmp_path, cpu):
    """Run lines in a guest, in the testbed of *spec* if there is one; or a whole *plan*.

    Returns the folder that the guest wrote to, whose parent has the console's log.
    """

    def run(*lines, spec=None, plan=None, batches=None, seed=1, on_second=None, **options):
        if plan is None:
            plan = Plan((), words(lines), batches or {})
        if spec is not None:
            spec = Spec.model_validate(single(spec))
            testbed = make_plan(spec, load_profile(spec.testbed.device))
            files = {**testbed.batches, **plan.batches}
            plan = replace(testbed, measurement=plan.measurement, batches=files)
        machine = Machine(kernel, 256 << 20, seed, cpu, **options)
        return run_plan(machine, plan, tmp_path / "guest", on_second=on_second)

    return run


@pytest.fixture
def capture(tmp_path, cpu):
    """Run a cell with a capture on its client's device; the path of the pcap."""
    counter = itertools.count()

    def run(kernel, spec, set_up=()):
        spec = Spec.model_validate(single(spec))
        plan = make_plan(spec, load_profile(spec.testbed.device)).after_set_up(*set_up)
        device = {"wired": "c0", "wifi": "wlan1"}[spec.testbed.layout]
        plan = plan.during(["capture", "C", "client", device, str(1 << 17), str(1 << 30)])
        machine = Machine(kernel, 512 << 20, spec.lab.seed, cpu)
        return run_plan(machine, plan, tmp_path / f"capture{next(counter)}") / "client.pcap"

    return run


@pytest.fixture
def cell(kernel, tmp_path, cpu):
    """Run one cell, with single packets unless it says otherwise; returns its Flent document."""
    counter = itertools.count()

    def run(spec, folder=None, **factors):
        spec = Spec.model_validate(single(spec))
        folder = folder or tmp_path / f"run{next(counter)}"
        others = {name: load_profile(name) for name in spec.testbed.graph.devices}
        profile = load_profile(spec.testbed.device, changes=spec.testbed.profile)
        job = Job(Cell(factors, spec), "key", profile, kernel, folder, others)
        run_cell(job, cpu)
        return read_flent(job.file)

    return run
