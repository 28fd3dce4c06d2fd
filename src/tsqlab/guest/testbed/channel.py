# SPDX-License-Identifier: GPL-2.0-or-later
"""How a medium's radios are made, and become BSSs and other networks.

Each radio is made in its node by a request to airlink. What differs between a radio with the
qdisc above its driver and one of mac80211 is in _FRONTS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from tsqlab.airlink import messages, uapi
from tsqlab.airlink.messages import Edca, Link, PhyRate, Radio
from tsqlab.airlink.rates import kbps, parse_rate
from tsqlab.airlink.uapi import KERNEL_SHIFT, Front, ProfileAttribute
from tsqlab.experiment.host import radio_shift
from tsqlab.experiment.profile import MINSTREL, NO_OTHERS, Airlink, Others
from tsqlab.experiment.radios import own_radio, rate_text
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.testbed import Egress, Port
from tsqlab.experiment.testbed.graph import Medium, Member, RadioPlace, Role, Way
from tsqlab.experiment.testbed.keys import NO_QUEUE
from tsqlab.experiment.testbed.wqm import wqm_of
from tsqlab.guest.testbed import networks, sized, softmac
from tsqlab.guest.testbed.common import PlanLine
from tsqlab.guest.testbed.networks import Network
from tsqlab.guest.testbed.radio_lines import genl, watch
from tsqlab.guest.testbed.sized import SizedQueue
from tsqlab.guest.testbed.softmac import Bss, Place
from tsqlab.topology import WIFI

# The parameters of hostapd's own queues (tx_queue in its src/ap/ap_config.c) where they differ from
# the standard. An access point uses them whatever it tells its stations.
_ACCESS_POINT_EDCA = (
    Edca(0, aifsn=1, txop_us=1500),  # VO
    Edca(1, aifsn=1, txop_us=3000),  # VI
    Edca(2, cw_max=63),  # BE
)


@dataclass(frozen=True)
class WatchedRadio:
    """A radio whose statistics are sampled."""

    name: str  # what results call it: its node, if that has no other
    peer: str  # the node that it sends to, or "all"
    series: str  # the name of its files
    line: tuple[str, ...]  # the words of the line of the plan that samples it
    role: str  # of Role's words


@dataclass(frozen=True)
class _FrontSetUp:
    """How radios of a front end become a BSS."""

    number: Front
    # The qdisc of its device if the experiment names none; None: the queues of mac80211.
    qdisc: str | None
    files: Callable[[Bss], dict[str, str]]
    associate: Callable[[Bss], Iterable[PlanLine]]
    takes_ns: Callable[[Bss], int]  # in virtual time, at the most


_FRONTS = {
    # The module associates a fullmac station by itself, as long as both devices are up.
    "fullmac": _FrontSetUp(Front.FULLMAC, "fq_codel", lambda _: {}, lambda _: (), lambda _: 0),
    "softmac": _FrontSetUp(Front.SOFTMAC, None, softmac.files, softmac.associate, softmac.takes_ns),
}


class Channel:
    """A medium as built for one cell."""

    def __init__(
        self,
        spec: Spec,
        medium: Medium,
        station: Airlink,
        named_before: Mapping[str, int],
        others: Others = NO_OTHERS,
    ) -> None:
        """Place radios of the profile *station* about access points of the profile that it names.

        *named_before*: how many devices a node has by mac80211's names before it gets this one.
        *others*: the profiles of members that have a device of their own.
        """
        self.spec, self.medium, self.station = spec, medium.over(station.front), station
        self.others = others
        self.front = _FRONTS[station.front]
        self.named_before = named_before
        self.rate_fixed = medium.rate != MINSTREL
        self.mac = {member.port.node: member.port.mac for member in medium.members}

    @property
    def set_up_ns(self) -> int:
        """How long that and associating take at the most, in virtual time."""
        bsses = sum(self.front.takes_ns(bss) for bss in self._bsses())
        return bsses + sum(map(networks.takes_ns, self._networks()))

    @property
    def programs(self) -> frozenset[str]:
        """The host's programs that set up its radios, beside ip: the module does fullmac's."""
        if self.front.number != Front.SOFTMAC:
            return frozenset()
        return frozenset({"iw", "hostapd"} if self.medium.access_points else {"iw"})

    def make(self) -> Iterator[PlanLine]:
        """Lines that make the medium, then the radios, then set what differs from the defaults."""
        number = self.medium.number
        # Each channel has its own backoffs and errors.
        seed = self.spec.lab.seed ^ (number - 1) << 32
        band = 2 if self.station.band == "2.4 GHz" else 5
        yield genl("-", messages.new_medium(number, band, seed))
        for member in self.medium.members:
            yield genl(member.port.node, messages.new_radio(self.radio(member)))
        for network in self._networks():
            yield from networks.name_devices(network)
        for member in self.medium.members:
            if member.role == Role.AP:
                yield from self._edca(member, _ACCESS_POINT_EDCA)
        for way in self._ways():
            rate = parse_rate(way.rate) if way.rate else None
            sender, receiver = self.mac[way.sender], self.mac[way.receiver]
            link = Link(number, sender, receiver, way.loss, way.snr, way.hears, rate)
            yield genl("-", messages.set_link(link))

    def associate(self) -> Iterator[PlanLine]:
        """Lines that start the access points, connect the stations, and have the others join."""
        for bss in self._bsses():
            yield from self.front.associate(bss)
        for network in self._networks():
            yield from networks.join(network)

    def own_edca(self) -> Iterator[PlanLine]:
        """Lines that set what profiles say of EDCA."""
        for member in self.medium.members:
            yield from self._edca(member, self._profile(member).edca_changes())

    def files(self) -> dict[str, str]:
        """The files that the front end needs."""
        return {name: text for bss in self._bsses() for name, text in self.front.files(bss).items()}

    def watched(self) -> Iterator[WatchedRadio]:
        """All of its radios."""
        for place in self.spec.testbed.graph.radios:
            if place.medium.number == self.medium.number:
                port, series = place.member.port, f"radio-{place.member.port.device}"
                member = self.medium.at(port.node)
                others = self._receivers(member)
                line = tuple(watch(port.node, series, self.medium.number, port.mac, others))
                peer, role = self._peer(member), member.role.value
                yield WatchedRadio(place.name, peer, series, line, role)

    def _receivers(self, member: Member) -> dict[str, str]:
        """Whose airtime is told apart in what a radio sends: addresses, by the radios' names.

        It is that of stations which share an access point, and of theirs to it.
        """
        if self.spec.testbed.layout == WIFI:  # whose results say nothing of it
            return {}
        names = {place.member.port: place.name for place in self.spec.testbed.graph.radios}
        node = member.access_point or member.port.node
        mine = self.medium.stations_of(self.medium.at(node))
        if len(mine) < 2:
            return {}
        others = [self.medium.at(node)] if member.access_point else mine
        return {names[other.port]: other.port.mac for other in others}

    def without_gro(self) -> Iterator[Port]:
        """The ports whose driver has no GRO."""
        return (member.port for member in self.medium.members if not self._profile(member).gro)

    def queue(self, member: Member) -> Egress:
        """What a radio does to what it is given, with the usual qdisc if it has no other."""
        qdisc = member.queue.qdisc or self.front.qdisc
        if qdisc == NO_QUEUE:
            qdisc = None
        if wqm_of(qdisc):  # under mac80211 it sizes what is there
            fullmac = self.front.number == Front.FULLMAC
            qdisc = sized.first_qdisc(self._rate_of(member)) if fullmac else None
        return member.queue.model_copy(update={"qdisc": qdisc})

    def sized(self, t0_ns: int) -> Iterator[tuple[RadioPlace, SizedQueue]]:
        """The radios whose queue WQM sizes.

        *t0_ns*: when the measurement starts, after the boot.
        """
        for place in self.spec.testbed.graph.radios:
            wqm = wqm_of(place.member.queue.qdisc)
            if not wqm or place.medium.number != self.medium.number:
                continue
            port, rate = place.member.port, self._rate_of(place.member)
            if self.front.number == Front.FULLMAC:
                yield place, sized.by_agent(port, self.medium.number, rate, wqm)
            else:
                period_ns = (t0_ns, t0_ns + self.spec.flows.total)
                yield place, sized.by_daemon(port, wqm, period_ns)

    def radio(self, member: Member) -> Radio:
        """A radio as airlink is asked for it."""
        own = self._profile(member)
        attributes = own.attributes()
        if self.medium.rts is not None:
            attributes[ProfileAttribute.RTS_BYTES] = self.medium.rts
        attributes.pop(ProfileAttribute.PACING_SHIFT, None)
        if shift := self._shift(member, own):
            attributes[ProfileAttribute.PACING_SHIFT] = shift
        of = self.mac.get(member.access_point, "")
        rate = self._rate_of(member)
        return Radio(
            self.medium.number,
            member.port.mac,
            member.port.device,
            self.front.number,
            of if self.front.number == Front.FULLMAC else "",
            role=uapi.Role.PEER if member.role == Role.PEER else None,
            rate=rate if self.rate_fixed else None,
            best_rate=None if self.rate_fixed else rate,
            profile=attributes,
        )

    def _shift(self, member: Member, own: Airlink) -> int:
        """What it writes to sk_pacing_shift; 0: nothing."""
        asked = self.spec.sender.tsq.shift
        if asked and member.port.node in self.spec.hosts:
            return asked
        shift = radio_shift(self.spec, own, self.station.front)
        if shift is None:
            return 0
        return KERNEL_SHIFT if shift.value == "kernel" else shift.value

    def _profile(self, member: Member) -> Airlink:
        return own_radio(self.station, member, self.others)

    def _edca(self, member: Member, changes: Iterable[Edca]) -> Iterator[PlanLine]:
        for edca in changes:
            yield genl("-", messages.set_radio(self.medium.number, member.port.mac, edca=edca))

    def _peer(self, member: Member) -> str:
        if member.access_point:
            return member.access_point
        network = (one for one in self.medium.network_of(member) if one != member)
        others = (*self.medium.stations_of(member), *network)
        return others[0].port.node if len(others) == 1 else "all"

    def _bsses(self) -> Iterator[Bss]:
        graph = self.spec.testbed.graph
        only = sum(len(medium.access_points) for medium in graph.media) == 1
        for access_point in self.medium.access_points:
            stations = self.medium.stations_of(access_point)
            rate, rates = self._rate_of(access_point), [self._rate_of(one) for one in stations]
            same = not any(station.rate for station in stations) and set(rates) <= {rate}
            yield Bss(
                "" if only else self._name_of(access_point),
                self._place(access_point, rate if same else None),
                tuple(self._place(station, self._rate_of(station)) for station in stations),
                self.station.band,
                max((rate, *rates), key=kbps),
            )

    def _networks(self) -> Iterator[Network]:
        """The networks that mac80211's radios join."""
        for members in self.medium.networks if self.front.number == Front.SOFTMAC else ():
            rates = [self._rate_of(member) for member in members]
            places = tuple(map(self._place, members, rates))
            best, role = max(rates, key=kbps), members[0].role
            yield Network(role, self.medium.name, places, self.station.band, best)

    def _name_of(self, access_point: Member) -> str:
        """What no other BSS is called: by its node, and its device where that had one before."""
        port = access_point.port
        again = self.named_before.get(port.node, 0) > 0
        return f"{port.node}-{port.device}" if again else port.node

    def _rate_of(self, member: Member) -> PhyRate:
        return parse_rate(self._rate_text(member))

    def _rate_text(self, member: Member) -> str:
        return rate_text(self.medium, member, self.station, self.others)

    def _ways(self) -> Iterable[Way]:
        """The medium's, and those to stations whose device makes their rate another one."""
        ways = {(way.sender, way.receiver): way for way in self.medium.ways}
        for access_point in self.medium.access_points if self.rate_fixed else ():
            for station in self.medium.stations_of(access_point):
                rate = self._rate_text(station)
                if not station.rate and rate != self._rate_text(access_point):
                    ends = (access_point.port.node, station.port.node)
                    ways[ends] = replace(ways.get(ends, Way(*ends)), rate=rate)
        return ways.values()

    def _place(self, member: Member, rate: PhyRate | None) -> Place:
        port = member.port
        kernel_name = f"wlan{self.named_before.get(port.node, 0)}"
        return Place(port, kernel_name, rate if self.rate_fixed else None)
