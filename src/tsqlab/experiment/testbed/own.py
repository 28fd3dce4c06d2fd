# SPDX-License-Identifier: GPL-2.0-or-later
"""The graph of a testbed that a user wrote."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tsqlab.experiment.testbed.check import nodes_of, stations_of
from tsqlab.experiment.testbed.graph import (
    NETWORKS,
    Ends,
    Graph,
    Link,
    LinkEnd,
    Medium,
    Member,
    Role,
    Way,
)
from tsqlab.experiment.testbed.keys import Egress
from tsqlab.experiment.testbed.positions import ways_between
from tsqlab.experiment.testbed.rules import Ports
from tsqlab.experiment.testbed.written import LinkTable, MediumTable
from tsqlab.units import Duration, Fraction

if TYPE_CHECKING:
    from tsqlab.experiment.testbed.table import Testbed


def own(testbed: Testbed) -> Graph:
    """The graph of [nodes], [[link]] and [[medium]]."""
    ports = Ports()
    media = tuple(
        _medium(testbed, table, number, ports)
        for number, table in enumerate(testbed.medium.values(), 1)
    )
    links = tuple(_link(testbed, table, ports) for table in testbed.link.values())
    ends = (Ends(name, node.server) for name, node in testbed.node.items() if node.server)
    via = {name: node.via for name, node in testbed.node.items() if node.via}
    return Graph(tuple(testbed.node), links, media, tuple(ends), via)


def _link(testbed: Testbed, table: LinkTable, ports: Ports) -> Link:
    near, far = (
        LinkEnd(
            port,
            _queue(testbed, name, loss=table.loss.get(name),
                   qdisc=table.qdisc.get(name) or testbed.qdisc or "pfifo_fast"),
            table.rate.get(name),
            table.delay.get(name, Duration(0)),
        )
        for port in ports.of_wire(*table.between)
        for name in [port.egress]
    )  # fmt: skip
    return Link(near, far, table.device)


def _queue(
    testbed: Testbed, name: str, *, loss: Fraction | None = None, qdisc: str | None = None
) -> Egress:
    """What [testbed.egress] says of one, over what its link or medium does."""
    said = testbed.egress.get(name, Egress())
    return said.model_copy(
        update={"loss": said.loss or loss or Fraction(0), "qdisc": said.qdisc or qdisc}
    )


def _medium(testbed: Testbed, table: MediumTable, number: int, ports: Ports) -> Medium:
    members: list[Member] = []
    stations = tuple(stations_of(table))
    qdisc = table.qdisc or testbed.qdisc
    for node in nodes_of(table, Role.AP):
        mine = tuple(station for station, access_point in stations if access_point == node)
        port, others = ports.of_bss(node, table.name, mine)
        members.append(Member(port, _queue(testbed, port.egress, qdisc=qdisc), Role.AP))
        members += (
            Member(
                other,
                _queue(testbed, other.egress, qdisc=qdisc),
                Role.STATION,
                access_point=node,
                rate=table.members[station].rate,
            )
            for station, other in others.items()
        )
    for role in NETWORKS:
        if nodes := nodes_of(table, role):
            members += (
                Member(port, _queue(testbed, port.egress, qdisc=qdisc), role)
                for port in ports.of_network(table.name, nodes)
            )
    ways = _ways(table, members)
    return Medium(
        table.name,
        number,
        tuple(replace(one, device=table.members[one.port.node].device) for one in members),
        table.device,
        table.rate,
        table.rts,
        tuple(ways.values()),
    )


def _ways(table: MediumTable, members: list[Member]) -> dict[tuple[str, str], Way]:
    """What is not as without noise: positions, the medium's losses, stations' rates, then pairs."""
    found = {(way.sender, way.receiver): way for way in ways_between(table)}
    for sender, receiver in _links(members):
        way = found.get((sender, receiver), Way(sender, receiver))
        if table.loss or table.snr is not None:
            way = replace(way, loss=table.loss, snr=way.snr if table.snr is None else table.snr)
        if table.members[receiver].rate:  # its own radio has the rate of what it sends itself
            way = replace(way, rate=table.members[receiver].rate)
        if way != Way(sender, receiver):
            found[sender, receiver] = way
    for pair, said in table.pairs.items():
        for ends in ways_of(pair):
            given = {key: value for key, value in said if value is not None}
            found[ends] = replace(found.get(ends, Way(*ends)), **given)
    return found


def _links(members: list[Member]) -> Iterator[tuple[str, str]]:
    """Who sends data to whom: a station and its access point, and all that are in a network."""
    for member in members:
        node = member.port.node
        if member.role == Role.STATION:
            yield from ((node, member.access_point), (member.access_point, node))
        elif member.role in NETWORKS:
            yield from ((node, other.port.node) for other in members
                        if other.role == member.role and other != member)  # fmt: skip


def ways_of(pair: str) -> tuple[tuple[str, str], ...]:
    """The ways that a pair names: "A>B" one of them, "A-B" both."""
    if ">" in pair:
        sender, _, receiver = pair.partition(">")
        return ((sender, receiver),)
    one, _, other = pair.partition("-")
    return ((one, other), (other, one))
