# SPDX-License-Identifier: GPL-2.0-or-later
"""The module's messages as bytes, by pyroute2: what each attribute's value is made of.

It stands apart from `messages` because pyroute2 takes a fifth of a second to load, which what
sends nothing need not wait for.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from pyroute2.netlink import NLA_F_NESTED, genlmsg, nla

from tsqlab.airlink.messages import Attributes, Message
from tsqlab.airlink.uapi import (
    VERSION,
    Attribute,
    EdcaAttribute,
    LinkAttribute,
    ProfileAttribute,
    RateAttribute,
    StatsAttribute,
)

_HEADER_BYTES = 16  # struct nlmsghdr, which is not part of the payload


def _map(members: type[IntEnum], kinds: Mapping[Any, str], rest: str = "none") -> Any:
    """An enumeration as pyroute2 wants it: names and kinds, in the order of the numbers."""
    return tuple((member.name, kinds.get(member, rest) if member else "none") for member in members)


class _Nest(nla):
    nla_flags = NLA_F_NESTED


class _Rate(_Nest):
    nla_map = _map(RateAttribute, {RateAttribute.GI: "uint16"}, "uint8")


class _Profile(_Nest):
    nla_map = _map(ProfileAttribute, {}, "uint32")


class _Edca(_Nest):
    nla_map = _map(
        EdcaAttribute,
        {
            EdcaAttribute.AC: "uint8",
            EdcaAttribute.AIFSN: "uint8",
            EdcaAttribute.CW_MIN: "uint16",
            EdcaAttribute.CW_MAX: "uint16",
            EdcaAttribute.TXOP: "uint32",
        },
    )


class _Link(_Nest):
    nla_map = _map(
        LinkAttribute, {LinkAttribute.ADDRESS: "l2addr", LinkAttribute.AIRTIME_NS: "uint64"}
    )


class _Stats(_Nest):
    nla_map = _map(
        StatsAttribute,
        {
            StatsAttribute.SUBFRAMES_OF: "cdata",
            StatsAttribute.LINKS: "*link",  # a list: the numbers of its elements mean nothing
            StatsAttribute.PAD: "none",
        },
        "uint64",
    )
    link = _Link


class Packet(genlmsg):
    """Any message of the family, in either direction."""

    nla_map = _map(
        Attribute,
        {
            Attribute.MEDIUM: "uint32",
            Attribute.BAND: "uint8",
            Attribute.SEED: "uint64",
            Attribute.ADDRESS: "l2addr",
            Attribute.NAME: "asciiz",
            Attribute.FRONT: "uint8",
            Attribute.ACCESS_POINT: "l2addr",
            Attribute.RATE: "rate",
            Attribute.RATE_CONTROL: "flag",
            Attribute.BEST_RATE: "rate",
            Attribute.PROFILE: "profile",
            Attribute.EDCA: "edca",
            Attribute.PEER: "l2addr",
            Attribute.LOSS: "uint32",
            Attribute.SNR: "int32",
            Attribute.HEARS: "uint8",
            Attribute.STATS: "stats",
            Attribute.ROLE: "uint8",
        },
    )
    # pyroute2 finds these classes by the names above.
    rate, profile, edca, stats = _Rate, _Profile, _Edca, _Stats


def packet(request: Message) -> Packet:
    """A request as pyroute2 sends it."""
    made = Packet()
    made["cmd"], made["version"], made["reserved"] = request.command, VERSION, 0
    made["attrs"] = _attrs(request.attributes)
    return made


def _attrs(attributes: Attributes) -> list[tuple[str, Any]]:
    return [
        (attribute.name, {"attrs": _attrs(value)} if isinstance(value, tuple) else value)
        for attribute, value in attributes
    ]


def encoded(request: Message) -> bytes:
    """The bytes that follow the netlink header: generic netlink's own, and the attributes."""
    made = packet(request)
    made.encode()
    return bytes(made.data[_HEADER_BYTES:])


def decoded(payload: bytes) -> Packet:
    """What such bytes say."""
    found = Packet(struct.pack("=IHHII", _HEADER_BYTES + len(payload), 0, 0, 0, 0) + payload)
    found.decode()
    return found
