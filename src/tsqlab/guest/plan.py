# SPDX-License-Identifier: GPL-2.0-or-later
"""A cell's plan: all that its guest is to do, as the files that the agent reads.

The lines are described at the head of agent/main.c. Pure functions; golden tests hold them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tsqlab.experiment.before import REST, earlier
from tsqlab.experiment.flows import Flow, Probe, start_jitter_ns
from tsqlab.experiment.profile import NO_OTHERS, Others, Profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.captures import capture_lines, set_up_lines
from tsqlab.guest.instants import first_t0_ns, t0_ns
from tsqlab.guest.places import PLAN_NAME
from tsqlab.guest.programs import name_files, program_lines
from tsqlab.guest.testbed import (
    LEAF_MAJOR,
    PlanLine,
    Wiring,
    qdisc_series,
    wiring,
)
from tsqlab.guest.testbed.changes import changes_later
from tsqlab.guest.testbed.common import encode
from tsqlab.guest.traces import trace_lines
from tsqlab.units import Duration

BOOT_UNIX_NS = 1_700_000_000_000_000_000
"""The guest's wall clock at its boot, the same for every run."""

_OF_THE_USER = ("program", "script", "shell")
_FIRST_PORT = 5001
_STEP_BEFORE_NS = 100_000_000  # how exactly a flow that runs before the measurement ends


@dataclass(frozen=True)
class Plan:
    """What a guest does, a line for each step, and the batches that some lines name."""

    set_up: tuple[PlanLine, ...]  # the lines that run before the measurement
    measurement: tuple[
        PlanLine, ...
    ]  # the lines from the one that starts the clock to the one that ends the guest
    # The contents of batch files for ip(8) and the like, by file name.
    batches: Mapping[str, str] = field(default_factory=dict)
    # What else of the host the guest sees, read-only, by where it sees it.
    shown: Mapping[str, Path] = field(default_factory=dict)
    # The plan's own files that it sees elsewhere, too, by where.
    placed: Mapping[str, str] = field(default_factory=dict)

    @property
    def runs_programs(self) -> bool:
        """Whether a program, a script or a shell of the user's runs in the guest."""
        return any(line[0] in _OF_THE_USER for line in self.measurement)

    def files(self) -> dict[str, str]:
        """The files that the guest's program reads. Raises TsqlabError if a line is malformed."""
        return {**self.batches, PLAN_NAME: encode((*self.set_up, *self.measurement))}

    def after_set_up(self, *lines: PlanLine) -> Plan:
        """A copy of the plan with more steps before the clock starts."""
        return replace(self, set_up=(*self.set_up, *lines))

    def before_set_up(self, *lines: PlanLine) -> Plan:
        """A copy of the plan with more steps before all others."""
        return replace(self, set_up=(*lines, *self.set_up))

    def during(self, *lines: PlanLine) -> Plan:
        """A copy of the plan with more steps beside those of the measurement."""
        *others, end = self.measurement
        return replace(self, measurement=(*others, *lines, end))


def make_plan(spec: Spec, profile: Profile, others: Others = NO_OTHERS) -> Plan:
    """The plan of one cell over devices of *profile*, and of *others* where its graph names them.

    Raises UsageError for a wrong kind.
    """
    wired = wiring(spec, profile, others)
    # What records is last, so that it moves nothing that is there without it.
    later, changes = changes_later(wired)
    run = program_lines(spec, t0_ns(spec, wired.set_up_ns))
    recorded = (*capture_lines(spec, wired), *trace_lines(spec))
    measured = (*_endpoints(spec, wired), *later, *run, *recorded)
    set_up = (*wired.set_up(), *set_up_lines(spec))
    before = _before(spec, wired)
    named, placed = name_files(spec)
    files = {**wired.files, **changes, **named}
    measurement = (*before, _clock(spec, wired), *measured, ["end"])
    return Plan(set_up, measurement, files, placed=placed)


def _clock(spec: Spec, wired: Wiring) -> PlanLine:
    start = t0_ns(spec, wired.set_up_ns)
    return ["clock", str(start), str(spec.flows.step), str(start + spec.flows.total)]


