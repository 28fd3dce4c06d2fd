# SPDX-License-Identifier: GPL-2.0-or-later
"""One cell: from its specification to its file, through one guest."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.experiment.capacity import capacity
from tsqlab.experiment.flows import OWN_TEST, Flow, Probe
from tsqlab.experiment.matrix import Cell
from tsqlab.experiment.profile import Others, Profile
from tsqlab.experiment.program_table import names
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.stored import measured, plain
from tsqlab.experiment.testbed.ways import Ways
from tsqlab.guest.boot import GuestError, Machine
from tsqlab.guest.captures import captures
from tsqlab.guest.collect import collect
from tsqlab.guest.instants import t0_ns
from tsqlab.guest.own_modules import shown
from tsqlab.guest.places import WQM
from tsqlab.guest.plan import BOOT_UNIX_NS, Plan, make_plan
from tsqlab.guest.programs import outcomes
from tsqlab.guest.run import run_plan
from tsqlab.guest.suspects import with_suspects
from tsqlab.guest.testbed import Wiring, wiring
from tsqlab.guest.traces import keep_trace
from tsqlab.kernels import Kernel
from tsqlab.kernels.daemon import wqm_daemon
from tsqlab.kernels.own_modules import OwnModule
from tsqlab.metrics.document import Own
from tsqlab.results.files import is_regular, make_folder, write_whole
from tsqlab.results.flent import to_flent, write_flent
from tsqlab.results.folder import PCAPS, PROGRAMS, TRACE_SUFFIX, TRACES
from tsqlab.results.measurement import Measurement, ProgramRun
from tsqlab.results.record import CellRecord, FlowName
from tsqlab.runner import workers
from tsqlab.topology import WIFI, WIRED
from tsqlab.units import Duration

OUTPUTS = ("out", "err", "json")
"""The files of a program: its standard output and error, and how it ended."""


class CellError(TsqlabError):
    """A cell that failed; the message begins with its name."""

    def __init__(self, title: str, message: str, cause: str, died: bool = False) -> None:
        """*cause* is what other cells that fail in the same way have in common with it.

        *died* says whether the kernel did, which a debugger would stop before.
        """
        super().__init__(title, message, cause, died)  # as an exception needs it to be pickled
        self.title, self.message, self.cause, self.died = title, message, cause, died

    def __str__(self) -> str:
        """Which cell, and what."""
        return f"{self.title}: {self.message}"


@dataclass(frozen=True)
class Job:
    """Everything that a worker needs to run a cell; it can be pickled."""

    cell: Cell
    key: str  # the key of everything that the result depends on
    profile: Profile
    kernel: Kernel
    folder: Path  # the experiment's folder
    # The profiles of the devices that the cell's graph names.
    others: Others = field(default_factory=dict)
    modules: tuple[OwnModule, ...] = ()  # of the user's own
    # What of the host its guest sees for its programs, by where.
    shown: Mapping[str, Path] = field(default_factory=dict)
    made_by: frozenset[str] = frozenset()  # what makes its nodes (host_programs)
    programs: str = ""  # a key of its programs and of what it sees for them, if it has programs
    daemon: Path | None = None  # wqm, as it was sent here; None: it is compiled here if it is run

    @property
    def file(self) -> Path:
        """The cell's result."""
        return self.folder / f"{self.cell.id}.flent.gz"

    @property
    def pcaps(self) -> dict[str, Path]:
        """The captures beside it, by their names."""
        folder = self.folder / PCAPS
        return {
            name: folder / f"{self.cell.id}-{re.sub('[^A-Za-z0-9]', '_', name)}.pcap"
            for name in self.cell.spec.lab.capture
        }

    @property
    def outputs(self) -> dict[str, tuple[Path, ...]]:
        """What its programs leave, by what keys call them: OUTPUTS."""
        folder = self.folder / PROGRAMS
        return {
            name: tuple(folder / f"{self.cell.id}-{name}.{suffix}" for suffix in OUTPUTS)
            for name in names(self.cell.spec.program)
        }

    @property
    def traced(self) -> Path | None:
        """The trace events beside it; None if it has none."""
        if not self.cell.spec.lab.trace:
            return None
        return self.folder / TRACES / f"{self.cell.id}{TRACE_SUFFIX}"

    @property
    def beside(self) -> tuple[Path, ...]:
        """What is beside its result, which is there before that is."""
        traced = [self.traced] if self.traced else []
        return (*self.pcaps.values(), *traced, *chain.from_iterable(self.outputs.values()))

    @property
    def console(self) -> Path:
        """The guest's console, kept when it fails."""
        return self.folder / "logs" / f"{self.cell.id}.log"

    @property
    def work(self) -> Path:
        """A folder for the time of the run."""
        return self.folder / ".work" / self.cell.id


