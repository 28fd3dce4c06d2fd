# SPDX-License-Identifier: GPL-2.0-or-later
"""How mac80211's radios become a BSS: hostapd at the access point, iw at the stations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tsqlab.airlink.messages import PhyRate
from tsqlab.airlink.uapi import Phy
from tsqlab.experiment.testbed import Port
from tsqlab.guest.places import PLAN_DIR
from tsqlab.guest.testbed.common import PlanLine, batch

_CHANNELS = {"2.4 GHz": 6, "5 GHz": 36}
FREQUENCIES_MHZ = {"2.4 GHz": 2437, "5 GHz": 5180}
# hostapd's settings for more than 40 MHz from channel 36 up.
_VHT_OPERATION = {
    80: ("vht_oper_chwidth=1", "vht_oper_centr_freq_seg0_idx=42"),
    160: ("vht_oper_chwidth=2", "vht_oper_centr_freq_seg0_idx=50"),
}
_SHORT_GI_NS = 400
# Beacons and what else mac80211 does by its clocks goes on from here until the guest ends, so all
# of it begins at instants that what was set up before cannot move.
ALIGN = ["align", str(100_000_000)]
# What was seen, with a margin: hostapd takes 1.6 s at 40 MHz in the 2.4 GHz band, which it scans
# first, and less than 0.5 s elsewhere; a station takes 0.1 s.
_ACCESS_POINT_NS = 2_000_000_000
_STATION_NS = 200_000_000


@dataclass(frozen=True)
class Place:
    """A radio's device."""

    port: Port
    kernel_name: str  # what mac80211 calls it in its node
    # The rate that data frames are sent at; None: rate control chooses, or it differs by receiver.
    rate: PhyRate | None


@dataclass(frozen=True)
class Bss:
    """An access point and its stations."""

    name: str  # by the access point's node; empty if it is the only BSS
    access_point: Place
    stations: tuple[Place, ...]
    band: str  # "2.4 GHz" or "5 GHz"
    rate: PhyRate  # the rate that data frames are sent at, or the best of those

    @property
    def ssid(self) -> str:
        """The name of its network."""
        return "-".join(["tsqlab", *([self.name] if self.name else [])])

    @property
    def file(self) -> str:
        """The name of hostapd's configuration."""
        return "-".join(["hostapd", *([self.name] if self.name else [])]) + ".conf"


def files(bss: Bss) -> dict[str, str]:
    """hostapd's configuration: an open network with WMM, as wide as the rate of data."""
    rate = bss.rate
    lines = [
        f"interface={bss.access_point.port.device}",
        "driver=nl80211",
        f"ssid={bss.ssid}",
        f"hw_mode={'g' if bss.band == '2.4 GHz' else 'a'}",
        f"channel={_CHANNELS[bss.band]}",
        "wmm_enabled=1",
    ]
    if rate.phy >= Phy.HT:
        lines += ["ieee80211n=1", *_ht_capabilities(rate)]
    if rate.phy >= Phy.VHT and bss.band == "5 GHz":
        lines += ["ieee80211ac=1", *_VHT_OPERATION.get(rate.width_mhz, ())]
    if rate.phy == Phy.HE:
        lines += ["ieee80211ax=1"]
    return {bss.file: batch(lines)}


def _ht_capabilities(rate: PhyRate) -> Iterable[str]:
    """What the device has of 802.11n, as airlink's softmac_set_ht() says: hostapd takes no more."""
    wide, short = rate.width_mhz >= 40, rate.gi_ns == _SHORT_GI_NS or rate.phy == Phy.HE
    names = [("HT40+", wide), ("SHORT-GI-40", wide and short), ("SHORT-GI-20", short)]
    has = "".join(f"[{name}]" for name, there in names if there)
    return [f"ht_capab={has}"] if has else []


def associate(bss: Bss) -> Iterable[PlanLine]:
    """The plan's lines that start the access point and connect its stations."""
    access_point = bss.access_point.port
    if bss.access_point.kernel_name != access_point.device:
        yield ["run", access_point.node, *rename(bss.access_point)]
    for place in bss.stations:
        yield ["run", place.port.node, *rename(place), "up"]
    yield ALIGN
    yield ["run", access_point.node, "hostapd", "-B", f"{PLAN_DIR}/{bss.file}"]
    # hostapd scans for neighbours first if the channel is 40 MHz wide at 2.4 GHz. By then it runs
    # in the background.
    yield ["link", access_point.node, access_point.device]
    frequency = str(FREQUENCIES_MHZ[bss.band])
    for place in bss.stations:
        yield ALIGN
        connect = ["iw", "dev", place.port.device, "connect", "-w", bss.ssid, frequency]
        yield ["run", place.port.node, *connect]
    yield from bitrate_lines((bss.access_point, *bss.stations), bss.band)


def bitrate_lines(places: Iterable[Place], band: str) -> Iterable[PlanLine]:
    """Lines that tell mac80211 the rate of data.

    It has to know, too, because its airtime limits (AQL) assume the rate that it would choose. It
    accepts no mask without a basic rate, so only the module knows a legacy rate.
    """
    for place in places:
        bitrates = _bitrates(place.rate, band.removesuffix(" GHz")) if place.rate else []
        if bitrates:
            set_bitrates = ["iw", "dev", place.port.device, "set", "bitrates", *bitrates]
            yield ["run", place.port.node, *set_bitrates]


def takes_ns(bss: Bss) -> int:
    """How long that takes at the most, in virtual time."""
    return _ACCESS_POINT_NS + _STATION_NS * len(bss.stations)


def rename(place: Place) -> list[str]:
    """The command that calls a device as its port."""
    return ["ip", "link", "set", place.kernel_name, "name", place.port.device]


def _bitrates(rate: PhyRate, band: str) -> list[str]:
    """One rate as iw takes it; nothing for a legacy one."""
    interval = [f"{'sgi' if rate.gi_ns == 400 else 'lgi'}-{band}"]
    match rate.phy:
        case Phy.LEGACY:
            return []
        case Phy.HT:
            return [f"ht-mcs-{band}", str(8 * (rate.streams - 1) + rate.mcs), *interval]
        case Phy.VHT:
            return [f"vht-mcs-{band}", f"{rate.streams}:{rate.mcs}", *interval]
        case Phy.HE:
            return [f"he-mcs-{band}", f"{rate.streams}:{rate.mcs}"]
