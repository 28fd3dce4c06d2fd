# SPDX-License-Identifier: GPL-2.0-or-later
"""The way of packets through a graph: from node to node, as their routing tables say."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from tsqlab.experiment.testbed.graph import Graph, Port, Role
from tsqlab.experiment.testbed.routes import Route, routes

Way = tuple[Port, ...]
"""The ports that send a packet, one after the other."""


class Ways:
    """The ways through a graph; each node's routes are worked out once."""

    def __init__(self, graph: Graph) -> None:
        """Of that *graph*."""
        self._graph = graph
        self._routes: dict[str, tuple[Route, ...]] = {}
        self._at = {port.host_address: port for port in graph.ports}
        self._radios = {place.member.port: place for place in graph.radios}

    def way(self, sender: str, receiver: str) -> Way:
        """The ports that send what goes from one node to the other; none if there is no way."""
        return tuple(self._hops(sender, self._graph.addresses[receiver]))

    def egresses(self, sender: str, receiver: str) -> tuple[str, ...]:
        """The same, by whom each port sends to."""
        return tuple(port.egress for port in self.way(sender, receiver))

    def _hops(self, node: str, address: str) -> Iterator[Port]:
        passed = set[str]()
        while node not in passed and node != self._at[address].node:
            passed.add(node)
            gateway = self._gateway(node, address)
            if gateway is None:
                return
            yield from self._senders(node, self._at[gateway])
            node = self._at[gateway].node

    def _gateway(self, node: str, address: str) -> str | None:
        """The address that a node sends a packet to, by the most exact of its routes."""
        mine = (Route(_block(port), address) for port in self._graph.ports_of(node))
        if node not in self._routes:
            self._routes[node] = routes(self._graph, node)
        fitting = [route for route in (*mine, *self._routes[node]) if _leads(route, address)]
        best = max(fitting, key=_exactness, default=None)
        return best.gateway if best else None

    def _senders(self, node: str, to: Port) -> Iterator[Port]:
        """The ports that send to a neighbour's: a node's own, and between stations a second."""
        mine = self._graph.ports_of(node)
        here = next(port for port in mine if _block(port) == _block(to))
        yield here
        radios = [self._radios.get(port) for port in (here, to)]
        if all(radio and radio.member.role == Role.STATION for radio in radios):
            assert radios[0], "is there"
            yield radios[0].medium.at(radios[0].member.access_point).port


def _block(port: Port) -> str:
    return str(ipaddress.ip_interface(port.address).network)


def _network(to: str) -> ipaddress.IPv4Network:
    return ipaddress.IPv4Network("0.0.0.0/0" if to == "default" else to)


def _leads(route: Route, address: str) -> bool:
    return ipaddress.IPv4Address(address) in _network(route.to)


def _exactness(route: Route) -> int:
    return _network(route.to).prefixlen