def run_cell(
    job: Job, cpu: int | None = None, on_second: Callable[[int], None] | None = None
) -> float:
    """Run one cell; its files are there afterwards, whole. Returns the real seconds it took.

    Raises CellError.
    """
    start = time.monotonic()
    try:
        measurement = _measure(job, cpu, on_second)
        write_flent(job.file, to_flent(_record(job, measurement)))
    except GuestError as error:
        log = GuestError(error.why, (*error.last_words, f"(all of it: {job.console})"))
        raise CellError(job.cell.title, str(log), str(error), error.died) from error
    except (TsqlabError, OSError) as error:
        raise CellError(job.cell.title, str(error), str(error)) from error
    except (ArithmeticError, LookupError, ValueError) as error:
        message = f"the guest's series lack what a result has ({error!r})"
        raise CellError(job.cell.title, message, message) from error
    finally:
        shutil.rmtree(job.work, ignore_errors=True)
    job.console.unlink(missing_ok=True)
    return time.monotonic() - start


def work(job: Job) -> float:
    """Run a cell in a worker process; returns the real seconds it took."""
    return run_cell(job, workers.cpu_for_guest(), workers.teller(job.cell.id))


def _measure(job: Job, cpu: int | None, on_second: Callable[[int], None] | None) -> Measurement:
    spec = job.cell.spec
    shutil.rmtree(job.work, ignore_errors=True)
    job.console.parent.mkdir(parents=True, exist_ok=True)
    machine = Machine(job.kernel, spec.lab.memory, spec.lab.seed, cpu)
    wired = wiring(spec, job.profile, job.others)
    try:
        out = run_plan(machine, plan_of(job), job.work, job.console, on_second)
    except GuestError as error:
        raise with_suspects(error, job.work / "out", spec, job.console) from None
    withdraw(job)
    _keep_pcaps(job, wired, out)
    if job.traced:
        make_folder(job.traced.parent)
        keep_trace(out, job.traced)
    programs = _programs(job, wired, out)
    return replace(collect(out, spec, job.profile, job.others), programs=programs)


def withdraw(job: Job) -> None:
    """Remove a result before anything is written beside it that belongs to another.

    A run with another kernel, say, that does not come to its end has left its captures by then.
    """
    if job.beside:
        job.file.unlink(missing_ok=True)


def _programs(job: Job, wired: Wiring, out: Path) -> dict[str, ProgramRun]:
    """What became of the programs. All that they have printed is kept before one is an error."""
    spec = job.cell.spec
    ended = outcomes(out, spec)
    if ended:
        make_folder(job.folder / PROGRAMS)
    for number, outcome in enumerate(ended, 1):
        *streams, how = job.outputs[outcome.name]
        for suffix, path in zip(OUTPUTS, streams, strict=False):
            _take(out / f"program-{number}.{suffix}", path)
        write_whole(how, outcome.text.encode())
    for outcome in ended:
        outcome.check()
    start_unix_s = Duration(BOOT_UNIX_NS + t0_ns(spec, wired.set_up_ns)).s
    return {outcome.name: outcome.run(start_unix_s) for outcome in ended}


