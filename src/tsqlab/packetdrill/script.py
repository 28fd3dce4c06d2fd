# SPDX-License-Identifier: GPL-2.0-or-later
"""One script in one guest, and what became of it."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path, PurePath

from tsqlab.errors import TsqlabError
from tsqlab.guest.boot import STUCK_AFTER_S, GuestError, Machine
from tsqlab.guest.instants import T0_NS
from tsqlab.guest.places import PLAN_DIR, PROGRAM, SCRIPTS_DIR
from tsqlab.guest.plan import Plan
from tsqlab.guest.program import Ended, Program, read_ended, read_output
from tsqlab.guest.run import run_plan
from tsqlab.guest.testbed.common import write_sysctls
from tsqlab.guest.testbed.settings import Setting
from tsqlab.kernels import Kernel
from tsqlab.packetdrill.suite import Script, Suite
from tsqlab.packetdrill.version import Version
from tsqlab.runner import workers

MEMORY_BYTES = 1 << 30
"""As much as small machines have: TCP sizes its own limits by it."""

WALL_LIMIT_S = 600.0
"""How long a guest may take in real time. A script that polls a clock lets virtual time pass, but
so slowly that only this ends it."""

_ID = "packetdrill"
_STEP_NS = 10**9  # nothing is sampled

_TRIAL = Script(PurePath("trial.pkt"), Version.IPV4)
_TRIAL_TEXT = "0 `true`\n"  # any packetdrill does nothing right over any kernel


class Verdict(Enum):
    """What became of a script."""

    OK = "ok"
    FAILED = "not ok"
    TIMEOUT = "timeout"  # its virtual time was over
    ERROR = "error"  # its guest died, or no time passed in it


@dataclass(frozen=True)
class Outcome:
    """A verdict, and what there is to say of it."""

    verdict: Verdict
    words: str = ""  # what there is to say of a timeout or an error, in a line
    output: tuple[str, ...] = ()  # the lines that packetdrill wrote, or a dying guest


@dataclass(frozen=True)
class Job:
    """Everything that a worker needs to run a script; it can be pickled."""

    suite: Suite
    script: Script
    kernel: Kernel
    sysctls: Mapping[str, str]
    limit_ns: int  # of virtual time
    seed: int
    verbose: bool  # whether packetdrill tells each packet
    folder: Path  # for the guest's files
    kept: bool  # whether they stay there
    is_trial: bool = False  # whether it is one of our own scripts, which lies beside the plan

    def trial(self) -> Job:
        """The same of a script that does nothing."""
        return replace(self, script=_TRIAL, kept=False, is_trial=True)


def run_script(job: Job) -> Outcome:
    """Run a script in a worker process. Raises TsqlabError when no guest can be run at all."""
    machine = Machine(
        job.kernel, MEMORY_BYTES, job.seed, workers.cpu_for_guest(),
        stuck_after_s=STUCK_AFTER_S, ends_after_s=WALL_LIMIT_S,
    )  # fmt: skip
    try:
        return _judge(read_ended(run_plan(machine, make_plan(job), job.folder), _ID), job)
    except GuestError as error:
        return Outcome(
            Verdict.ERROR, error.why, (*_said_until_death(job.folder), *error.last_words)
        )
    finally:
        if not job.kept:
            shutil.rmtree(job.folder, ignore_errors=True)


def make_plan(job: Job) -> Plan:
    """What the guest of a script does."""
    folder = Path(PLAN_DIR if job.is_trial else SCRIPTS_DIR) / job.script.path.parent
    program = Program(
        node="-",
        id=_ID,
        command=(
            *(PROGRAM, "--send_omit_free", *job.script.version.arguments),
            *(("-v",) if job.verbose else ()),
            job.script.path.name,
        ),
        limit_ns=job.limit_ns,
        folder=str(folder),
        preload=("patience", "tcp_info"),
    )
    given = [Setting(name, value, "--sysctl") for name, value in job.sysctls.items()]
    return Plan(
        set_up=(["run", "-", "ip", "link", "set", "lo", "up"], *write_sysctls("-", given)),
        measurement=(["clock", str(T0_NS), str(_STEP_NS)], program.line(), ["end"]),
        batches={_TRIAL.path.name: _TRIAL_TEXT} if job.is_trial else {},
        shown={SCRIPTS_DIR: job.suite.root, PROGRAM: job.suite.packetdrill},
    )


def _judge(ended: Ended, job: Job) -> Outcome:
    output = [*ended.out.splitlines(), *ended.err.splitlines()]
    if ended.lost_bytes:
        output.append(f"({ended.lost_bytes} more bytes of output were not kept)")
    if ended.succeeded:
        return Outcome(Verdict.OK, "", tuple(output))
    if ended.stopped:
        words = f"not done after {job.limit_ns / 1e9:g} s of virtual time"
        return Outcome(Verdict.TIMEOUT, words, tuple(output))
    if ended.signal is not None:
        output.append(f"(signal {ended.signal} ended packetdrill)")
    return Outcome(Verdict.FAILED, "", tuple(output))


def _said_until_death(folder: Path) -> list[str]:
    """What packetdrill wrote before its guest died, as far as the guest passed it on."""
    said = []
    for stream in ("out", "err"):
        with contextlib.suppress(OSError, TsqlabError):
            said += read_output(folder / "out", _ID, stream).splitlines()
    return said
