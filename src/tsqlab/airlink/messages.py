# SPDX-License-Identifier: GPL-2.0-or-later
"""The generic netlink messages of the module, as functions of plain values.

    new_radio(...)  ->  Message  -- payload() -->  bytes: generic netlink's header, attributes
    bytes  -- radio_stats() -->  RadioStats

No socket is needed: `live` sends these on a running kernel, and the lab writes their payload
into a guest's plan. uapi.h says what each attribute means, and `packets` makes the bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from tsqlab.airlink.uapi import (
    COUNTERS,
    Attribute,
    Command,
    EdcaAttribute,
    Front,
    LinkAttribute,
    Phy,
    ProfileAttribute,
    RateAttribute,
    Role,
    StatsAttribute,
)

if TYPE_CHECKING:
    from tsqlab.airlink.packets import Packet

Attributes = Sequence[tuple[IntEnum, Any]]
"""Attributes and their values; a nest's value is a tuple of attributes again."""


@dataclass(frozen=True)
class Message:
    """A request."""

    command: Command
    attributes: Attributes


@dataclass(frozen=True)
class PhyRate:
    """A rate that data is sent at."""

    phy: Phy
    mcs: int  # the index for one stream; legacy rates are 0..7 for 6..54 Mbit/s
    streams: int
    width_mhz: int
    gi_ns: int


@dataclass(frozen=True)
class Edca:
    """What one access category waits for and draws; None keeps the present value."""

    ac: int  # 0 VO, 1 VI, 2 BE, 3 BK
    aifsn: int | None = None
    cw_min: int | None = None  # slots
    cw_max: int | None = None
    txop_us: int | None = None


@dataclass(frozen=True)
class Radio:
    """A radio as it is made."""

    medium: int
    address: str  # "02:00:00:00:00:01"
    name: str = ""  # the device's name; "": the kernel chooses one
    front: Front = Front.FULLMAC
    # The address of a fullmac station's access point; "" if this radio is none.
    access_point: str = ""
    # What a fullmac radio is; None: a station if it has an access point, or else one itself.
    role: Role | None = field(default=None, kw_only=True)
    rate: PhyRate | None = None  # the rate that data frames are sent at; None: rate control chooses
    best_rate: PhyRate | None = None  # the best rate that a softmac device can send at
    profile: Mapping[ProfileAttribute, int] | None = None


@dataclass(frozen=True)
class Link:
    """How one radio receives another; None keeps the present value."""

    medium: int
    address: str  # the radio that sends
    peer: str  # the radio that receives
    loss_ppb: int | None = None  # the probability that an MPDU is lost
    snr_cdb: int | None = None  # signal-to-noise ratio, in 1/100 dB
    hears: bool | None = None  # whether the receiver senses the sender at all
    rate: PhyRate | None = None  # the rate that data frames are sent at


@dataclass(frozen=True)
class RadioStats:
    """What a radio has counted since it was made."""

    counters: Mapping[StatsAttribute, int]  # the value of each attribute in COUNTERS
    subframes_of: tuple[int, ...]  # element n - 1 counts the PPDUs of n frames
    airtime_ns: Mapping[str, int]  # the airtime used for each receiver, whose address is the key

    @property
    def aggregate_mean(self) -> float | None:
        """Frames in a PPDU, on average, each try counted; None before the first."""
        ppdus = self.counters[StatsAttribute.PPDUS]
        return self.counters[StatsAttribute.SUBFRAMES] / ppdus if ppdus else None


def payload(made: Message) -> bytes:
    """The bytes that follow the netlink header: generic netlink's own, and the attributes."""
    # pyroute2 takes a fifth of a second, which wires and reports need not wait for.
    from tsqlab.airlink import packets  # noqa: PLC0415

    return packets.encoded(made)


def new_medium(medium: int, band: int = 5, seed: int = 0) -> Message:
    """A channel of the 2 (2.4) or 5 GHz band; the seed is of its backoffs and errors."""
    attributes = [(Attribute.MEDIUM, medium), (Attribute.BAND, band), (Attribute.SEED, seed)]
    return Message(Command.NEW_MEDIUM, attributes)


def del_medium(medium: int) -> Message:
    """Remove a medium, and its radios with it."""
    return Message(Command.DEL_MEDIUM, [(Attribute.MEDIUM, medium)])