def _before(spec: Spec, wired: Wiring) -> Iterable[PlanLine]:
    """The tests that ran before, each with a clock of its own and without pings."""
    own = spec.traffic()
    port = _FIRST_PORT + len(own.flows) + len(own.probes)  # who listens does so from the start
    start = first_t0_ns(wired.set_up_ns)
    for number, test in enumerate(earlier(spec.lab.before), 1):
        stop = start + test.length
        yield ["clock", str(start), str(_STEP_BEFORE_NS), str(stop + REST)]
        for flow in spec.traffic_of_test(test.congestion_control).flows:
            again = replace(flow, id=f"b{number}-{flow.id}")
            begins = start + start_jitter_ns(spec.lab.seed, again.id)
            period = [str(begins), str(stop)]
            yield from _tcp(again, wired, str(port), period, spec.sender.tx_delay)
            port += 1
        start = stop + REST


def _endpoints(spec: Spec, wired: Wiring) -> Iterable[PlanLine]:
    traffic = spec.traffic()
    for number, flow in enumerate(traffic.flows):
        port = str(_FIRST_PORT + number)
        if flow.protocol == "tcp":
            yield from _tcp(flow, wired, port, _period(spec, wired, flow), spec.sender.tx_delay)
        else:
            yield from _udp(spec, flow, wired, port)
    for number, probe in enumerate(traffic.probes, _FIRST_PORT + len(traffic.flows)):
        yield from _probe(spec, probe, wired, str(number))
    for end in wired.qdiscs.values():
        yield ["qdisc", end.node, qdisc_series(end), end.device, str(LEAF_MAJOR)]
    for radio in wired.radios:
        yield list(radio.line)
    yield from (list(queue.line) for queue in wired.sized.values())


def _period(spec: Spec, wired: Wiring, sent: Flow | Probe) -> list[str]:
    """When it starts and stops, after the boot."""
    return [str(t0_ns(spec, wired.set_up_ns) + at_ns) for at_ns in spec.period_ns(sent)]


def _tcp(
    flow: Flow, wired: Wiring, port: str, period: list[str], tx_delay: Duration | None
) -> Iterable[PlanLine]:
    """The server listens and the client connects, whichever of them sends."""
    here, there = ("send", "recv") if flow.client == flow.sender else ("recv", "send")
    common = [wired.addresses[flow.server], port, flow.congestion_control, str(flow.tos)]
    # What a [[flow]] sends is counted to its end, and not only to its last sample.
    limit = [str(flow.said.bytes or 0)] if flow.said else []
    delay = [] if tx_delay is None else [*(limit or ["-"]), str(round(tx_delay.us))]
    for node, begins, does in ((flow.server, "listen", there), (flow.client, "connect", here)):
        last = delay if does == "send" and delay else limit
        yield ["tcp", node, f"{flow.id}-{does}", begins, does, *common, *period, *last]


def _udp(spec: Spec, flow: Flow, wired: Wiring, port: str) -> Iterable[PlanLine]:
    said, flows = flow.said, spec.flows
    size = flows.udp_size if said is None or said.datagram_bytes is None else said.datagram_bytes
    rate = flows.udp_rate if said is None or said.rate_bit_per_s is None else said.rate_bit_per_s
    sends = [wired.addresses[flow.server], port, str(flow.tos), str(int(size))]
    words = [*sends, str(int(rate)), *_period(spec, wired, flow), *(["exact"] if said else [])]
    yield ["udp", flow.receiver, f"{flow.id}-recv", "recv", *words]
    yield ["udp", flow.sender, f"{flow.id}-send", "send", *words]


def _probe(spec: Spec, probe: Probe, wired: Wiring, port: str) -> Iterable[PlanLine]:
    words = [wired.addresses[probe.receiver], port, str(probe.tos), str(spec.flows.step)]
    if probe.protocol == "udp":
        yield ["ping", probe.receiver, f"{probe.id}-echo", "udp-echo", *words]
    period = _period(spec, wired, probe) if probe.said else []
    yield ["ping", probe.sender, probe.id, probe.protocol, *words, *period]
