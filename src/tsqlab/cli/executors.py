# SPDX-License-Identifier: GPL-2.0-or-later
"""What ``--executor`` names: where cells are run."""

from __future__ import annotations

import os
import sys

from tsqlab.cli.options.run import DASK
from tsqlab.errors import UsageError
from tsqlab.runner.cpus import free_cpus
from tsqlab.runner.executor import Start
from tsqlab.runner.local import local


def start_of(executor: str, jobs: int) -> Start:
    """The executor of that name; *jobs* is how many cells this machine runs at a time.

    Raises UsageError where Dask is not installed.
    """
    if not executor.startswith(DASK):
        if said := _cpus_shared(jobs):
            print(said, file=sys.stderr)
        return local(jobs)
    try:
        # It takes half a second, and is not needed to run tsqlab.
        from tsqlab.runner.cluster.dask import dask  # noqa: PLC0415
    except ImportError as error:
        if (error.name or "").startswith("tsqlab"):
            raise
        raise UsageError(
            f"--executor {executor}: Dask is not installed ({error}); "
            "try: pip install 'tsqlab[dask]'"
        ) from error
    return dask(executor.removeprefix(DASK))


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
