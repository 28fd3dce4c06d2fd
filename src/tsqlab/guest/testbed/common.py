# SPDX-License-Identifier: GPL-2.0-or-later
"""What nodes share, whatever they are: devices that come up, queues, sysctls."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from tsqlab.errors import TsqlabError
from tsqlab.experiment.host import Host
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.testbed import Egress, Port, Testbed
from tsqlab.experiment.testbed.graph import Role
from tsqlab.experiment.tsq import KernelTime
from tsqlab.guest.testbed.settings import Setting

PlanLine = list[str]
"""The words of one line of a plan."""

LEAF_MAJOR = 16
"""The major number of the handle of each egress's own qdisc, under netem and HTB."""


def qdisc_series(port: Port) -> str:
    """The series of a port's queue."""
    return f"qdisc-{port.device}"


def program_line(
    node: str, name: str, period_ns: tuple[int, int], kept_bytes: int, words: Sequence[str]
) -> PlanLine:
    """Run a program in that time after the boot: the folder that it starts in, and its command.

    *name* is that of its results, of which *kept_bytes* of each of its two streams are.
    """
    begin_ns, end_ns = map(str, period_ns)
    return ["program", node, name, begin_ns, end_ns, str(kept_bytes), *words]


def write_sysctls(node: str, settings: Iterable[Setting]) -> Iterable[PlanLine]:
    """Set a node's sysctls."""
    for setting in settings:
        path, value = f"/proc/sys/{setting.name.replace('.', '/')}", setting.value
        if isinstance(value, KernelTime):
            yield ["write-time", node, path, str(value.numerator), str(value.denominator)]
        else:
            yield ["write", node, path, str(value)]


def up_commands(port: Port, testbed: Testbed, host: Host) -> list[str]:
    """ip(8) commands that bring a node's device up."""
    # One packet per skb: TCP builds GSO packets whatever the device says, since commit
    # 0a6b2a1dc2a2 ("tcp: switch to GSO being always on") (in v4.17).
    gso = " gso_max_segs 1" if host.offloads == "off" else ""
    gso += "" if host.gso_max_size is None else f" gso_max_size {int(host.gso_max_size)}"
    return [
        f"address add {port.address} dev {port.device}",
        f"link set dev {port.device} mtu {testbed.mtu}{gso} up",
    ]


def known_neighbours(spec: Spec, node: str) -> Iterable[str]:
    """ip(8) commands by which a node knows its neighbours, where nothing else asks for them first.

    Flent's tests begin with pings, and ask. A [[flow]] would have the time of asking in its
    completion time; and datagrams that are sent as fast as a socket takes them would all be dropped
    meanwhile, in no time. In a network without an access point asking is a broadcast, which nobody
    acknowledges, so that there it is known in any case.
    """
    graph = spec.testbed.graph
    for segment in (graph.segments[place] for place in graph.segments_at[node]):
        if not spec.flow and not segment.relays:
            continue
        mine = next(port for port in segment.ports if port.node == node)
        for port in segment.neighbours(node):
            if _meets(spec, mine, port):
                at = f"lladdr {port.mac} dev {mine.device}"
                yield f"neigh add {port.host_address} {at} nud permanent"


def _meets(spec: Spec, mine: Port, other: Port) -> bool:
    """Whether it matters that two ports of a segment know each other.

    Of many stations of an access point it does if flows are between the two.
    """
    radios = [spec.testbed.graph.radio_of(port) for port in (mine, other)]
    if not all(radio and radio.member.role == Role.STATION for radio in radios):
        return True
    return {mine.node, other.node} <= spec.hosts


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


def netem_words(egress: Egress) -> str:
    """netem of one egress, in the words of tc(8)."""
    # This leaves room for a second of small packets at 100 Gbit/s: netem's own limit must not
    # drop any.
    words = "netem limit 10000000"
    words += f" delay {egress.delay / 1000:.3f}us" if egress.delay else ""
    return words + (f" loss {egress.loss / 10**7:.7f}%" if egress.loss else "")


def egress_queues(device: str, egress: Egress, *, loses: bool = False) -> list[str]:
    """tc(8) commands for one egress: netem over HTB over the qdisc, as far as each is asked.

    netem holds packets on their way to the rest, so a rate below it is kept as it is. *loses*:
    whether it will lose some later.
    """
    parent, lines = "root", []
    if egress.delay or egress.loss or loses:
        lines.append(f"qdisc add dev {device} {parent} handle 5: {netem_words(egress)}")
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


def encode(lines: Iterable[PlanLine]) -> str:
    """The text of lines, whose words tabs separate. Raises TsqlabError."""
    return "".join("\t".join(map(_word, line)) + "\n" for line in lines)


def _word(text: str) -> str:
    if not text or any(separator in text for separator in "\t\r\n\0"):
        raise TsqlabError(f"{text!r} cannot be a word of a guest's plan: tabs and line breaks "
                          "part words and lines")  # fmt: skip
    return text
