# SPDX-License-Identifier: GPL-2.0-or-later
"""Where cells are run."""

from __future__ import annotations

import os
import sys

from tsqlab.runner.cpus import free_cpus
from tsqlab.runner.executor import Start
from tsqlab.runner.local import local


def start_of(jobs: int) -> Start:
    """The executor of this machine, which runs so many cells at a time."""
    if said := _cpus_shared(jobs):
        print(said, file=sys.stderr)
    return local(jobs)


def _cpus_shared(jobs: int) -> str:
    """What somebody should know whose cells share CPUs with another run's; empty if none do."""
    cpus, free = len(os.sched_getaffinity(0)), free_cpus()
    if free >= min(jobs, cpus):
        return ""
    one = "a cell" if jobs == 1 else f"up to {jobs} cells at a time"
    fewer = f"; --jobs {free} would not" if free else ""
    return (
        f"tsqlab: other runs have {cpus - free} of {cpus} CPUs: {one} will share CPUs with theirs, "
        f"and both take longer{fewer}"
    )
