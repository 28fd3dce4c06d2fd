# SPDX-License-Identifier: GPL-2.0-or-later
"""Many scripts on a pool of workers, reported in their order."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import Executor
from concurrent.futures.process import BrokenProcessPool

from tsqlab.errors import TsqlabError
from tsqlab.packetdrill.script import Job, Outcome, Verdict, run_script
from tsqlab.runner.workers import Workers


def outcomes(jobs: Sequence[Job], at_a_time: int) -> Generator[Outcome, None, None]:
    """The outcome of each job, as they come, in the order of the jobs.

    Over each kernel a script that does nothing is run before all others. Raises TsqlabError when
    that fails: packetdrill does not run here, or a sysctl is wrong.
    """
    first_of_kernel = {job.kernel.id: job for job in reversed(jobs)}
    pool = Workers(min(at_a_time, len(jobs)))
    try:
        _check(first_of_kernel.values(), pool.executor)
        yield from pool.executor.map(run_script, jobs)
    except BrokenProcessPool as error:
        pool.kill()
        raise TsqlabError("a worker process was killed while it ran a script") from error
    except BaseException:
        pool.kill()
        raise
    pool.executor.shutdown()


def _check(jobs: Iterable[Job], executor: Executor) -> None:
    trials = [job.trial() for job in jobs]
    for job, outcome in zip(trials, executor.map(run_script, trials), strict=True):
        if outcome.verdict is not Verdict.OK:
            said = [outcome.words or "its last words:", *outcome.output]
            raise TsqlabError(
                f"over Linux {job.kernel.release} packetdrill cannot even do nothing; "
                + "\n  ".join(said)
            )
