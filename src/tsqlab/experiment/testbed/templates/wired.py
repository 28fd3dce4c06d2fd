# SPDX-License-Identifier: GPL-2.0-or-later
"""The wired testbed: C --link-- R --link-- S."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tsqlab.experiment.testbed.graph import Ends, Graph, Link, LinkEnd, Port
from tsqlab.experiment.testbed.templates.wires import shaped
from tsqlab.topology import (
    CLIENT,
    DOWN_FROM_ROUTER,
    DOWN_FROM_SERVER,
    ROUTER,
    SERVER,
    UP_TO_ROUTER,
    UP_TO_SERVER,
)
from tsqlab.units import Duration

if TYPE_CHECKING:
    from tsqlab.experiment.testbed.table import Testbed

_SIDES = {UP_TO_ROUTER: "L", UP_TO_SERVER: "R"}
_PORTS = (
    (
        Port(UP_TO_ROUTER, "c0", "02:00:00:00:01:01", "10.0.1.1/24"),
        Port(DOWN_FROM_ROUTER, "r0", "02:00:00:00:01:02", "10.0.1.2/24"),
    ),
    (
        Port(UP_TO_SERVER, "r1", "02:00:00:00:02:02", "10.0.2.2/24"),
        Port(DOWN_FROM_SERVER, "s0", "02:00:00:00:02:01", "10.0.2.1/24"),
    ),
)


def wired(testbed: Testbed) -> Graph:
    """A client, a router and a server. Half of the base RTT is each way between the last two."""
    to_router, to_server = _PORTS
    delay = Duration(testbed.base_rtt // 2)
    links = (_link(testbed, to_router, Duration(0)), _link(testbed, to_server, delay))
    return Graph((CLIENT, ROUTER, SERVER), links, ends=(Ends(CLIENT, SERVER),))


def _link(testbed: Testbed, ports: tuple[Port, Port], propagation: Duration) -> Link:
    near, far = (
        LinkEnd(port, shaped(testbed, port.egress, _SIDES.get(port.egress, "")),
                testbed.limit.line_rate, propagation)
        for port in ports
    )  # fmt: skip
    return Link(near, far)
