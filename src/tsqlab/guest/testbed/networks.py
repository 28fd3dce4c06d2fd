# SPDX-License-Identifier: GPL-2.0-or-later
"""How mac80211's radios become a network without an access point, by iw at each of them.

An IBSS is told its BSSID. Without one each member would begin with a cell of its own, and they
would have merged some 9 s later. Mesh points know each other by their beacons, which come ten times
as often as mac80211's own second has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tsqlab.airlink.messages import PhyRate
from tsqlab.airlink.uapi import Phy
from tsqlab.experiment.testbed.graph import Role
from tsqlab.guest.testbed.common import PlanLine
from tsqlab.guest.testbed.softmac import ALIGN, FREQUENCIES_MHZ, Place, bitrate_lines, rename

_TYPES = {Role.IBSS: "ibss", Role.MESH: "mp"}
_BEACON_TU = 100
# What was seen, with a margin: a member joins at the next multiple of 0.1 s, and the last of them
# knows its peers 0.8 s later.
_MEMBER_NS = 200_000_000
_PEERING_NS = 2_000_000_000


@dataclass(frozen=True)
class Network:
    """The members of an IBSS or of a mesh."""

    role: Role
    medium: str  # its name
    members: tuple[Place, ...]
    band: str  # "2.4 GHz" or "5 GHz"
    rate: PhyRate  # the rate that data frames are sent at, or the best of those

    @property
    def name(self) -> str:
        """What it is called on the air."""
        return f"tsqlab-{self.medium}"

    @property
    def bssid(self) -> str:
        """An address of its segment that no member has."""
        return self.members[0].port.mac[:-2] + "00"


def name_devices(network: Network) -> Iterator[PlanLine]:
    """Lines that call the devices as their ports, before anything else names them."""
    for place in network.members:
        yield ["run", place.port.node, *rename(place)]


def join(network: Network) -> Iterable[PlanLine]:
    """Lines by which all members join."""
    for place in network.members:
        node, device = place.port.node, place.port.device
        yield ["run", node, "iw", "dev", device, "set", "type", _TYPES[network.role]]
        yield ["run", node, "ip", "link", "set", device, "up"]
    for place in network.members:
        yield ALIGN
        yield ["run", place.port.node, "iw", "dev", place.port.device, *_join(network)]
    yield from bitrate_lines(network.members, network.band)


def takes_ns(network: Network) -> int:
    """How long that takes at the most, in virtual time."""
    return _PEERING_NS + _MEMBER_NS * len(network.members)


def _join(network: Network) -> list[str]:
    frequency = str(FREQUENCIES_MHZ[network.band])
    where = [network.name, frequency, _width(network.rate)]
    if network.role == Role.MESH:
        where.insert(1, "freq")
        return ["mesh", "join", *where, "beacon-interval", str(_BEACON_TU)]
    return ["ibss", "join", *where, "fixed-freq", network.bssid]


def _width(rate: PhyRate) -> str:
    """The channel's width as iw takes it; 40 MHz have their other half above."""
    if rate.phy == Phy.LEGACY:
        return "NOHT"
    return {20: "HT20", 40: "HT40+"}.get(rate.width_mhz, f"{rate.width_mhz}MHz")
