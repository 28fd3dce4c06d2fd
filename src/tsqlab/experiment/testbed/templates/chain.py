# SPDX-License-Identifier: GPL-2.0-or-later
"""Hops on one channel, each node a host with one radio: C ))) N1 ))) N2 ))) ... ))) S.

    wifi-chain    routes lead through the next node: of peers over a fullmac device, of an IBSS over
                  one of mac80211; all hear each other, or each its neighbours only
    mesh          each hears its neighbours only, and 802.11s finds the path

Where each hears its neighbours only, those two hops apart are hidden from each other.
"""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING

from tsqlab.experiment.bounds import KeyedError
from tsqlab.experiment.testbed.graph import Ends, Graph, Medium, Member, Role, Way
from tsqlab.experiment.testbed.rules import Ports
from tsqlab.experiment.testbed.templates.wifi import noise, queue_of_radio
from tsqlab.topology import AIR, CLIENT, SERVER

if TYPE_CHECKING:
    from tsqlab.experiment.testbed.table import Testbed

HOPS_MAX = 8
_RELAY = "N"


def wifi_chain(testbed: Testbed) -> Graph:
    """A chain of relays, whose routes lead through the next node whoever hears whom."""
    nodes = _nodes(testbed.hops)
    near = testbed.hears == "next"
    via = {node: _by_the_next(nodes, node) for node in nodes}
    sinks = nodes[1:] if testbed.sinks == "each" else nodes[-1:]
    return Graph(
        nodes,
        media=(_medium(testbed, nodes, Role.AD_HOC, near=near),),
        ends=tuple(Ends(CLIENT, sink) for sink in sinks),
        # Where only neighbours hear each other there is no other way.
        via={} if near else {node: ways for node, ways in via.items() if ways},
    )


def mesh(testbed: Testbed) -> Graph:
    """A row of mesh points."""
    nodes = _nodes(testbed.hops)
    medium = _medium(testbed, nodes, Role.MESH, near=True)
    return Graph(nodes, media=(medium,), ends=(Ends(CLIENT, SERVER),))


def _nodes(hops: int) -> tuple[str, ...]:
    if hops > HOPS_MAX:
        raise KeyedError(["hops"], f"expected {HOPS_MAX} hops over radios at most")
    return (CLIENT, *(f"{_RELAY}{number}" for number in range(1, hops)), SERVER)


def _by_the_next(nodes: tuple[str, ...], node: str) -> dict[str, str]:
    """The neighbour in the row by which a node reaches each that is none."""
    here = nodes.index(node)
    return {
        other: nodes[here + (1 if there > here else -1)]
        for there, other in enumerate(nodes)
        if abs(there - here) > 1
    }


def _medium(testbed: Testbed, nodes: tuple[str, ...], role: Role, *, near: bool) -> Medium:
    """The channel; *near*: each hears its neighbours only."""
    members = (
        Member(port, queue_of_radio(testbed, port.egress), role)
        for port in Ports().of_network(AIR, nodes)
    )
    apart = [pair for pair in combinations(nodes, 2)
             if near and pair[1] in _by_the_next(nodes, pair[0])]  # fmt: skip
    heard = (pair for pair in combinations(nodes, 2) if pair not in apart)
    ways = [way for pair in heard for way in noise(testbed, *pair)]
    ways += (Way(one, other, hears=False) for pair in apart for one, other in permutations(pair))
    return Medium(AIR, 1, tuple(members), rate=testbed.rate, rts=testbed.rts, ways=tuple(ways))
