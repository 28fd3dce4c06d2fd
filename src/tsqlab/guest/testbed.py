# SPDX-License-Identifier: GPL-2.0-or-later
"""The testbed's wiring: nodes, links, addresses, queues, as batches for ip(8) and tc(8).

    C --wireline-- R --wireline-- S

Each node is a network namespace; each link a pair of wireline cards. Links are made in the
guest's first namespace, where their sysfs attributes can be written, and then moved.
Pure functions: a spec and a profile in, text out.
"""

from __future__ import annotations

from dataclasses import dataclass

from tsqlab.experiment.profile import Wireline
from tsqlab.experiment.spec import Egress, Sender, Testbed

LEAF_MAJOR = 16
"""The major number of the handle of each egress's own qdisc, under netem and HTB."""

CLIENT, ROUTER, SERVER = "C", "R", "S"
SERVER_ADDRESS = "10.0.2.1"
CLIENT_ADDRESS = "10.0.1.1"

# What a machine with 8 GiB of memory would choose for itself (tcp_init, sock_init): a guest
# has less, and its buffers must not be what limits a flow.
_NODE_SYSCTLS: dict[str, int | str] = {
    "net.ipv4.tcp_rmem": "4096 131072 6291456",
    "net.ipv4.tcp_wmem": "4096 16384 4194304",
    "net.ipv6.conf.all.disable_ipv6": 1,  # no router solicitations beside the flows
    "net.ipv6.conf.default.disable_ipv6": 1,
}
GUEST_SYSCTLS: dict[str, int | str] = {"net.ipv4.tcp_mem": "90000 120000 180000"}  # pages
"""Those that all nodes have in common."""


@dataclass(frozen=True)
class Port:
    """One end of a link."""

    egress: str  # "C>R": the node it is in, and the one it sends to
    device: str
    mac: str
    address: str  # with its prefix length

    @property
    def node(self) -> str:
        """The node that it is in."""
        return self.egress[0]


LINKS = (
    (
        Port("C>R", "c0", "02:00:00:00:01:01", f"{CLIENT_ADDRESS}/24"),
        Port("R>C", "r0", "02:00:00:00:01:02", "10.0.1.2/24"),
    ),
    (
        Port("R>S", "r1", "02:00:00:00:02:02", "10.0.2.2/24"),
        Port("S>R", "s0", "02:00:00:00:02:01", f"{SERVER_ADDRESS}/24"),
    ),
)
PORTS = tuple(port for link in LINKS for port in link)
_GATEWAYS = {CLIENT: "10.0.1.2", SERVER: "10.0.2.2"}


def link_batch() -> str:
    """ip(8) commands that make the nodes, and the links in the first namespace."""
    lines = [f"netns add {node}" for node in (CLIENT, ROUTER, SERVER)]
    for one, other in LINKS:
        lines.append(f"link add name {one.device} address {one.mac} type wireline")
        lines.append(
            f"link add link {one.device} name {other.device} address {other.mac} type wireline"
        )
    return _batch(lines)


def move_batch() -> str:
    """ip(8) commands that move each end into its node."""
    return _batch([f"link set dev {port.device} netns {port.node}" for port in PORTS])


def card_commands(port: Port, testbed: Testbed, profile: Wireline) -> list[list[str]]:
    """ethtool(8) commands, for the first namespace, that make a card what the profile says."""
    mbit_per_s = testbed.line_rate(profile.line_rate) // 10**6
    speed = ["speed", str(mbit_per_s), "duplex", "full", "autoneg", "off"]
    commands = [
        ["ethtool", "-s", port.device, *speed],
        ["ethtool", "-G", port.device, "tx", str(profile.tx_ring)],
    ]
    if profile.completion_delay:
        usecs, frames = profile.completion_delay // 1000, profile.completion_batch or 0
        coalesce = ["tx-usecs", str(usecs), "tx-frames", str(frames)]
        commands.append(["ethtool", "-C", port.device, *coalesce])
    return commands


def attributes(port: Port, testbed: Testbed, sender: Sender) -> dict[str, int]:
    """A card's attributes in sysfs, those that differ from what a card has by itself.

    A frame is on its way for half the base RTT, each way, on the R-S link. A pacing shift is
    the sending hosts' drivers'.
    """
    far = port.egress in ("R>S", "S>R")
    values = {
        "propagation_ns": testbed.base_rtt // 2 if far else 0,
        "pacing_shift": sender.tsq.shift if port.node != ROUTER else 0,
    }
    return {name: value for name, value in values.items() if value}


def offload_command(port: Port, sender: Sender) -> list[str]:
    """The ethtool(8) command for the offloads that the papers switch."""
    state = "on" if sender.offloads == "on" else "off"
    return ["ethtool", "-K", port.device, "tso", state, "gso", state, "gro", state]


def node_batch(node: str, testbed: Testbed, sender: Sender) -> str:
    """ip(8) commands that bring a node's devices up."""
    lines = ["link set dev lo up"]
    # One packet per skb: TCP builds GSO packets whatever the device says (since 4.17).
    single = " gso_max_segs 1" if sender.offloads == "off" else ""
    for port in (port for port in PORTS if port.node == node):
        lines.append(f"address add {port.address} dev {port.device}")
        lines.append(f"link set dev {port.device} mtu {testbed.mtu}{single} up")
    if node in _GATEWAYS:
        lines.append(f"route add default via {_GATEWAYS[node]}")
    return _batch(lines)


def queue_batch(node: str, testbed: Testbed) -> str:
    """tc(8) commands for a node's egresses."""
    shaped = testbed.shaped()
    return _batch(
        [
            line
            for port in PORTS
            if port.node == node
            for line in egress_queues(port.device, shaped[port.egress])
        ]
    )


def egress_queues(device: str, egress: Egress) -> list[str]:
    """tc(8) commands for one egress: netem over HTB over the qdisc, as far as each is asked.

    netem holds packets on their way to the rest, so a rate below it is kept as it is.
    """
    parent, lines = "root", []
    if egress.delay or egress.loss:
        # Room for 100 Gbit/s of small packets in a second: netem's own limit must not bind.
        line = f"qdisc add dev {device} {parent} handle 5: netem limit 10000000"
        line += f" delay {egress.delay / 1000:.3f}us" if egress.delay else ""
        line += f" loss {egress.loss / 10**7:.7f}%" if egress.loss else ""
        lines.append(line)
        parent = "parent 5:1"
    if egress.rate is not None:
        lines.append(f"qdisc add dev {device} {parent} handle 1: htb default 1")
        lines.append(
            f"class add dev {device} parent 1: classid 1:1 htb rate {egress.rate}bit quantum 1514"
        )
        parent = "parent 1:1"
    lines.append(f"qdisc add dev {device} {parent} handle {LEAF_MAJOR:x}: {egress.qdisc}")
    return lines


def sysctls(node: str, testbed: Testbed, sender: Sender) -> dict[str, int | str]:
    """A node's sysctls: the lab's own, then the experiment's over them."""
    first = sender.congestion_control.split(",")[0]
    own: dict[str, int | str] = {"net.ipv4.tcp_congestion_control": first}
    own |= sender.tsq.sysctls()
    if node == ROUTER:
        own = {"net.ipv4.ip_forward": 1}
    return _NODE_SYSCTLS | own | testbed.sysctl.get(node, {})


def _batch(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
