# SPDX-License-Identifier: GPL-2.0-or-later
"""A testbed as a graph: nodes, the links and the media between them. All wiring follows from it.

A node is a network namespace. A link is a wire between two nodes. A medium is a radio channel,
which its members share, each with a radio of its own: access points and their stations, and
networks without an access point, whose members reach those that they hear.

A graph says what each port is called and which addresses it has, so that what makes it decides:
a template (`templates`) as it always did, the rules of `rules` for a graph that a user wrote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from itertools import combinations

from tsqlab.experiment.testbed.keys import Egress
from tsqlab.topology import sender_of
from tsqlab.units import Decibel, Duration, Fraction, Rate, Size

_NONE = Duration(0)


@dataclass(frozen=True)
class Port:
    """One end of a link, or the radio of a node on a medium."""

    egress: str  # "C>R": the node that this end is in, and the node that it sends to
    device: str
    mac: str
    address: str  # the IP address with its prefix length

    @cached_property
    def node(self) -> str:
        """The node that it is in."""
        return sender_of(self.egress)

    @property
    def host_address(self) -> str:
        """Its IP address without the prefix length."""
        return self.address.partition("/")[0]


@dataclass(frozen=True)
class LinkEnd:
    """A card at a wire, and what it does to what it sends."""

    port: Port
    queue: Egress  # with a qdisc
    line_rate: Rate | None = None  # None: the card's own
    propagation: Duration = _NONE  # of what it sends


@dataclass(frozen=True)
class Link:
    """A wire."""

    near: LinkEnd
    far: LinkEnd
    device: str | None = None  # the profile of its cards; None: the cell's, or the wire of that

    @property
    def ends(self) -> tuple[LinkEnd, LinkEnd]:
        """Both ends."""
        return (self.near, self.far)


class Role(Enum):
    """What a radio is on its medium, in the words of an experiment file."""

    AP = "ap"
    STATION = "station"
    PEER = "peer"  # exchanges frames with any other peer that it hears; of the fullmac front
    IBSS = "ibss"  # the same of the softmac front: a BSS without an access point

    MESH = "mesh"  # a mesh point of the softmac front, where 802.11s finds paths over several hops
    AD_HOC = "ad hoc"  # of a template: a peer, or in an IBSS, as the device's front end has it


NETWORKS = (Role.PEER, Role.IBSS, Role.MESH, Role.AD_HOC)
"""The roles whose members on a medium are a network without an access point, one of each role."""


@dataclass(frozen=True)
class Member:
    """A node's radio on a medium."""

    port: Port
    queue: Egress  # without a qdisc, it has the usual one of its front end
    role: Role
    access_point: str = ""  # the node of a station's access point
    # The rate of the data that a station sends and gets; None: that of the medium.
    rate: str | None = None
    device: str | None = None  # the profile of its radio; None: as that of the medium says


@dataclass(frozen=True)
class Way:
    """How one member of a medium receives another."""

    sender: str  # nodes
    receiver: str
    loss: Fraction | None = None  # of each MPDU; None, here and below, is as without this
    snr: Decibel | None = None
    hears: bool | None = None
    rate: str | None = None  # the rate that data is sent at on this way alone


