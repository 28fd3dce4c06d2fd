# SPDX-License-Identifier: GPL-2.0-or-later
"""The Wi-Fi testbed.

    C --802.11-- AP --wireline-- S         or C1, C2, ... at the access point
    C --802.11-- AP                        where the access point is the server

All radios are on one medium. Each is made in its node by a request to airlink; the wire is
made as in the wired testbed. What differs between a radio with the qdisc above its driver and
one of mac80211 is in _FRONTS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from tsqlab.airlink import messages
from tsqlab.airlink.messages import Edca, Link, Radio
from tsqlab.airlink.uapi import KERNEL_SHIFT, Front, ProfileAttribute
from tsqlab.experiment.host import host_of, radio_shift, sender_shift
from tsqlab.experiment.profile import MINSTREL, Airlink, data_rate
from tsqlab.experiment.spec import Egress, Spec
from tsqlab.guest.places import MODULE_DIR, PLAN_DIR
from tsqlab.guest.testbed import softmac
from tsqlab.guest.testbed.common import (
    SERVER_ADDRESS,
    PlanLine,
    Port,
    WatchedRadio,
    address_of,
    batch,
    card_lines,
    egress_queues,
    known_neighbours,
    like_programs,
    offload_lines,
    up_commands,
    wire_batch,
    write_sysctls,
)
from tsqlab.guest.testbed.controls import control_lines
from tsqlab.guest.testbed.radio_lines import genl, watch
from tsqlab.guest.testbed.settings import guest_sysctls, node_sysctls
from tsqlab.guest.testbed.softmac import Bss
from tsqlab.topology import ACCESS_POINT, SERVER, TO_STATIONS, WIFI_WIRE, egress

MEDIUM = 1

_WIRE = (
    Port(WIFI_WIRE[0], "e0", "02:00:00:00:02:02", "10.0.2.2/24"),
    Port(WIFI_WIRE[1], "e1", "02:00:00:00:02:01", f"{SERVER_ADDRESS}/24"),
)
_GATEWAY, _SERVER_GATEWAY = "10.0.1.254", "10.0.2.2"

# The parameters of hostapd's own queues (tx_queue in its src/ap/ap_config.c) where they differ from
# the standard. An access point uses them whatever it tells its stations.
_ACCESS_POINT_EDCA = (
    Edca(0, aifsn=1, txop_us=1500),  # VO
    Edca(1, aifsn=1, txop_us=3000),  # VI
    Edca(2, cw_max=63),  # BE
)


@dataclass(frozen=True)
class _Site:
    """A radio in its place."""

    port: Port
    profile: Airlink
    access_point: str = ""  # the address of a station's access point


class Wifi:
    """The wiring of one cell."""

    def __init__(self, spec: Spec, profile: Airlink) -> None:
        """Place stations of one profile about an access point of the profile that it names."""
        self.spec, self.testbed, self.sender = spec, spec.testbed, spec.sender
        self.clients = spec.testbed.clients
        self.wire: tuple[Port, Port] | tuple[()] = _WIRE if spec.testbed.server == SERVER else ()
        self.profile = profile
        self.host = host_of(spec, profile)
        self.front = _FRONTS[profile.front]
        ap_profile = profile.access_point or profile
        self.rate = data_rate(self.testbed.rate, profile)
        self.rate_fixed = self.testbed.rate != MINSTREL
        port = Port(TO_STATIONS, "wlan0", _mac(254), f"{_GATEWAY}/24")
        self.access_point = _Site(port, ap_profile)
        self.stations = tuple(
            _Site(_station_port(node, number), profile, access_point=port.mac)
            for number, node in enumerate(self.clients, 1)
        )
        self.sites = (self.access_point, *self.stations)
        self.ports = (*(site.port for site in self.sites), *self.wire)

    @property
    def qdiscs(self) -> Mapping[str, Port]:
        """The ports that have a qdisc of ours."""
        return {port.egress: port for port in self.ports if self._egress(port).qdisc}

    @property
    def radios(self) -> tuple[WatchedRadio, ...]:
        """All radios."""
        return tuple(self._watched(site) for site in self.sites)

    @property
    def addresses(self) -> Mapping[str, str]:
        """A node's address; the access point's is that of its radio."""
        of_radios = {site.port.node: address_of(site.port) for site in self.sites}
        return of_radios | ({SERVER: SERVER_ADDRESS} if self.wire else {})

    def files(self) -> dict[str, str]:
        """The batch files, and the files that the front end needs."""
        made = [f"netns add {node}" for node in self.testbed.nodes]
        links = [_WIRE] if self.wire else []
        files = {"links.ip": batch([*made, *wire_batch(links)])}
        if self.wire:
            moves = (f"link set dev {port.device} netns {port.node}" for port in self.wire)
            files["move.ip"] = batch(moves)
        for node in self.testbed.nodes:
            ports = [port for port in self.ports if port.node == node]
            files[f"{node}.ip"] = self._node_batch(node, ports)
            queues = [egress_queues(port.device, self._egress(port)) for port in ports]
            if any(queues):  # a radio may have no more than the queues of mac80211
                files[f"{node}.tc"] = batch(line for lines in queues for line in lines)
        return files | self.front.files(self._bss())

    def set_up(self) -> Iterable[PlanLine]:
        """The plan's lines before the clock starts."""
        files = self.files()
        for module in ("wireline", "airlink"):
            yield ["module", f"{MODULE_DIR}/{module}.ko"]
        yield from control_lines(self.spec)
        yield from write_sysctls("-", guest_sysctls(self.spec))
        yield ["run", "-", "ip", "-batch", f"{PLAN_DIR}/links.ip"]
        card = self.profile.ethernet
        cards = (
            card_lines(port, card, card.line_rate, self._attributes(port)) for port in self.wire
        )
        yield from like_programs(line for lines in cards for line in lines)
        if self.wire:
            yield ["run", "-", "ip", "-batch", f"{PLAN_DIR}/move.ip"]
        yield from self._radios()
        for node in self.testbed.nodes:
            yield from write_sysctls(node, node_sysctls(self.spec, self.profile, node))
        yield from self.front.associate(self._bss())
        # By now mac80211 has set what hostapd gives to a station, and to its own access point.
        for site in self.sites:
            yield from self._edca(site, site.profile.edca_changes())
        for node in self.testbed.nodes:
            for program in ("ip", "tc"):
                if f"{node}.{program}" in files:
                    yield ["run", node, program, "-batch", f"{PLAN_DIR}/{node}.{program}"]
        no_gro = [site.port for site in self.sites if not site.profile.gro]
        yield from offload_lines(self.ports, self.host, tso=self.wire, no_gro=no_gro)

    def _bss(self) -> Bss:
        return Bss(
            self.access_point.port,
            tuple(station.port for station in self.stations),
            self.profile.band,
            self.rate,
            self.rate_fixed,
        )

    def _radios(self) -> Iterable[PlanLine]:
        """Lines that make the medium, then the radios, then set what differs from the defaults."""
        band = 2 if self.profile.band == "2.4 GHz" else 5
        yield genl("-", messages.new_medium(MEDIUM, band, self.spec.lab.seed))
        for site in self.sites:
            yield genl(site.port.node, messages.new_radio(self._radio(site)))
        for site in self.sites:
            yield from self._edca(site, () if site.access_point else _ACCESS_POINT_EDCA)
        if self.testbed.loss or self.testbed.snr is not None:
            for station in self.stations:
                here, there = station.port.mac, self.access_point.port.mac
                for sender, receiver in ((here, there), (there, here)):
                    noise = Link(MEDIUM, sender, receiver, self.testbed.loss, self.testbed.snr)
                    yield genl("-", messages.set_link(noise))

    @staticmethod
    def _edca(site: _Site, changes: Iterable[Edca]) -> Iterable[PlanLine]:
        for edca in changes:
            yield genl("-", messages.set_radio(MEDIUM, site.port.mac, edca=edca))

    def _radio(self, site: _Site) -> Radio:
        attributes = site.profile.attributes()
        if self.testbed.rts is not None:
            attributes[ProfileAttribute.RTS_BYTES] = self.testbed.rts
        attributes.pop(ProfileAttribute.PACING_SHIFT, None)
        node = site.port.node
        if node in self.spec.hosts:
            shift = sender_shift(self.spec, self.profile, node)
        else:
            shift = radio_shift(self.spec, site.profile, self.profile.front)
        if shift:
            value = KERNEL_SHIFT if shift.value == "kernel" else shift.value
            attributes[ProfileAttribute.PACING_SHIFT] = value
        return Radio(
            MEDIUM,
            site.port.mac,
            site.port.device,
            self.front.number,
            site.access_point if self.front.number == Front.FULLMAC else "",
            rate=self.rate if self.rate_fixed else None,
            best_rate=None if self.rate_fixed else self.rate,
            profile=attributes,
        )

    def _attributes(self, port: Port) -> dict[str, int]:
        """A card's attributes in sysfs.

        A frame is delayed by half the base RTT in each direction. Only the driver of a
        host sets a pacing shift here, as in the wired testbed.
        """
        return {
            "propagation_ns": self.testbed.base_rtt // 2,
            "pacing_shift": self.sender.tsq.shift if port.node in self.spec.hosts else 0,
        }

    def _egress(self, port: Port) -> Egress:
        own = self.testbed.egress.get(port.egress, Egress())
        default = "pfifo_fast" if port in self.wire else self.testbed.qdisc or self.front.qdisc
        return own.model_copy(update={"qdisc": own.qdisc or default})

    def _node_batch(self, node: str, ports: Iterable[Port]) -> str:
        lines = ["link set dev lo up"]
        for port in ports:
            lines += up_commands(port, self.testbed, self.host)
        if node != ACCESS_POINT:
            gateway = _SERVER_GATEWAY if node == SERVER else _GATEWAY
            lines.append(f"route add default via {gateway}")
        wires = [self.wire] if self.wire else []
        return batch([*lines, *known_neighbours(self.spec, node, wires)])

    def _watched(self, site: _Site) -> WatchedRadio:
        node, series = site.port.node, f"radio-{site.port.device}"
        one = self.clients[0] if len(self.clients) == 1 else "all"
        line = tuple(watch(node, series, MEDIUM, site.port.mac))
        return WatchedRadio(node, ACCESS_POINT if site.access_point else one, series, line)


@dataclass(frozen=True)
class _FrontSetUp:
    """How radios of a front end become a BSS."""

    number: Front
    # The qdisc of its device if the experiment names none; None: the queues of mac80211.
    qdisc: str | None
    files: Callable[[Bss], dict[str, str]]
    associate: Callable[[Bss], Iterable[PlanLine]]


_FRONTS = {
    # The module associates a fullmac station by itself, as long as both devices are up.
    "fullmac": _FrontSetUp(Front.FULLMAC, "fq_codel", lambda _: {}, lambda _: ()),
    "softmac": _FrontSetUp(Front.SOFTMAC, None, softmac.files, softmac.associate),
}


def _station_port(node: str, number: int) -> Port:
    return Port(egress(node, ACCESS_POINT), f"wlan{number}", _mac(number), f"10.0.1.{number}/24")


def _mac(number: int) -> str:
    return f"02:00:00:00:01:{number:02x}"