def new_radio(radio: Radio) -> Message:
    """Make a radio, and its device in the namespace of the process that asks."""
    attributes: list[tuple[IntEnum, Any]] = [*_which(radio.medium, radio.address)]
    if radio.name:
        attributes.append((Attribute.NAME, radio.name))
    attributes.append((Attribute.FRONT, radio.front))
    if radio.access_point:
        attributes.append((Attribute.ACCESS_POINT, radio.access_point))
    if radio.role is not None:
        attributes.append((Attribute.ROLE, radio.role))
    if radio.rate:
        attributes.append((Attribute.RATE, _rate(radio.rate)))
    if radio.best_rate:
        attributes.append((Attribute.BEST_RATE, _rate(radio.best_rate)))
    if radio.profile:
        attributes.append((Attribute.PROFILE, tuple(radio.profile.items())))
    return Message(Command.NEW_RADIO, attributes)


def del_radio(medium: int, address: str) -> Message:
    """Remove a radio and its device."""
    return Message(Command.DEL_RADIO, _which(medium, address))


def set_radio(
    medium: int,
    address: str,
    *,
    profile: Mapping[ProfileAttribute, int] | None = None,
    rate: PhyRate | None = None,
    edca: Edca | None = None,
) -> Message:
    """Change a radio as it runs."""
    attributes: list[tuple[IntEnum, Any]] = [*_which(medium, address)]
    if profile:
        attributes.append((Attribute.PROFILE, tuple(profile.items())))
    if rate:
        attributes.append((Attribute.RATE, _rate(rate)))
    if edca:
        attributes.append((Attribute.EDCA, _edca(edca)))
    return Message(Command.SET_RADIO, attributes)


def get_radio(medium: int, address: str) -> Message:
    """Ask for a radio's statistics."""
    return Message(Command.GET_RADIO, _which(medium, address))


def set_link(link: Link) -> Message:
    """Change a link, in one direction."""
    attributes: list[tuple[IntEnum, Any]] = [*_which(link.medium, link.address)]
    attributes.append((Attribute.PEER, link.peer))
    given = {
        Attribute.LOSS: link.loss_ppb,
        Attribute.SNR: link.snr_cdb,
        Attribute.HEARS: link.hears,
    }
    attributes += [
        (attribute, int(value)) for attribute, value in given.items() if value is not None
    ]
    if link.rate:
        attributes.append((Attribute.RATE, _rate(link.rate)))
    return Message(Command.SET_LINK, attributes)


def new_sniffer(medium: int, name: str) -> Message:
    """A monitor device that captures all that is on the air."""
    return Message(Command.NEW_SNIFFER, [(Attribute.MEDIUM, medium), (Attribute.NAME, name)])


def radio_stats(reply: bytes) -> RadioStats:
    """What an answer to get_radio() says, given its payload. Raises ValueError."""
    from tsqlab.airlink import packets  # noqa: PLC0415  (as in payload())

    if len(reply) < 4:
        raise ValueError("not an answer of airlink: too short")
    return stats_of(packets.decoded(reply))


def stats_of(decoded: Packet) -> RadioStats:
    """The statistics in an answer that has been decoded. Raises ValueError."""
    stats = decoded.get_attr(Attribute.STATS.name)
    if stats is None:
        raise ValueError("not an answer of airlink: it has no statistics")
    packed = stats.get_attr(StatsAttribute.SUBFRAMES_OF.name) or b""
    return RadioStats(
        {counter: stats.get_attr(counter.name) or 0 for counter in COUNTERS},
        struct.unpack(f"={len(packed) // 8}Q", packed),
        {
            link.get_attr(LinkAttribute.ADDRESS.name): link.get_attr(LinkAttribute.AIRTIME_NS.name)
            for link in stats.get_attr(StatsAttribute.LINKS.name) or ()
        },
    )


def _which(medium: int, address: str) -> Attributes:
    return [(Attribute.MEDIUM, medium), (Attribute.ADDRESS, address)]


def _rate(rate: PhyRate) -> tuple[tuple[IntEnum, int], ...]:
    return (
        (RateAttribute.PHY, rate.phy),
        (RateAttribute.MCS, rate.mcs),
        (RateAttribute.STREAMS, rate.streams),
        (RateAttribute.WIDTH, rate.width_mhz),
        (RateAttribute.GI, rate.gi_ns),
    )


def _edca(edca: Edca) -> tuple[tuple[IntEnum, int], ...]:
    given = {
        EdcaAttribute.AC: edca.ac,
        EdcaAttribute.AIFSN: edca.aifsn,
        EdcaAttribute.CW_MIN: edca.cw_min,
        EdcaAttribute.CW_MAX: edca.cw_max,
        EdcaAttribute.TXOP: edca.txop_us,
    }
    return tuple((attribute, value) for attribute, value in given.items() if value is not None)
