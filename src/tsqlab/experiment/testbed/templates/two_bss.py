# SPDX-License-Identifier: GPL-2.0-or-later
"""Two access points on one channel.

    C1 ))) AP1 --wireline-- S --wireline-- AP2 ((( C2       or each access point is the server of
                                                            its own stations

With n stations each, C1 to Cn are those of AP1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tsqlab.experiment.testbed.graph import Ends, Graph, Medium, Member, Role
from tsqlab.experiment.testbed.rules import Ports
from tsqlab.experiment.testbed.templates.wifi import noise, queue_of_radio, wire_to_server
from tsqlab.topology import ACCESS_POINT, AIR, SERVER, clients

if TYPE_CHECKING:
    from tsqlab.experiment.testbed.table import Testbed


def two_bss(testbed: Testbed) -> Graph:
    """Two BSSs whose radios all hear each other."""
    ports, each = Ports(), testbed.stations
    stations = clients(2 * each)
    cells = {f"{ACCESS_POINT}1": stations[:each], f"{ACCESS_POINT}2": stations[each:]}
    members = tuple(member for access_point, mine in cells.items()
                    for member in _bss(testbed, ports, access_point, mine))  # fmt: skip
    ways = (way for access_point, mine in cells.items() for node in mine
            for way in noise(testbed, node, access_point))  # fmt: skip
    medium = Medium(AIR, 1, members, rate=testbed.rate, rts=testbed.rts, ways=tuple(ways))
    wired = testbed.server == SERVER
    links = (wire_to_server(testbed, ports.of_wire(access_point, SERVER))
             for access_point in (cells if wired else ()))  # fmt: skip
    ends = {node: SERVER if wired else access_point
            for access_point, mine in cells.items() for node in mine}  # fmt: skip
    return Graph(
        (*stations, *cells, *([SERVER] if wired else [])),
        tuple(links),
        (medium,),
        tuple(Ends(*pair) for pair in ends.items()),
    )


def _bss(
    testbed: Testbed, ports: Ports, access_point: str, stations: tuple[str, ...]
) -> tuple[Member, ...]:
    first, others = ports.of_bss(access_point, AIR, stations)
    return (
        Member(first, queue_of_radio(testbed, first.egress), Role.AP),
        *(
            Member(port, queue_of_radio(testbed, port.egress), Role.STATION, access_point)
            for port in others.values()
        ),
    )
