# SPDX-License-Identifier: GPL-2.0-or-later
"""The names of the layouts' nodes, and of the egresses between them.

    wired    C --link-- R --link-- S
    wifi     C --802.11-- AP --link-- S, or C1, C2, ... at the access point;
             C --802.11-- AP, where the access point itself is the server

The others are at the head of their templates (tsqlab.experiment.testbed.templates).

What a testbed is made of, a layout's or a user's, is tsqlab.experiment.testbed's. An egress is
one direction of a link, named by the node that sends and the one that receives: "C>R". The access
point has one egress to all of its stations, "AP>C".
"""

from __future__ import annotations

WIRED, DUMBBELL, PARKING_LOT = "wired", "dumbbell", "parking-lot"
WIFI, HIDDEN, TWO_BSS = "wifi", "hidden", "two-bss"
WIFI_CHAIN, MESH = "wifi-chain", "mesh"
"""The layouts."""

CLIENT, ROUTER, ACCESS_POINT, SERVER = "C", "R", "AP", "S"

AIR = "air"
"""The channel that the radios of a Wi-Fi share."""

SERVERS = (SERVER, ACCESS_POINT)
"""The nodes that the far end of all flows and pings may be."""


def egress(sender: str, receiver: str) -> str:
    """The egress from one node to another."""
    return f"{sender}>{receiver}"


def sender_of(name: str) -> str:
    """The node whose egress *name* is."""
    return name.partition(">")[0]


def clients(stations: int) -> tuple[str, ...]:
    """The nodes that flows go to and from, the server being at the other end."""
    if stations == 1:
        return (CLIENT,)
    return tuple(f"{CLIENT}{number}" for number in range(1, stations + 1))


UP_TO_ROUTER, DOWN_FROM_ROUTER = egress(CLIENT, ROUTER), egress(ROUTER, CLIENT)
UP_TO_SERVER, DOWN_FROM_SERVER = egress(ROUTER, SERVER), egress(SERVER, ROUTER)

TO_STATIONS = egress(ACCESS_POINT, CLIENT)
WIFI_WIRE = (egress(ACCESS_POINT, SERVER), egress(SERVER, ACCESS_POINT))
