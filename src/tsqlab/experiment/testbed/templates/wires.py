# SPDX-License-Identifier: GPL-2.0-or-later
"""Testbeds of wires between hosts and a row of routers.

    dumbbell      C1 --.              .-- S1       parking-lot   C --R1 ===== R2 ===== R3-- S
                        R1 ======== R2                              |         | |       |
                  C2 --'              '-- S2                        C1       S1 C2      S2

The bottleneck's shorthand means every client (L100M), or each router that sends to the next one
(R100M). The base RTT is that of each link between two routers.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from tsqlab.experiment.testbed.graph import Ends, Graph, Link, LinkEnd
from tsqlab.experiment.testbed.keys import Egress
from tsqlab.experiment.testbed.rules import Ports
from tsqlab.topology import CLIENT, ROUTER, SERVER
from tsqlab.units import Duration

if TYPE_CHECKING:
    from tsqlab.experiment.testbed.table import Testbed


def dumbbell(testbed: Testbed) -> Graph:
    """Pairs of a client and a server with one link in common."""
    ends = [_pair(str(number)) for number in range(1, testbed.pairs + 1)]
    return _row(testbed, 2, dict.fromkeys(ends, (1, 2)))


def parking_lot(testbed: Testbed) -> Graph:
    """A flow over all links between routers, and one more over each of them."""
    crossing = {_pair(str(hop)): (hop, hop + 1) for hop in range(1, testbed.hops + 1)}
    routers = testbed.hops + 1
    return _row(testbed, routers, {_pair(""): (1, routers), **crossing})


def _pair(number: str) -> Ends:
    return Ends(f"{CLIENT}{number}", f"{SERVER}{number}")


def _row(testbed: Testbed, routers: int, places: dict[Ends, tuple[int, int]]) -> Graph:
    """Routers in a row, and pairs of hosts at two of them each."""
    ports, names = Ports(), [f"{ROUTER}{number}" for number in range(1, routers + 1)]
    wires = [
        *((pair.client, names[at - 1], "L") for pair, (at, _) in places.items()),
        *((here, there, "R") for here, there in pairwise(names)),
        *((names[at - 1], pair.server, "") for pair, (_, at) in places.items()),
    ]
    clients, servers = ([getattr(pair, side) for pair in places] for side in ("client", "server"))
    return Graph(
        (*clients, *names, *servers),
        tuple(_link(testbed, ports, *wire) for wire in wires),
        ends=tuple(places),
    )


def _link(testbed: Testbed, ports: Ports, near: str, far: str, side: str) -> Link:
    """A wire; what its near end sends is of that side of the testbed."""
    delay = Duration(testbed.base_rtt // 2 if side == "R" else 0)
    here, there = ports.of_wire(near, far)
    return Link(
        LinkEnd(here, shaped(testbed, here.egress, side), testbed.limit.line_rate, delay),
        LinkEnd(there, shaped(testbed, there.egress, ""), testbed.limit.line_rate, delay),
    )


def shaped(testbed: Testbed, name: str, side: str) -> Egress:
    """An egress of a side with the bottleneck's shorthand and the defaults filled in."""
    own = testbed.egress.get(name, Egress())
    rate = testbed.limit.shapes(side) if own.rate is None else own.rate
    here = rate is not None or testbed.limit.side == "LR"
    qdisc = own.qdisc or (here and testbed.qdisc) or "pfifo_fast"
    return own.model_copy(update={"rate": rate, "qdisc": qdisc})
