# SPDX-License-Identifier: GPL-2.0-or-later
"""The Wi-Fi testbed.

C --802.11-- AP --wireline-- S         or C1, C2, ... at the access point
C --802.11-- AP                        where the access point is the server
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING

from tsqlab.experiment.testbed.graph import (
    Ends,
    Graph,
    Link,
    LinkEnd,
    Medium,
    Member,
    Port,
    Role,
    Way,
)
from tsqlab.experiment.testbed.keys import Egress
from tsqlab.topology import (
    ACCESS_POINT,
    AIR,
    SERVER,
    TO_STATIONS,
    WIFI_WIRE,
    clients,
    egress,
)
from tsqlab.units import Duration

if TYPE_CHECKING:
    from tsqlab.experiment.testbed.table import Testbed

_WIRE = (
    Port(WIFI_WIRE[0], "e0", "02:00:00:00:02:02", "10.0.2.2/24"),
    Port(WIFI_WIRE[1], "e1", "02:00:00:00:02:01", "10.0.2.1/24"),
)


def wifi(testbed: Testbed) -> Graph:
    """Stations about an access point, and a server behind it or at it."""
    stations = clients(testbed.stations)
    wired = testbed.server == SERVER
    members = [
        Member(_port(TO_STATIONS, 0, 254), queue_of_radio(testbed, TO_STATIONS), Role.AP),
        *(_station(testbed, node, number) for number, node in enumerate(stations, 1)),
    ]
    ways = (way for node in stations for way in noise(testbed, node, ACCESS_POINT))
    medium = Medium(AIR, 1, tuple(members), rate=testbed.rate, rts=testbed.rts,
                    ways=tuple(ways))  # fmt: skip
    return Graph(
        (*stations, ACCESS_POINT, *([SERVER] if wired else [])),
        (wire_to_server(testbed, _WIRE),) if wired else (),
        (medium,),
        tuple(Ends(node, testbed.server) for node in stations),
    )


def hidden(testbed: Testbed) -> Graph:
    """The same, but stations hear the access point only."""
    graph = wifi(testbed)
    (medium,) = graph.media
    deaf = tuple(Way(*way, hears=False) for way in permutations(clients(testbed.stations), 2))
    return replace(graph, media=(replace(medium, ways=(*medium.ways, *deaf)),))


def _station(testbed: Testbed, node: str, number: int) -> Member:
    name = egress(node, ACCESS_POINT)
    queue = queue_of_radio(testbed, name)
    return Member(_port(name, number, number), queue, Role.STATION, access_point=ACCESS_POINT)


def _port(name: str, device: int, host: int) -> Port:
    return Port(name, f"wlan{device}", f"02:00:00:00:01:{host:02x}", f"10.0.1.{host}/24")


def queue_of_radio(testbed: Testbed, name: str) -> Egress:
    """What a radio does to what it sends."""
    own = testbed.egress.get(name, Egress())
    return own.model_copy(update={"qdisc": own.qdisc or testbed.qdisc})


def wire_to_server(testbed: Testbed, ports: tuple[Port, Port]) -> Link:
    """The wire from an access point to the server. Half of the base RTT is each way."""
    near, far = (
        LinkEnd(
            port,
            own.model_copy(update={"qdisc": own.qdisc or "pfifo_fast"}),
            propagation=Duration(testbed.base_rtt // 2),
        )
        for port in ports
        for own in [testbed.egress.get(port.egress, Egress())]
    )
    return Link(near, far)


def noise(testbed: Testbed, station: str, access_point: str) -> tuple[Way, ...]:
    """The losses between a station and its access point, both ways."""
    if not testbed.loss and testbed.snr is None:
        return ()
    ways = ((station, access_point), (access_point, station))
    return tuple(Way(*way, testbed.loss, testbed.snr) for way in ways)
