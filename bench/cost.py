# SPDX-License-Identifier: GPL-2.0-or-later
"""What a guest costs, in seconds of CPU time.

A guest stays on one CPU and never sleeps, so on a quiet machine this is its wall-clock time;
on one that others use too it is what can still be compared.
"""

from __future__ import annotations

import ctypes
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from tsqlab.experiment.profile import Profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.boot import Machine, run_guest
from tsqlab.guest.collect import collect
from tsqlab.guest.plan import make_plan
from tsqlab.guest.sandbox import Mounts
from tsqlab.kernels import Kernel
from tsqlab.results.measurement import Measurement

_PR_SET_CHILD_SUBREAPER = 36

Result = TypeVar("Result")


@dataclass(frozen=True)
class Run(Generic[Result]):
    """A guest's cost, from its boot to its end, and what it measured."""

    cpu_s: float
    wall_s: float
    result: Result


def run_cell(
    kernel: Kernel, spec: Spec, profile: Profile, first: Sequence[str] = ()
) -> Run[Measurement]:
    """Run one cell of an experiment, with further lines at the head of its plan."""
    files = dict(make_plan(spec, profile).files)
    files["plan"] = "".join(f"{line}\n" for line in first) + files["plan"]
    return run_plan(kernel, files, lambda out: collect(out, spec, profile), spec.lab.memory)


def run_plan(
    kernel: Kernel,
    files: Mapping[str, str],
    read: Callable[[Path], Result],
    memory_bytes: int = 512 << 20,
) -> Run[Result]:
    """Run a plan, given as its files; *read* takes what is wanted from the guest's folder."""
    cpu = max(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as name:
        mounts = Mounts(Path(name) / "plan", Path(name) / "out")
        mounts.plan.mkdir()
        mounts.out.mkdir()
        for file, text in files.items():
            (mounts.plan / file).write_text(text)
        machine = Machine(kernel, memory_bytes, 1, cpu)
        begun_s, cpu_begun_s = time.monotonic(), _children_s()
        with _wait_for_orphans():
            run_guest(machine, mounts, Path(name) / "console")
        wall_s, cpu_s = time.monotonic() - begun_s, _children_s() - cpu_begun_s
        return Run(cpu_s, wall_s, read(mounts.out))


def _children_s() -> float:
    """The CPU time of all descendants that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _children() -> set[int]:
    """Our children, by their ids."""
    lists = Path("/proc/self/task").glob("*/children")
    return {int(word) for path in lists for word in path.read_text().split()}


@contextmanager
def _wait_for_orphans() -> Iterator[None]:
    """Inherit the sandbox's processes, for whose end its first one does not wait."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    others = _children()
    yield
    for orphan in _children() - others:
        os.waitpid(orphan, 0)