@dataclass(frozen=True)
class Medium:
    """A radio channel."""

    name: str
    number: int  # by which the module knows it
    members: tuple[Member, ...]  # as they are made; an access point comes before its stations
    device: str | None = None  # the profile of its stations; None: the cell's
    rate: str | None = None  # of data; None: the slower of both sides' own
    rts: Size | None = None
    ways: tuple[Way, ...] = ()  # what differs from hearing each other without noise

    @property
    def access_points(self) -> tuple[Member, ...]:
        """The access points."""
        return tuple(member for member in self.members if member.role == Role.AP)

    def over(self, front: str) -> Medium:
        """The same over a front end, "fullmac" or "softmac", as which its members are made."""
        role = Role.PEER if front == "fullmac" else Role.IBSS
        members = (
            replace(member, role=role) if member.role == Role.AD_HOC else member
            for member in self.members
        )
        return replace(self, members=tuple(members))

    @property
    def networks(self) -> tuple[tuple[Member, ...], ...]:
        """The members of each network without an access point."""
        found = (
            tuple(member for member in self.members if member.role == role) for role in NETWORKS
        )
        return tuple(members for members in found if members)

    def network_of(self, member: Member) -> tuple[Member, ...]:
        """The members of its network without an access point, itself among them; or none."""
        return next((members for members in self.networks if member in members), ())

    @property
    def deaf(self) -> frozenset[frozenset[str]]:
        """Pairs of nodes that cannot exchange frames: one of them does not hear the other."""
        return frozenset(
            frozenset((way.sender, way.receiver)) for way in self.ways if way.hears is False
        )

    def stations_of(self, access_point: Member) -> tuple[Member, ...]:
        """The stations of one of them."""
        node = access_point.port.node
        return tuple(member for member in self.members if member.access_point == node)

    def at(self, node: str) -> Member:
        """The member at that node."""
        return next(member for member in self.members if member.port.node == node)


@dataclass(frozen=True)
class Segment:
    """The ports that share a block of addresses: of a BSS, of another network, of a wire."""

    ports: tuple[Port, ...]
    # Pairs of nodes that do not reach each other in it; none of a BSS, whose access point forwards.
    apart: frozenset[frozenset[str]] = frozenset()
    relays: bool = False  # whether a member forwards what comes to and goes by the same port

    def neighbours(self, node: str) -> tuple[Port, ...]:
        """The ports that a node in it reaches without a router."""
        if self.apart:
            return self._neighbours[node]
        return tuple(port for port in self.ports if port.node != node)

    @cached_property
    def _neighbours(self) -> Mapping[str, tuple[Port, ...]]:
        return {
            port.node: tuple(
                other
                for other in self.ports
                if other != port and frozenset((port.node, other.node)) not in self.apart
            )
            for port in self.ports
        }

    def between(self, node: str) -> bool:
        """Whether a node in it has two neighbours that do not reach each other."""
        mine = {port.node for port in self.neighbours(node)}
        return any(pair <= mine for pair in self.apart)


@dataclass(frozen=True)
class Ends:
    """Whom a flow is between: "up" is from the client to the server."""

    client: str
    server: str


@dataclass(frozen=True)
class RadioPlace:
    """A radio in its place."""

    medium: Medium
    member: Member
    # What results call it: its node, with its medium if that has several radios.
    name: str


