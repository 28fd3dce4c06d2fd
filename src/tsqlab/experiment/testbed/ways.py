# SPDX-License-Identifier: GPL-2.0-or-later
"""The way of packets through a graph: from node to node, as their routing tables say."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass

from tsqlab.experiment.testbed.graph import Graph, Link, Medium, Port, Role
from tsqlab.experiment.testbed.routes import Route, routes

Way = tuple[Port, ...]
"""The ports that send a packet, one after the other."""


@dataclass(frozen=True)
class Hop:
    """From a node to the next."""

    sender: str
    port: Port  # of the next node: where the packet arrives
    by: Link | Medium


class Ways:
    """The ways through a graph; each node's routes are worked out once."""

    def __init__(self, graph: Graph) -> None:
        """Of that *graph*."""
        self._graph = graph
        self._routes: dict[str, tuple[Route, ...]] = {}
        self._at: dict[str, tuple[Port, Link | Medium]] = {
            end.port.host_address: (end.port, link) for link in graph.links for end in link.ends
        }
        self._at |= {member.port.host_address: (member.port, medium)
                     for medium in graph.media for member in medium.members}  # fmt: skip

    def hops(self, sender: str, receiver: str) -> Iterator[Hop]:
        """The hops from one node to the other; they end where a circle would begin."""
        passed, node = set[str](), sender
        address = self._graph.addresses[receiver]
        while node not in passed and node != receiver:
            passed.add(node)
            gateway = self._gateway(node, address)
            if gateway is None:
                return
            port, by = self._at[gateway]
            yield Hop(node, port, by)
            node = port.node

    def way(self, sender: str, receiver: str) -> Way:
        """The ports that send what goes from one node to the other; none if there is no way."""
        return tuple(port for hop in self.hops(sender, receiver) for port in self._senders(hop))

    def egresses(self, sender: str, receiver: str) -> tuple[str, ...]:
        """The same, by whom each port sends to."""
        return tuple(port.egress for port in self.way(sender, receiver))

    def _gateway(self, node: str, address: str) -> str | None:
        """The address that a node sends a packet to, by the most exact of its routes."""
        mine = (Route(_block(port), address) for port in self._graph.ports_of(node))
        if node not in self._routes:
            self._routes[node] = routes(self._graph, node)
        fitting = [route for route in (*mine, *self._routes[node]) if _leads(route, address)]
        best = max(fitting, key=_exactness, default=None)
        return best.gateway if best else None

    def _senders(self, hop: Hop) -> Iterator[Port]:
        """The ports that send to a neighbour's: a node's own, and between stations a second."""
        mine = self._graph.ports_of(hop.sender)
        yield next(port for port in mine if _block(port) == _block(hop.port))
        if isinstance(hop.by, Medium):
            sender, receiver = hop.by.at(hop.sender), hop.by.at(hop.port.node)
            if sender.role == receiver.role == Role.STATION:
                yield hop.by.at(sender.access_point).port


def _block(port: Port) -> str:
    return str(ipaddress.ip_interface(port.address).network)


def _network(to: str) -> ipaddress.IPv4Network:
    return ipaddress.IPv4Network("0.0.0.0/0" if to == "default" else to)


def _leads(route: Route, address: str) -> bool:
    return ipaddress.IPv4Address(address) in _network(route.to)


def _exactness(route: Route) -> int:
    return _network(route.to).prefixlen
