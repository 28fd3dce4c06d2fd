# SPDX-License-Identifier: GPL-2.0-or-later
"""Peers of the fullmac front on a graph of who hears whom, as lines for a guest's plan.

The graph is the model's (:mod:`tsqlab.model.hearing`): what the lab does and what the model says
follow from the same nodes. Each graph is on a medium of its own, so that many are measured in one
boot. A saturated node sends UDP datagrams of 1500 bytes of IP to the end of its chain, as fast as
its socket takes them; what lies between forwards them.
"""

from dataclasses import dataclass, field

from bss import (
    MS,
    PAYLOAD_BYTES,
    START_NS,
    STEP_NS,
    WARM_UP_NS,
    address,
    genl,
    phy_rate,
    watch,
    words,
)
from tsqlab.airlink import messages
from tsqlab.airlink.messages import Link, Radio
from tsqlab.airlink.uapi import ProfileAttribute, Role
from tsqlab.guest.plan import Plan
from tsqlab.model.hearing import Node, Traffic
from tsqlab.results.measurement import read_table


@dataclass(frozen=True)
class Peers:
    """What stands on one medium."""

    nodes: tuple[Node, ...]
    traffic: Traffic
    seed: int = 1
    profile: dict[ProfileAttribute, int] = field(default_factory=dict)

    @property
    def settings(self):
        """The profile of all its radios."""
        rts = {ProfileAttribute.RTS_BYTES: 0} if self.traffic.settings.rts else {}
        return {
            ProfileAttribute.AGGREGATE_FRAMES: self.traffic.subframes,
            ProfileAttribute.PPDU_TRIES: self.traffic.attempts,
            ProfileAttribute.FRAME_TRIES: 255,
            **rts,
            **self.profile,
        }

    def way(self, source):
        """The nodes that a source's datagrams come to."""
        number, way = source, []
        while (number := self.nodes[number].to) is not None:
            way.append(number)
        return way

    @property
    def sources(self):
        return [number for number, node in enumerate(self.nodes) if node.saturated]


def chain(hops, *, near):
    """A saturated source, relays, and a sink; *near*: each hears its neighbours only."""
    numbers = range(hops + 1)
    return tuple(
        Node(
            frozenset(n for n in numbers if n != number and (not near or abs(n - number) == 1)),
            number + 1 if number < hops else None,
            saturated=number == 0,
        )
        for number in numbers
    )


def name(medium, number):
    """A node's, and its device's."""
    return f"p{medium}.{number}"


def mac(number):
    return address(number + 1)


def ip(medium, number):
    return f"10.{medium}.0.{number + 1}"


def measure(guest, cases, seconds):
    """Run all *cases* at once; what each node's radio has counted in the time."""
    lines, flows, batches = ["module\t/tsqlab/modules/airlink.ko"], [], {}
    lines.append("write\t-\t/proc/sys/net/core/wmem_default\t4000000")
    end_ns = START_NS + WARM_UP_NS + round(seconds * 10**9)
    for medium, case in enumerate(cases, 1):
        lines += _set_up(medium, case, batches)
        flows += _flows(medium, case, end_ns)
    clock = f"clock\t{START_NS + WARM_UP_NS}\t{STEP_NS}\t{end_ns}"
    out = guest(plan=Plan(words(lines), words([clock, *flows, "end"]), batches))
    return [
        [_counts(out, name(medium, number), seconds) for number in range(len(case.nodes))]
        for medium, case in enumerate(cases, 1)
    ]


def _set_up(medium, case, batches):
    numbers = range(len(case.nodes))
    yield genl("-", messages.new_medium(medium, seed=case.seed))
    for number in numbers:
        node = name(medium, number)
        yield f"run\t-\tip\tnetns\tadd\t{node}"
        made = Radio(
            *(medium, mac(number), node),
            role=Role.PEER,
            rate=phy_rate(case.traffic.rate),
            profile=case.settings,
        )
        yield genl(node, messages.new_radio(made))
        for knob in ("ip_forward\t1", "conf/all/send_redirects\t0",
                     f"conf/{node}/send_redirects\t0"):  # fmt: skip
            yield f"write\t{node}\t/proc/sys/net/ipv4/{knob}"
        batches[f"{node}.ip"] = "".join(f"{line}\n" for line in _commands(medium, case, number))
        yield f"run\t{node}\tip\t-batch\t/tsqlab/plan/{node}.ip"
    for sender in numbers:
        for receiver in numbers:
            if receiver != sender and sender not in case.nodes[receiver].hears:
                deaf = Link(medium, mac(sender), mac(receiver), hears=False)
                yield genl("-", messages.set_link(deaf))


def _commands(medium, case, number):
    node = name(medium, number)
    yield f"address add {ip(medium, number)}/24 dev {node}"
    yield f"link set {node} up"
    for other in range(len(case.nodes)):
        if other != number:
            yield f"neigh add {ip(medium, other)} lladdr {mac(other)} dev {node}"
    # The last of a way is on the same subnet, but out of reach.
    ends = {way[-1] for way in map(case.way, case.sources) if way[0] != way[-1]}
    for end in sorted(ends - {number, case.nodes[number].to}):
        if case.nodes[number].to is not None:
            yield f"route add {ip(medium, end)} via {ip(medium, case.nodes[number].to)}"


def _flows(medium, case, end_ns):
    for source in case.sources:
        end = case.way(source)[-1]
        node, to, port = name(medium, source), name(medium, end), 5000 + source
        what = f"{ip(medium, end)}\t{port}\t0\t{PAYLOAD_BYTES}\t0\t{START_NS}\t{end_ns}"
        yield f"udp\t{to}\t{node}-recv\trecv\t{what}"
        yield f"udp\t{node}\t{node}-send\tsend\t{what}"
    for number in range(len(case.nodes)):
        node = name(medium, number)
        yield watch(node, node, medium, mac(number))


def _counts(out, node, seconds):
    table = read_table(out / f"{node}.tsv")
    last = int((table["t_ns"] == round(seconds * 1000) * MS).argmax())
    return {column: int(values[last] - values[0]) for column, values in table.items()}