@dataclass(frozen=True)
class Graph:
    """A testbed."""

    nodes: tuple[str, ...]
    links: tuple[Link, ...] = ()
    media: tuple[Medium, ...] = ()
    # The ends of a test's flows, which take turns at them.
    ends: tuple[Ends, ...] = ()
    # Ways that are given, by node: the neighbour by which it reaches another node.
    via: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @cached_property
    def radios(self) -> tuple[RadioPlace, ...]:
        """All radios, as they are made."""
        counts = Counter(member.port.node for medium in self.media for member in medium.members)
        return tuple(
            RadioPlace(medium, member, node if counts[node] == 1 else f"{node}.{medium.name}")
            for medium in self.media
            for member in medium.members
            for node in [member.port.node]
        )

    @cached_property
    def link_ends(self) -> tuple[LinkEnd, ...]:
        """The ends of all wires."""
        return tuple(end for link in self.links for end in link.ends)

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        """The ports of all nodes: radios, then cards."""
        radios = (radio.member.port for radio in self.radios)
        return (*radios, *(end.port for end in self.link_ends))

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """The segments of all media, then those of all wires."""
        of_media = (segment for medium in self.media for segment in _segments(medium))
        return (*of_media, *(Segment((link.near.port, link.far.port)) for link in self.links))

    @cached_property
    def segments_at(self) -> Mapping[str, tuple[int, ...]]:
        """The places in *segments* of those that each node has a port in."""
        found: dict[str, tuple[int, ...]] = dict.fromkeys(self.nodes, ())
        for place, segment in enumerate(self.segments):
            for port in segment.ports:
                found[port.node] += (place,)
        return found

    @cached_property
    def egresses(self) -> tuple[str, ...]:
        """Every port by whom it sends to; access points after their stations."""
        radios = [member for medium in self.media
                  for member in (*_stations(medium), *medium.access_points)]  # fmt: skip
        return (*(radio.port.egress for radio in radios),
                *(end.port.egress for end in self.link_ends))  # fmt: skip

    @property
    def devices(self) -> tuple[str, ...]:
        """The profiles that links, media and their members name."""
        named = [*(medium.device for medium in self.media), *(link.device for link in self.links),
                 *(place.member.device for place in self.radios)]  # fmt: skip
        return tuple(dict.fromkeys(device for device in named if device is not None))

    @property
    def clients(self) -> tuple[str, ...]:
        """The nodes at the clients' ends of flows."""
        return tuple(dict.fromkeys(ends.client for ends in self.ends))

    @cached_property
    def addresses(self) -> dict[str, str]:
        """The IP address by which others reach each node: that of its first port."""
        first: dict[str, str] = {}
        for port in self.ports:
            first.setdefault(port.node, port.host_address)
        return first

    @cached_property
    def _ports_by_node(self) -> Mapping[str, tuple[Port, ...]]:
        found: dict[str, tuple[Port, ...]] = dict.fromkeys(self.nodes, ())
        for port in self.ports:
            found[port.node] += (port,)
        return found

    def ports_of(self, node: str) -> tuple[Port, ...]:
        """The ports of a node."""
        return self._ports_by_node[node]

    @cached_property
    def _radios_by_port(self) -> Mapping[Port, RadioPlace]:
        return {radio.member.port: radio for radio in self.radios}

    def radio_of(self, port: Port) -> RadioPlace | None:
        """The radio that a port is; None of one of a wire."""
        return self._radios_by_port.get(port)

    def radio_at(self, node: str) -> RadioPlace | None:
        """The radio of a node, its first; None of one that has wires only."""
        return next(filter(None, map(self.radio_of, self._ports_by_node.get(node, ()))), None)

    def forwards(self, node: str) -> bool:
        """Whether a node is a router: it has several ports, or is a relay."""
        return len(self.ports_of(node)) > 1 or node in self.relays

    @cached_property
    def relays(self) -> frozenset[str]:
        """The nodes that forward what comes by radio over the same radio.

        Members of a network are on the way between neighbours of theirs that do not reach each
        other, and on ways that are given.
        """
        named = {neighbour for ways in self.via.values() for neighbour in ways.values()}
        return frozenset(
            port.node
            for segment in self.segments
            if segment.relays
            for port in segment.ports
            if port.node in named or segment.between(port.node)
        )


def _segments(medium: Medium) -> Iterator[Segment]:
    for access_point in medium.access_points:
        stations = medium.stations_of(access_point)
        yield Segment(tuple(member.port for member in (access_point, *stations)))
    for members in medium.networks:
        nodes = [member.port.node for member in members]
        apart = frozenset(pair for pair in medium.deaf if pair <= set(nodes))
        if members[0].role == Role.MESH:
            apart = _without_path(nodes, apart)
        yield Segment(tuple(member.port for member in members), apart, relays=True)


def _without_path(
    nodes: Sequence[str], apart: frozenset[frozenset[str]]
) -> frozenset[frozenset[str]]:
    """The pairs of nodes of which even a mesh finds no path from one to the other."""
    part = {node: {node} for node in nodes}
    for pair in combinations(nodes, 2):
        one, other = (part[node] for node in pair)
        if one is not other and frozenset(pair) not in apart:
            one |= other
            part.update(dict.fromkeys(other, one))
    return frozenset(
        frozenset(pair) for pair in combinations(nodes, 2) if pair[1] not in part[pair[0]]
    )


def _stations(medium: Medium) -> tuple[Member, ...]:
    return tuple(member for member in medium.members if member.role != Role.AP)
