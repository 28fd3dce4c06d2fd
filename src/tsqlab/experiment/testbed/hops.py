# SPDX-License-Identifier: GPL-2.0-or-later
"""The hops that a packet takes from one node to another, by what their routing tables say."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass

from tsqlab.experiment.testbed.graph import Graph, Link, Medium, Port
from tsqlab.experiment.testbed.routes import routes

_ALL = ipaddress.ip_network("0.0.0.0/0")


@dataclass(frozen=True)
class Hop:
    """From a node to the next."""

    sender: str
    port: Port  # of the next node: where the packet arrives
    by: Link | Medium


def hops(graph: Graph, start: str, end: str) -> Iterator[Hop]:
    """The hops from one node to another; they end where a circle would begin."""
    at: dict[str, tuple[Port, Link | Medium]] = {
        end.port.host_address: (end.port, link) for link in graph.links for end in link.ends
    }
    at |= {member.port.host_address: (member.port, medium)
           for medium in graph.media for member in medium.members}  # fmt: skip
    address = ipaddress.ip_address(graph.addresses[end])
    here = start
    for _ in graph.nodes:
        if here == end:
            return
        port, by = at[_next_address(graph, here, address)]
        yield Hop(here, port, by)
        here = port.node


def _next_address(
    graph: Graph, node: str, to: ipaddress.IPv4Address | ipaddress.IPv6Address
) -> str:
    """Where a node sends a packet to next, by the longest prefix."""
    blocks = [
        *((ipaddress.ip_interface(port.address).network, str(to)) for port in graph.ports_of(node)),
        *((_ALL if route.to == "default" else ipaddress.ip_network(route.to), route.gateway)
          for route in routes(graph, node)),
    ]  # fmt: skip
    return max((block.prefixlen, gateway) for block, gateway in blocks if to in block)[1]
