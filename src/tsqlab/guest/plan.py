# SPDX-License-Identifier: GPL-2.0-or-later
"""A cell's plan: all that its guest is to do, as the files that the agent reads.

The lines are described at the head of agent/main.c. Pure functions; golden tests hold them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tsqlab.experiment.flows import Flow, Probe, start_jitter_ns
from tsqlab.experiment.profile import Wireline
from tsqlab.experiment.spec import Spec
from tsqlab.guest import testbed

T0_NS = 10_000_000_000
"""When the measurement starts, after the boot, in virtual time. Set-up is done long before,
whatever it took, so its own timing cannot be seen in a result."""

BOOT_UNIX_NS = 1_700_000_000_000_000_000
"""The guest's wall clock at its boot, the same for every run."""

PLAN_DIR = "/tsqlab/plan"
MODULE_DIR = "/tsqlab/modules"
OUT_DIR = "/tsqlab/out"

EGRESS_SERIES = {port.egress: f"qdisc-{port.device}" for port in testbed.PORTS}
"""The egresses, whose queues are all watched, and each one's series file."""

_FIRST_PORT = 5001


@dataclass(frozen=True)
class Plan:
    """The plan's files, by name."""

    files: dict[str, str]


def make_plan(spec: Spec, profile: Wireline) -> Plan:
    """The plan of one cell over cards of *profile*."""
    files = {"links.ip": testbed.link_batch(), "move.ip": testbed.move_batch()}
    for node in (testbed.CLIENT, testbed.ROUTER, testbed.SERVER):
        files[f"{node}.ip"] = testbed.node_batch(node, spec.testbed, spec.sender)
        files[f"{node}.tc"] = testbed.queue_batch(node, spec.testbed)
    lines = [*_set_up(spec, profile), _clock(spec), *_endpoints(spec), ["end"]]
    files["plan"] = "".join("\t".join(line) + "\n" for line in lines)
    return Plan(files)


def _set_up(spec: Spec, profile: Wireline) -> Iterable[list[str]]:
    yield ["module", f"{MODULE_DIR}/wireline.ko"]
    yield from _write_sysctls("-", testbed.GUEST_SYSCTLS)
    yield ["run", "-", "ip", "-batch", f"{PLAN_DIR}/links.ip"]
    for port in testbed.PORTS:
        for command in testbed.card_commands(port, spec.testbed, profile):
            yield ["run", "-", *command]
        for name, value in testbed.attributes(port, spec.testbed, spec.sender).items():
            path = f"/sys/class/net/{port.device}/wireline/{name}"
            yield ["write", "-", path, str(value)]
    yield ["run", "-", "ip", "-batch", f"{PLAN_DIR}/move.ip"]
    for node in (testbed.CLIENT, testbed.ROUTER, testbed.SERVER):
        yield from _write_sysctls(node, testbed.sysctls(node, spec.testbed, spec.sender))
        yield ["run", node, "ip", "-batch", f"{PLAN_DIR}/{node}.ip"]
        yield ["run", node, "tc", "-batch", f"{PLAN_DIR}/{node}.tc"]
    for port in testbed.PORTS:
        yield ["run", port.node, *testbed.offload_command(port, spec.sender)]


def _write_sysctls(node: str, values: Mapping[str, int | str]) -> Iterable[list[str]]:
    for name, value in values.items():
        yield ["write", node, f"/proc/sys/{name.replace('.', '/')}", str(value)]


def _clock(spec: Spec) -> list[str]:
    return ["clock", str(T0_NS), str(spec.flows.step), str(T0_NS + spec.flows.total)]


def _endpoints(spec: Spec) -> Iterable[list[str]]:
    traffic = spec.traffic()
    for number, flow in enumerate(traffic.flows):
        port = str(_FIRST_PORT + number)
        yield from _tcp(spec, flow, port) if flow.protocol == "tcp" else _udp(spec, flow, port)
    for number, probe in enumerate(traffic.probes, _FIRST_PORT + len(traffic.flows)):
        yield from _probe(spec, probe, str(number))
    for egress, series in EGRESS_SERIES.items():
        device = next(port.device for port in testbed.PORTS if port.egress == egress)
        yield ["qdisc", egress[0], series, device, str(testbed.LEAF_MAJOR)]


def _period(spec: Spec, flow: Flow) -> list[str]:
    start = T0_NS + spec.flows.delay
    stop = start + spec.flows.length
    return [str(start + start_jitter_ns(spec.lab.seed, flow.id)), str(stop)]


def _tcp(spec: Spec, flow: Flow, port: str) -> Iterable[list[str]]:
    """The server listens and the client connects, whichever of them sends."""
    server = ["listen", "recv"] if flow.direction == "up" else ["listen", "send"]
    client = ["connect", "send"] if flow.direction == "up" else ["connect", "recv"]
    common = [testbed.SERVER_ADDRESS, port, flow.congestion_control, str(flow.tos)]
    for node, role in ((testbed.SERVER, server), (testbed.CLIENT, client)):
        yield ["tcp", node, f"{flow.id}-{role[1]}", *role, *common, *_period(spec, flow)]


def _udp(spec: Spec, flow: Flow, port: str) -> Iterable[list[str]]:
    sends = [testbed.SERVER_ADDRESS, port, str(flow.tos), str(spec.flows.udp_size)]
    words = [*sends, str(spec.flows.udp_rate), *_period(spec, flow)]
    yield ["udp", testbed.SERVER, f"{flow.id}-recv", "recv", *words]
    yield ["udp", testbed.CLIENT, f"{flow.id}-send", "send", *words]


def _probe(spec: Spec, probe: Probe, port: str) -> Iterable[list[str]]:
    words = [testbed.SERVER_ADDRESS, port, str(probe.tos), str(spec.flows.step)]
    if probe.protocol == "udp":
        yield ["ping", testbed.SERVER, f"{probe.id}-echo", "udp-echo", *words]
    yield ["ping", testbed.CLIENT, probe.id, probe.protocol, *words]
