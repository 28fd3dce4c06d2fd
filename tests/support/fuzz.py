# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages to airlink, well-formed and not, made from a seed, as lines for the plan's genl-try.

They are about three media. On the first of them stand an access point and a station that a test
has traffic between: those are changed in all ways, but not removed.
"""

import random
import struct

from bss import ACCESS_POINT, address
from tsqlab.airlink.uapi import (
    VERSION,
    Attribute,
    Command,
    EdcaAttribute,
    Phy,
    ProfileAttribute,
    RateAttribute,
    Role,
)

MEDIA = (1, 2, 3)
COME_AND_GO = tuple(range(2, 7))
"""The numbers of the radios that messages make and remove."""

_ACK, _DUMP, _NESTED = 0x4, 0x300, 0x8000
_REMOVE = (Command.DEL_MEDIUM, Command.DEL_RADIO)
_NAMES = ("f0", "f1", "f2", "f%d", "", ".", "..", "a/b", "/", "a b", "x:y", "a" * 15, "a" * 40,
          "%d%d", "%s", "\xff\xfe", "lo")  # fmt: skip
_NUMBERS = (0, 1, 2, 3, 15, 16, 64, 255, 256, 1000, 0xFFFF, 10**6, 10**9, 2**31, 2**32 - 1)
_NEEDS = {
    Command.NEW_MEDIUM: (Attribute.MEDIUM,),
    Command.DEL_MEDIUM: (Attribute.MEDIUM,),
    Command.NEW_RADIO: (Attribute.MEDIUM, Attribute.ADDRESS),
    Command.DEL_RADIO: (Attribute.MEDIUM, Attribute.ADDRESS),
    Command.SET_RADIO: (Attribute.MEDIUM, Attribute.ADDRESS),
    Command.GET_RADIO: (Attribute.MEDIUM, Attribute.ADDRESS),
    Command.SET_LINK: (Attribute.MEDIUM, Attribute.ADDRESS, Attribute.PEER),
    Command.NEW_SNIFFER: (Attribute.MEDIUM,),
    Command.DEL_SNIFFER: (Attribute.MEDIUM,),
}
_MAY_HAVE = {
    Command.NEW_MEDIUM: (Attribute.BAND, Attribute.SEED),
    Command.NEW_RADIO: (
        *(Attribute.NAME, Attribute.FRONT, Attribute.ACCESS_POINT, Attribute.RATE),
        *(Attribute.BEST_RATE, Attribute.PROFILE, Attribute.ROLE),
    ),
    Command.SET_RADIO: (
        *(Attribute.RATE, Attribute.RATE_CONTROL, Attribute.PROFILE, Attribute.EDCA),
    ),
    Command.SET_LINK: (
        *(Attribute.LOSS, Attribute.SNR, Attribute.HEARS, Attribute.RATE),
        Attribute.RATE_CONTROL,
    ),
    Command.NEW_SNIFFER: (Attribute.NAME,),
}
_OFTEN = (Command.SET_RADIO, Command.SET_LINK, Command.NEW_RADIO, Command.DEL_RADIO)


def lines(seed, count):
    """So many messages, the same ones for the same seed."""
    fuzz = _Fuzz(random.Random(seed))
    return [fuzz.line() for _ in range(count)]


def _encode(attributes):
    encoded = b""
    for kind, value in attributes:
        encoded += struct.pack("=HH", len(value) + 4, kind) + value + b"\0" * (-len(value) & 3)
    return encoded


class _Fuzz:
    def __init__(self, rng):
        self.rng = rng
        self.command = Command.UNSPEC

    def line(self):
        self.command = self.rng.choice((*_NEEDS, *_OFTEN, *_OFTEN))
        attributes = [(kind, self.value(kind)) for kind in self.kinds()]
        number = int(self.command)
        ill = self.rng.random() < 0.3
        if ill:
            attributes = self.deform(attributes)
            if self.rng.random() < 0.05:
                number = self.rng.choice((0, len(Command), 100, 255))
        encoded = _encode(attributes)
        if ill and self.rng.random() < 0.3:
            encoded = self.cut(encoded)
        header = struct.pack("=BBH", number, VERSION if not ill else self.byte(), 0)
        flags = _ACK
        if self.command == Command.GET_RADIO and self.rng.random() < 0.5:
            flags |= _DUMP
        elif ill and self.rng.random() < 0.1:
            flags = self.rng.randrange(1 << 16)
        message = header + encoded
        if ill and self.rng.random() < 0.02:
            message = message[: self.rng.randrange(4)]
        return f"{flags:x} {message.hex()}"

    def kinds(self):
        """The attributes of a message: nearly always those that it needs."""
        needs = [kind for kind in _NEEDS[self.command] if self.rng.random() < 0.97]
        may_have = _MAY_HAVE.get(self.command, ())
        if self.rng.random() < 0.05 and self.command not in _REMOVE:
            may_have = tuple(Attribute)
        more = [kind for kind in may_have if self.rng.random() < 0.4]
        return dict.fromkeys((*needs, *more))

    def value(self, kind):
        values = {
            Attribute.MEDIUM: self.medium,
            Attribute.BAND: lambda: bytes([self.rng.choice((2, 5, 5, 6))]),
            Attribute.SEED: lambda: self.rng.randbytes(8),
            Attribute.ADDRESS: self.own_address,
            Attribute.NAME: self.name,
            Attribute.FRONT: lambda: bytes([self.rng.random() < 0.3]),
            Attribute.ACCESS_POINT: self.any_address,
            Attribute.RATE: self.rate,
            Attribute.RATE_CONTROL: lambda: b"",
            Attribute.BEST_RATE: self.rate,
            Attribute.PROFILE: self.profile,
            Attribute.EDCA: self.edca,
            Attribute.PEER: self.any_address,
            Attribute.LOSS: lambda: struct.pack(
                "=I", self.rng.choice((0, 10**8, 10**9, 10**9 + 1))
            ),
            Attribute.SNR: lambda: struct.pack("=i", self.rng.choice((-10001, 0, 2000, 10000))),
            Attribute.HEARS: lambda: bytes([self.rng.choice((0, 1, 1, 2))]),
            Attribute.ROLE: lambda: bytes([self.rng.choice((*Role, len(Role)))]),
        }
        return values[kind]() if kind in values else self.rng.randbytes(self.rng.randrange(9))

    def name(self):
        odd = self.rng.random() < 0.4
        return self.rng.choice(_NAMES if odd else ("f%d",)).encode("latin-1") + b"\0"

    def medium(self):
        stays = self.command == Command.DEL_MEDIUM
        return struct.pack("=I", self.rng.choice(MEDIA[1:] if stays else (1, *MEDIA)))

    def own_address(self):
        here = COME_AND_GO if self.command in (Command.NEW_RADIO, Command.DEL_RADIO) else (
            1, ACCESS_POINT, *COME_AND_GO)  # fmt: skip
        return self.bytes_of(self.rng.choice(here))

    def any_address(self):
        odd = (b"\0" * 6, b"\xff" * 6, b"\1\0\x5e\0\0\1")
        if self.rng.random() < 0.1:
            return self.rng.choice(odd)
        return self.bytes_of(self.rng.choice((1, ACCESS_POINT, ACCESS_POINT, *COME_AND_GO)))

    @staticmethod
    def bytes_of(number):
        return bytes.fromhex(address(number).replace(":", ""))

    def byte(self):
        return self.rng.randrange(256)

    def rate(self):
        known = self.rng.random() < 0.95
        values = {
            RateAttribute.PHY: bytes([self.rng.choice(tuple(Phy)) if known else self.byte()]),
            RateAttribute.MCS: bytes([self.rng.randrange(8) if known else self.byte()]),
            RateAttribute.STREAMS: bytes([self.rng.choice((1, 2, 4) if known else (0, 5, 255))]),
            RateAttribute.WIDTH: bytes([self.rng.choice((20, 40, 80, 160) if known else (0, 10))]),
            RateAttribute.GI: struct.pack("=H", self.rng.choice((400, 800, 1600, 3200))),
        }
        return _encode(list(values.items()))

    def profile(self):
        fields = self.rng.sample(tuple(ProfileAttribute)[1:], self.rng.randrange(1, 6))
        if self.rng.random() < 0.3:
            fields += [ProfileAttribute.BUS_FRAMES, ProfileAttribute.BUS_BYTES,
                       ProfileAttribute.BUS_MBPS, ProfileAttribute.BUS_TRANSFERS]  # fmt: skip
        small = self.rng.random() < 0.7
        numbers = (0, 1, 1, 2, 3) if small else _NUMBERS
        return _encode([(field, struct.pack("=I", self.rng.choice(numbers))) for field in fields])

    def edca(self):
        values = [
            (EdcaAttribute.AC, bytes([self.rng.choice((0, 1, 2, 2, 3, 4))])),
            (EdcaAttribute.AIFSN, bytes([self.rng.choice((0, 1, 2, 15, 16))])),
            (EdcaAttribute.CW_MIN, struct.pack("=H", self.rng.choice((0, 1, 15, 32767)))),
            (EdcaAttribute.CW_MAX, struct.pack("=H", self.rng.choice((0, 15, 1023, 32768)))),
            (EdcaAttribute.TXOP, struct.pack("=I", self.rng.choice(_NUMBERS))),
        ]
        return _encode([one for one in values if self.rng.random() < 0.8])

    def deform(self, attributes):
        """What is wrong with an ill-formed message; one that removes keeps its target."""
        ways = [self.without, self.other_type]
        if self.command not in _REMOVE:
            ways += [self.twice, self.other_length, self.other_bytes, self.nested]
        for _ in range(self.rng.randrange(1, 4)):
            if attributes:
                at = self.rng.randrange(len(attributes))
                attributes = self.rng.choice(ways)(attributes, at)
        return attributes

    @staticmethod
    def without(attributes, at):
        return attributes[:at] + attributes[at + 1 :]

    def other_type(self, attributes, at):
        kind = self.rng.choice((0, len(Attribute), 40, _NESTED | attributes[at][0], 0x3FFF))
        return [*attributes[:at], (kind, attributes[at][1]), *attributes[at + 1 :]]

    @staticmethod
    def twice(attributes, at):
        return [*attributes, attributes[at]]

    def other_length(self, attributes, at):
        kind, value = attributes[at]
        value = (value + self.rng.randbytes(64))[: self.rng.randrange(len(value) + 64)]
        return [*attributes[:at], (kind, value), *attributes[at + 1 :]]

    def other_bytes(self, attributes, at):
        kind, value = attributes[at]
        return [*attributes[:at], (kind, self.rng.randbytes(len(value))), *attributes[at + 1 :]]

    def nested(self, attributes, at):
        kind = attributes[at][0]
        inner = _encode([(self.rng.randrange(40), self.rng.randbytes(self.rng.randrange(12)))])
        return [*attributes[:at], (kind, inner), *attributes[at + 1 :]]

    def cut(self, encoded):
        """Lengths that do not fit: the first attribute's own, or that of all."""
        if len(encoded) >= 4 and self.rng.random() < 0.5 and self.command not in _REMOVE:
            return struct.pack("=H", self.rng.randrange(1 << 16)) + encoded[2:]
        return encoded[: self.rng.randrange(len(encoded) + 1)]
