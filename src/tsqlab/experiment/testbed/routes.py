# SPDX-License-Identifier: GPL-2.0-or-later
"""The routes of a graph's nodes: by the fewest hops, unless the graph gives a way.

A segment is a wire, a BSS or another network of radios, and has a block of addresses. A node needs
a route to each block that it has no port in. Where not all in a segment reach each other, each of
them is a destination of its own, for all nodes: the block leads only to neighbours. Of ways that
are equally short a node takes the one whose segments come first in the graph.
"""

from __future__ import annotations

import ipaddress
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tsqlab.experiment.testbed.graph import Graph, Port, Role


@dataclass(frozen=True)
class Route:
    """A line of a node's routing table."""

    to: str  # a block of addresses, one address, or "default"
    gateway: str  # the IP address of the next node


def routes(graph: Graph, node: str) -> tuple[Route, ...]:
    """A node's routes: one for all, if all go by the same neighbour.

    A station sends to its access point whatever it has no route for, also if nothing is beyond.
    """
    given = _given(graph, node)
    named = {route.to for route in given}
    ways = _next_nodes(graph, node)
    relayed = (route for route in _relayed(graph, node, ways) if route.to not in named)
    gateways = _gateways(graph, node, ways)
    if not gateways:
        gateways = _access_point(graph, node)
    if len(set(gateways.values())) == 1:
        return (*given, *relayed, Route("default", next(iter(gateways.values()))))
    beyond = (Route(to, gateway) for to, gateway in gateways.items() if to not in named)
    return (*given, *relayed, *beyond)


def parts(graph: Graph) -> dict[str, int]:
    """The part that each node is in: packets get to every node of it, and to no other."""
    found: dict[str, int] = {}
    for number, node in enumerate(graph.nodes):
        if node not in found:
            found |= dict.fromkeys(_next_nodes(graph, node), number)
    return found


@dataclass(frozen=True)
class _Next:
    """How a node goes on to another."""

    gateway: str  # the address of the next node
    hops: int


def _relayed(graph: Graph, node: str, ways: Mapping[str, _Next]) -> Iterator[Route]:
    """Routes to those that share a segment with a node, but are no neighbours of it."""
    for place in graph.segments_at[node]:
        segment = graph.segments[place]
        for port in segment.ports if segment.apart else ():
            if frozenset((node, port.node)) in segment.apart and port.node in ways:
                yield Route(port.host_address, ways[port.node].gateway)


def _gateways(graph: Graph, node: str, ways: Mapping[str, _Next]) -> dict[str, str]:
    """The address of the next node, by the block or the address that it leads to."""
    found: dict[str, str] = {}
    for segment in graph.segments:
        members = [port.node for port in segment.ports]
        if node in members:
            continue
        if segment.apart:
            found |= {port.host_address: ways[port.node].gateway
                      for port in segment.ports if port.node in ways}  # fmt: skip
            continue
        nearest = min(
            members, key=lambda member: ways[member].hops if member in ways else len(ways)
        )
        if nearest in ways:
            found[_block(segment.ports[0])] = ways[nearest].gateway
    return found


def _next_nodes(graph: Graph, start: str) -> dict[str, _Next]:
    """The next hop from *start* to every node that it reaches."""
    found = {start: _Next("", 0)}
    waiting, crossed = deque([start]), set[int]()
    while waiting:
        here = waiting.popleft()
        mine = [place for place in graph.segments_at[here] if place not in crossed]
        crossed.update(place for place in mine if not graph.segments[place].apart)
        for port in (port for place in mine for port in graph.segments[place].neighbours(here)):
            if port.node not in found:
                gateway = found[here].gateway or port.host_address
                found[port.node] = _Next(gateway, found[here].hops + 1)
                waiting.append(port.node)
    return found


def _access_point(graph: Graph, node: str) -> dict[str, str]:
    radio = graph.radio_at(node)
    if radio is None or radio.member.role != Role.STATION:
        return {}
    access_point = radio.medium.at(radio.member.access_point).port
    return {"default": access_point.host_address}


def _given(graph: Graph, node: str) -> tuple[Route, ...]:
    """Routes to each address of the nodes to which a way is given."""
    return tuple(
        Route(port.host_address, gateway)
        for to, neighbour in graph.via.get(node, {}).items()
        for port in graph.ports_of(to)
        if (gateway := neighbour_address(graph, node, neighbour))
    )


def neighbour_address(graph: Graph, node: str, neighbour: str) -> str | None:
    """The address at which a node reaches one that it shares a segment with; None if none."""
    for place in graph.segments_at[node]:
        for port in graph.segments[place].neighbours(node):
            if port.node == neighbour:
                return port.host_address
    return None


def _block(port: Port) -> str:
    return str(ipaddress.ip_interface(port.address).network)
