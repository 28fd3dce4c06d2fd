# SPDX-License-Identifier: GPL-2.0-or-later
"""What all layouts share: ports, queues, sysctls, and what a plan asks a layout for."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from tsqlab.errors import TsqlabError
from tsqlab.experiment.host import Host
from tsqlab.experiment.profile import Wireline
from tsqlab.experiment.spec import Egress, Spec, Testbed
from tsqlab.experiment.tsq import KernelTime
from tsqlab.guest.testbed.settings import Setting
from tsqlab.topology import sender_of

PlanLine = list[str]
"""The words of one line of a plan."""

LEAF_MAJOR = 16
"""The major number of the handle of each egress's own qdisc, under netem and HTB."""

SERVER_ADDRESS = "10.0.2.1"


@dataclass(frozen=True)
class Port:
    """One end of a link."""

    egress: str  # "C>R": the node that this end is in, and the node that it sends to
    device: str
    mac: str
    address: str  # the IP address with its prefix length

    @property
    def node(self) -> str:
        """The node that it is in."""
        return sender_of(self.egress)


@dataclass(frozen=True)
class WatchedRadio:
    """A radio whose statistics are sampled."""

    node: str
    peer: str  # the node that it sends to, or "all"
    series: str  # the name of its files
    line: tuple[str, ...]  # the words of the line of the plan that samples it


class Wiring(Protocol):
    """A layout as built for one cell: nodes, links, and how a plan makes them."""

    @property
    def ports(self) -> tuple[Port, ...]:
        """Every end of every link."""

    @property
    def qdiscs(self) -> Mapping[str, Port]:
        """The ports whose queue is watched, by egress."""

    @property
    def radios(self) -> tuple[WatchedRadio, ...]:
        """The radios."""

    @property
    def addresses(self) -> Mapping[str, str]:
        """The IP address by which others reach each node."""

    def files(self) -> dict[str, str]:
        """The batch files that the lines of the plan name."""

    def set_up(self) -> Iterable[PlanLine]:
        """The plan's lines before the clock starts."""


def address_of(port: Port) -> str:
    """A port's IP address without its prefix length."""
    return port.address.partition("/")[0]


def qdisc_series(port: Port) -> str:
    """The series of a port's queue."""
    return f"qdisc-{port.device}"


def write_sysctls(node: str, settings: Iterable[Setting]) -> Iterable[PlanLine]:
    """Set a node's sysctls."""
    for setting in settings:
        path, value = f"/proc/sys/{setting.name.replace('.', '/')}", setting.value
        if isinstance(value, KernelTime):
            yield ["write-time", node, path, str(value.numerator), str(value.denominator)]
        else:
            yield ["write", node, path, str(value)]


def wire_batch(links: Iterable[tuple[Port, Port]]) -> list[str]:
    """ip(8) commands that make pairs of wireline cards in the first namespace."""
    lines = []
    for near, far in links:
        lines.append(f"link add name {near.device} address {near.mac} type wireline")
        lines.append(
            f"link add link {near.device} name {far.device} address {far.mac} type wireline"
        )
    return lines


def card_lines(port: Port, card: Wireline, line_rate: int, attributes: Mapping[str, int]
) -> Iterable[PlanLine]:  # fmt: skip
    """Make a card, still in the first namespace, what its profile and *attributes* say."""
    mbit_per_s = line_rate // 10**6
    speed = ["speed", str(mbit_per_s), "duplex", "full", "autoneg", "off"]
    yield ["ethtool", "-", "-s", port.device, *speed]
    yield ["ethtool", "-", "-G", port.device, "tx", str(card.tx_ring)]
    waits = {
        "tx": (card.completion_delay, card.completion_batch),
        "rx": (card.receive_delay, card.receive_batch),
    }
    for side, (delay, batch) in waits.items():
        if delay:
            coalesce = [f"{side}-usecs", str(delay // 1000), f"{side}-frames", str(batch or 0)]
            yield ["ethtool", "-", "-C", port.device, *coalesce]
    own = {"receive_interval_ns": int(card.receive_interval)}
    for name, value in (own | dict(attributes)).items():
        if value:
            path = f"/sys/class/net/{port.device}/wireline/{name}"
            yield ["write", "-", path, str(value)]


def like_programs(lines: Iterable[PlanLine]) -> Iterable[PlanLine]:
    """*lines*, then as many random numbers drawn as if each ethtool among them were a program.

    The kernel's random numbers are one stream, and what is set up after these lines takes its own
    of it: netem draws what it loses, a router how long a neighbour is reachable. A program takes
    two when it starts, one by the kernel (AT_RANDOM) and one by the C library (malloc's key). So
    results are those of the time when ethtool(8) was run for each line.
    """
    programs = 0
    for line in lines:
        programs += line[0] == "ethtool"
        yield line
    if programs:
        yield ["draw", str(2 * programs)]


def up_commands(port: Port, testbed: Testbed, host: Host) -> list[str]:
    """ip(8) commands that bring a node's device up."""
    # One packet per skb: TCP builds GSO packets whatever the device says, since commit
    # 0a6b2a1dc2a2 ("tcp: switch to GSO being always on") (in v4.17).
    single = " gso_max_segs 1" if host.offloads == "off" else ""
    return [
        f"address add {port.address} dev {port.device}",
        f"link set dev {port.device} mtu {testbed.mtu}{single} up",
    ]


def known_neighbours(spec: Spec, node: str, links: Iterable[tuple[Port, Port]]) -> Iterable[str]:
    """ip(8) commands by which a node knows who is at the other ends of its wires.

    Asking would take a round trip of the wire, which the first flow's completion time would have in
    it. Flent's tests begin with pings, and ask.
    """
    for link in links if spec.flow else ():
        for near, far in (link, link[::-1]):
            if near.node == node:
                address = address_of(far)
                yield f"neigh add {address} lladdr {far.mac} dev {near.device} nud permanent"


def offload_lines(
    ports: Iterable[Port], host: Host, *, tso: Container[Port], no_gro: Container[Port] = ()
) -> Iterable[PlanLine]:
    """Switch off what a host has off, or a device has not; it begins with all that there is.

    *tso*: who has that. *no_gro*: whose driver has none.
    """
    for port in ports:
        if host.offloads == "on":
            names = ["gro"] if port in no_gro else []
        else:
            names = ["tso", "gso", "gro"] if port in tso else ["gso", "gro"]
        states = [word for name in names for word in (name, "off")]
        if states:
            yield ["ethtool", port.node, "-K", port.device, *states]


def egress_queues(device: str, egress: Egress) -> list[str]:
    """tc(8) commands for one egress: netem over HTB over the qdisc, as far as each is asked.

    netem holds packets on their way to the rest, so a rate below it is kept as it is.
    """
    parent, lines = "root", []
    if egress.delay or egress.loss:
        # This leaves room for a second of small packets at 100 Gbit/s: netem's own limit must not
        # drop any.
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
    if egress.qdisc is not None:
        lines.append(f"qdisc add dev {device} {parent} handle {LEAF_MAJOR:x}: {egress.qdisc}")
    return lines


def batch(lines: Iterable[str]) -> str:
    """Commands as the text of a batch, a line each. Raises TsqlabError for what is no line."""
    commands = list(lines)
    for command in commands:
        if any(separator in command for separator in "\r\n\0"):
            raise TsqlabError(f"{command!r} cannot be a line of a batch")
    return "".join(f"{command}\n" for command in commands)