def plan_of(job: Job) -> Plan:
    """What the guest of a job does."""
    spec = job.cell.spec
    plan = make_plan(spec, job.profile, job.others)
    wired = wiring(spec, job.profile, job.others)
    daemon = {WQM: job.daemon or wqm_daemon()} if wired.runs_daemon else {}
    return replace(plan, shown={**plan.shown, **daemon, **shown(job.modules), **job.shown})


def _keep_pcaps(job: Job, wired: Wiring, out: Path) -> None:
    """Take the captures out of the guest's folder. They are there before the cell's file is."""
    if not job.pcaps:
        return
    make_folder(job.folder / PCAPS)
    for capture in captures(job.cell.spec, wired):
        written = out / f"{capture.series}.pcap"
        if not is_regular(written):
            raise TsqlabError(f"the guest left no capture of {capture.name}")
        _take(written, job.pcaps[capture.name])


def _take(written: Path, path: Path) -> None:
    """Make what a guest wrote the file at *path*. It belongs to nobody where root ran the guest."""
    os.chown(written, os.geteuid(), os.getegid(), follow_symlinks=False)
    written.replace(path)


def _record(job: Job, measurement: Measurement) -> CellRecord:
    spec, kernel = job.cell.spec, job.kernel
    sent, wired = spec.traffic(), wiring(spec, job.profile, job.others)
    devices = {name: plain(profile) for name, profile in job.others.items()}
    modules = {module.name: module.key for module in job.modules}
    return CellRecord(
        test=OWN_TEST if spec.flow else spec.flows.test,
        title=spec.title,
        factors=job.cell.factors,
        length_s=spec.flows.length.s,
        delay_s=spec.flows.delay.s,
        step_s=spec.flows.step.s,
        streams=spec.flows.streams,
        start_unix_s=Duration(BOOT_UNIX_NS + t0_ns(spec, wired.set_up_ns)).s,
        flows=tuple(_names(spec, sent.flows)),
        provenance={
            "key": job.key,
            "spec": measured(spec),
            "device": plain(job.profile),
            **({"devices": devices} if devices else {}),
            **({"modules": modules} if modules else {}),
            "kernel": {"release": kernel.release, "id": kernel.id, "hz": kernel.hz},
        },
        measurement=measurement,
        capacity=capacity(spec, job.profile, job.others),
        server=_server(spec),
        own_pings={probe.series: own for probe in sent.probes if (own := _own(spec, probe))},
        radio_egresses=_radio_egresses(spec),
    )


# In these, results of every version say nothing of ways: the names of nodes and egresses do.
_KNOWN_WAYS = (WIRED, WIFI)


def _radio_egresses(spec: Spec) -> dict[str, str]:
    if spec.testbed.layout in _KNOWN_WAYS:
        return {}
    return {place.name: place.member.port.egress for place in spec.testbed.graph.radios}


def _names(spec: Spec, flows: Iterable[Flow]) -> Iterator[FlowName]:
    ways = None if spec.testbed.layout in _KNOWN_WAYS else Ways(spec.testbed.graph)
    for flow in flows:
        way = ways.egresses(flow.sender, flow.receiver) if ways else ()
        yield replace(_name(spec, flow), way=way)


def _name(spec: Spec, flow: Flow) -> FlowName:
    ends = (flow.sender, flow.receiver) if flow.direction == "up" else (flow.receiver, flow.sender)
    client = ends[0] if ends[0] in spec.testbed.clients else ""
    server = ends[1] if ends[1] != _server(spec) else ""
    return FlowName(flow.series, flow.protocol, flow.direction, client, _own(spec, flow), server)


def _own(spec: Spec, sent: Flow | Probe) -> Own | None:
    """What a [[flow]] was asked to do; None of a test's."""
    if sent.said is None:
        return None
    begin, end = (Duration(at_ns).s for at_ns in spec.period_ns(sent))
    number, name = sent.said.number, sent.said.name
    return Own(number, name, sent.sender, sent.receiver, begin, end, sent.said.bytes)


def _server(spec: Spec) -> str:
    """The node at the far end of a test's flows; where there is no test, of the first [[flow]]."""
    ends = spec.testbed.ends
    return ends[0].server if ends else spec.flow[0].receiver
