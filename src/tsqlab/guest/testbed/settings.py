# SPDX-License-Identifier: GPL-2.0-or-later
"""What the testbed sets in a guest's kernel, each with the key of an experiment that asks for it.

What is set here is what a patch of the same default cannot show; tsqlab.guest.overrides lists it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tsqlab.experiment.before import earlier
from tsqlab.experiment.host import era_sysctls, host_of, tsq_sysctls
from tsqlab.experiment.profile import NO_OTHERS, Others, Profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.sysctl import GUEST
from tsqlab.experiment.testbed import Graph
from tsqlab.experiment.tsq import KernelTime

LAB = "the lab"

# The values that a machine with 8 GiB of memory chooses for itself (tcp_init, sock_init). A guest
# has less memory, and its buffers must not be what limits a flow.
_NODE_SYSCTLS: dict[str, int | str] = {
    "net.ipv4.tcp_rmem": "4096 131072 6291456",
    "net.ipv4.tcp_wmem": "4096 16384 4194304",
    "net.ipv6.conf.all.disable_ipv6": 1,  # router solicitations would disturb the flows
    "net.ipv6.conf.default.disable_ipv6": 1,
}


_ECN, _ACCURATE = "net.ipv4.tcp_ecn", 3


@dataclass(frozen=True)
class Setting:
    """A sysctl, and why it is set."""

    name: str
    value: int | str | KernelTime
    cause: str


def guest_sysctls(spec: Spec) -> list[Setting]:
    """The sysctls that all nodes share: the lab's, then the experiment's over them."""
    # A node can use only what the first namespace allows: these, and what a flow asks for.
    asked = [*spec.controls]
    asked += [test.congestion_control for test in earlier(spec.lab.before)]
    controls = " ".join(dict.fromkeys(["reno", "cubic", *asked]))
    chosen = [
        Setting("net.ipv4.tcp_mem", "90000 120000 180000", LAB),  # counted in pages
        Setting("net.ipv4.tcp_allowed_congestion_control", controls, LAB),
    ]
    return list((_by_name(chosen) | _by_name(_own_sysctls(spec, GUEST))).values())


def node_sysctls(
    spec: Spec, profile: Profile, node: str, others: Others = NO_OTHERS
) -> list[Setting]:
    """A node's own: the lab's, the era's and those of [sender], then the experiment's over them."""
    chosen = {name: Setting(name, value, LAB) for name, value in _NODE_SYSCTLS.items()}
    if node in spec.hosts:
        chosen |= _by_name(_sender_sysctls(spec, profile, node, others))
    if spec.testbed.graph.forwards(node):
        chosen |= _by_name([Setting("net.ipv4.ip_forward", 1, LAB)])
    if node in spec.testbed.graph.relays:
        chosen |= _by_name(_silent_relay(spec.testbed.graph, node))
    chosen |= _by_name(_own_sysctls(spec, node))
    return list(chosen.values())


def _own_sysctls(spec: Spec, node: str) -> Iterable[Setting]:
    """What the experiment sets itself at a node, or of the guest as a whole."""
    for name, value in spec.testbed.sysctl.get(node, {}).items():
        yield Setting(name, value, f"testbed.sysctl.{node}")


def _silent_relay(graph: Graph, node: str) -> Iterable[Setting]:
    """A relay sends on by the port that a packet came by, and is not to call that a mistake."""
    devices = ["all", *(port.device for port in graph.ports_of(node))]
    for device in devices:
        yield Setting(f"net.ipv4.conf.{device}.send_redirects", 0, LAB)


def _sender_sysctls(spec: Spec, profile: Profile, node: str, others: Others) -> Iterable[Setting]:
    sender, host = spec.sender, host_of(spec, profile)
    first = sender.congestion_control.split(",")[0]
    yield Setting("net.ipv4.tcp_congestion_control", first, "sender.congestion_control")
    for name, number in era_sysctls(spec, profile).items():
        yield Setting(name, number, f"era {spec.lab.era}")
    stock = not sender.tsq.sysctls()
    cause = host.truesize_cause if stock else "sender.tsq"
    if not stock and host.truesize and sender.tsq.bytes >= 0:
        cause = f"sender.tsq, {host.truesize_cause}"
    for name, value in tsq_sysctls(spec, profile, node, others).items():
        yield Setting(name, value, cause)
    if sender.ecn:
        yield Setting(_ECN, _ACCURATE if sender.ecn == "accurate" else 1, "sender.ecn")
    for name, ratio in sender.pacing_ratios().items():
        yield Setting(name, ratio, "sender.pacing")


def _by_name(settings: Iterable[Setting]) -> dict[str, Setting]:
    return {setting.name: setting for setting in settings}
