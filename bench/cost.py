# SPDX-License-Identifier: GPL-2.0-or-later
"""What a guest costs, in seconds of CPU time.

A guest stays on one CPU and never sleeps, so on a quiet machine this is its wall-clock time;
on a machine that others use too, CPU time can still be compared.
"""

from __future__ import annotations

import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from rows import Row
from tsqlab.guest.boot import Machine
from tsqlab.guest.collect import collect
from tsqlab.guest.lifetime import adopt_orphans, children
from tsqlab.guest.plan import Plan, make_plan
from tsqlab.guest.run import run_plan
from tsqlab.kernels import Kernel
from tsqlab.results.measurement import Measurement

Result = TypeVar("Result")


@dataclass(frozen=True)
class Run(Generic[Result]):
    """A guest's cost, from its boot to its end, and what it measured."""

    cpu_s: float
    wall_s: float
    result: Result


def run_row(kernel: Kernel, row: Row) -> Run[Measurement]:
    """Run the cell of a row."""
    plan = make_plan(row.spec, row.profile).before_set_up(*row.first)
    return run_measured(
        kernel, plan, lambda out: collect(out, row.spec, row.profile), row.spec.lab.memory
    )


def run_measured(
    kernel: Kernel,
    plan: Plan,
    read: Callable[[Path], Result],
    memory_bytes: int = 512 << 20,
) -> Run[Result]:
    """Run a plan; *read* returns what is wanted from the guest's folder."""
    machine = Machine(kernel, memory_bytes, 1, max(os.sched_getaffinity(0)))
    with tempfile.TemporaryDirectory() as name:
        begun_s, cpu_begun_s = time.monotonic(), _children_s()
        with _wait_for_orphans():
            out = run_plan(machine, plan, Path(name) / "guest")
        wall_s, cpu_s = time.monotonic() - begun_s, _children_s() - cpu_begun_s
        return Run(cpu_s, wall_s, read(out))


def _children_s() -> float:
    """The CPU time of all descendants that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@contextmanager
def _wait_for_orphans() -> Iterator[None]:
    """Adopt the sandbox's processes and wait for their end: its first process does not wait."""
    adopt_orphans()
    others = children()
    yield
    for orphan in set(children()) - set(others):
        os.waitpid(orphan, 0)
