# SPDX-License-Identifier: GPL-2.0-or-later
"""802.11 frames, malformed in many ways, made from a seed, as lines for the plan's packet-try.

Each begins as a frame that somebody on the medium could send to somebody else: of any type and
subtype, with what belongs into it. Then something is done to it: it is cut, bits are turned,
lengths are wrong, it goes on for too long. Some stay as they are, which may be worse: a
deauthentication in another's name, or a switch to a channel that does not exist.
"""

import random
import struct

MGMT, CTRL, DATA, EXT = range(4)
FRAME_MAX = 2304
"""mac80211's monitors take no longer ones."""

_RETRY, _TO_DS, _FROM_DS, _PROTECTED, _ORDER = 0x0800, 0x0100, 0x0200, 0x4000, 0x8000
_ELEMENTS = (0, 1, 3, 5, 6, 7, 11, 32, 36, 37, 42, 45, 48, 50, 54, 55, 59, 60, 61, 70, 72, 74, 76,
             107, 111, 113, 114, 118, 127, 191, 192, 195, 196, 201, 221, 244, 255)  # fmt: skip
_EXTENSIONS = (35, 36, 38, 59, 92, 106, 107, 108, 109)  # HE, EHT and multi-link among them
_CATEGORIES = (0, 1, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 17, 20, 21, 37, 126, 127, 132)
_NO_RADIOTAP = ((1, 0, 8, 0), (0, 0, 0xFFFF, 0), (0, 0, 4, 0), (0, 0, 8, 1 << 31),
                (0, 0, 8, 0xFFFFFFFF))  # fmt: skip
_SNAP = bytes.fromhex("aaaa03000000")


def lines(seed, count, parties):
    """So many frames between the *parties* (addresses), the same ones for the same seed."""
    made = _Frames(random.Random(seed), [bytes.fromhex(one.replace(":", "")) for one in parties])
    return [(made.radiotap() + made.frame()).hex() for _ in range(count)]


class _Frames:
    def __init__(self, rng, parties):
        self.rng = rng
        self.parties = parties

    def chance(self, probability):
        return self.rng.random() < probability

    def some(self, most):
        return self.rng.randbytes(self.rng.randrange(most + 1))

    def address(self):
        odd = (b"\0" * 6, b"\xff" * 6, b"\1\0\x5e\0\0\1", b"\2\0\0\0\0\x77")
        return self.rng.choice(odd if self.chance(0.25) else self.parties)

    def frame(self):
        kind = self.rng.choice((MGMT, MGMT, CTRL, DATA, DATA))
        if self.chance(0.02):
            kind = EXT
        subtype = self.rng.randrange(16)
        frame = (self.management, self.control, self.data, self.control)[kind](kind, subtype)
        for _ in range(self.rng.choice((0, 1, 1, 1, 2, 4))):
            frame = self.rng.choice(self.ways())(frame)
        return frame[:FRAME_MAX]

    def head(self, kind, subtype, flags=0):
        """Frame control and duration; the version is 0."""
        duration = self.rng.choice((0, 44, 314, 0x7FFF, 0x8000, 0xC001, 0xFFFF))
        return struct.pack("<HH", kind << 2 | subtype << 4 | flags, duration)

    def flags(self, choices):
        flags = self.rng.choice(choices)
        for flag in (_RETRY, _PROTECTED, _ORDER, 0x0400, 0x1000, 0x2000):
            flags |= flag if self.chance(0.05) else 0
        return flags

    def sequence(self):
        number = self.rng.randrange(1 << 16)
        return struct.pack("<H", number if self.chance(0.2) else number & ~15)

    def management(self, kind, subtype):
        head = self.head(kind, subtype, self.flags((0,)))
        to, of = self.address(), self.rng.choice(self.parties)
        bssid = self.rng.choice((to, of, self.address()))
        return head + to + of + bssid + self.sequence() + self.body(subtype)

    def body(self, subtype):
        small = struct.pack("<H", self.rng.choice((0, 1, 2, 3, 6, 7, 31, 0xFFFF)))
        capabilities = struct.pack("<H", self.rng.choice((0x0001, 0x0002, 0x0401, 0, 0xFFFF)))
        interval = struct.pack("<H", self.rng.choice((0, 1, 100, 0xFFFF)))
        bodies = {
            0: lambda: capabilities + interval,  # association request
            1: lambda: capabilities + small + b"\1\xc0",
            2: lambda: capabilities + interval + self.address(),
            3: lambda: capabilities + small + b"\1\xc0",
            5: lambda: self.rng.randbytes(8) + interval + capabilities,  # probe response
            8: lambda: self.rng.randbytes(8) + interval + capabilities,  # beacon
            10: lambda: small,  # disassociation
            11: lambda: struct.pack("<HHH", self.rng.randrange(4), self.rng.randrange(5), 0),
            12: lambda: small,  # deauthentication
            13: self.action,
            14: self.action,
        }
        return bodies.get(subtype, bytes)() + self.elements()

    def action(self):
        category = self.rng.choice((3, 3, *_CATEGORIES))
        action = self.rng.randrange(3) if category == 3 else self.rng.randrange(20)
        return bytes([category, action, self.rng.randrange(256)]) + self.some(12)

    def elements(self):
        chosen = (self.rng.choice(_ELEMENTS) for _ in range(self.rng.randrange(12)))
        return b"".join(map(self.element, chosen))

    def element(self, number):
        """Its length is wrong one time in ten."""
        usual = {0: 6, 1: 8, 3: 1, 5: 5, 37: 3, 45: 26, 54: 3, 60: 4, 61: 22, 113: 7, 191: 12,
                 192: 5}  # fmt: skip
        length = usual.get(number, 8) if self.chance(0.7) else self.rng.choice((0, 1, 2, 64, 255))
        value = self.rng.randbytes(length)
        if number == 255 and value:
            value = bytes([self.rng.choice(_EXTENSIONS)]) + value[1:]
        if number == 221 and self.chance(0.7):
            value = b"\0\x50\xf2\2" + bytes([self.rng.randrange(3), 1]) + value[:18]  # WMM
        said = len(value) if self.chance(0.9) else self.rng.randrange(256)
        return bytes([number, said]) + value

    def control(self, kind, subtype):
        head = self.head(kind, subtype, self.flags((0,)))
        frame = head + self.address()
        if subtype in (8, 9):  # BlockAckReq, BlockAck: any variant, any class, any bitmap
            frame += self.address() + self.rng.randbytes(4)
            frame += self.some(4) if subtype == 8 else self.rng.randbytes(8) + self.some(128)
        elif subtype == 7:  # control wrapper
            frame += self.some(40)
        elif subtype not in (12, 13):
            frame += self.address()
        return frame + (self.some(16) if self.chance(0.2) else b"")

    def data(self, kind, subtype):
        flags = self.flags((0, _TO_DS, _FROM_DS, _TO_DS, _FROM_DS, _TO_DS | _FROM_DS))
        frame = self.head(kind, subtype, flags) + self.address() + self.rng.choice(self.parties)
        frame += self.address() + self.sequence()
        if flags & _TO_DS and flags & _FROM_DS:
            frame += self.address()
        bundle = False
        if subtype & 8:
            bundle = self.chance(0.4)
            frame += bytes(
                [self.rng.randrange(256) & (0x7F | bundle << 7), self.rng.choice((0, 1))]
            )
        if subtype & 4:  # no data
            return frame + (self.some(8) if self.chance(0.3) else b"")
        return frame + (self.bundle() if bundle else _SNAP + self.packet())

    def packet(self):
        kind = self.rng.choice((b"\x08\0", b"\x08\6", b"\x86\xdd", b"\x88\x8e", b"\x81\0"))
        return kind + self.some(self.rng.choice((0, 40, 200, 1500)))

    def bundle(self):
        """An A-MSDU. The lengths of half of its subframes are wrong."""
        frame = b""
        for _ in range(self.rng.randrange(1, 8)):
            inner = _SNAP + self.packet()
            said = len(inner)
            if self.chance(0.5):
                said = self.rng.choice((0, 1, 7, 8, 14, said - 1, said + 1, 0x0800, 0x7FFF, 0xFFFF))
            frame += self.address() + self.address() + struct.pack(">H", said & 0xFFFF) + inner
            frame += b"\0" * (-len(frame) & 3 if self.chance(0.9) else self.rng.randrange(6))
        return frame

    def ways(self):
        """What can be done to a frame."""
        return (self.cut, self.cut_header, self.turn_bits, self.other_control, self.other_duration,
                self.longer, self.other_byte, self.without, self.with_more)  # fmt: skip

    def cut(self, frame):
        return frame[: self.rng.randrange(len(frame) + 1)]

    def cut_header(self, frame):
        return frame[: self.rng.randrange(37)]

    def turn_bits(self, frame):
        turned = bytearray(frame)
        for _ in range(self.rng.randrange(1, 9) if frame else 0):
            turned[self.rng.randrange(len(turned))] ^= 1 << self.rng.randrange(8)
        return bytes(turned)

    def other_control(self, frame):
        return self.rng.randbytes(2) + frame[2:]

    def other_duration(self, frame):
        return frame[:2] + self.rng.randbytes(2) + frame[4:]

    def longer(self, frame):
        return frame + self.some(self.rng.choice((4, 64, FRAME_MAX)))

    def other_byte(self, frame):
        """What is often a length."""
        at = self.rng.randrange(len(frame) + 1)
        return frame[:at] + self.rng.choice((b"\0", b"\1", b"\x7f", b"\xff")) + frame[at + 1 :]

    def without(self, frame):
        at = self.rng.randrange(len(frame) + 1)
        return frame[:at] + frame[at + self.rng.randrange(1, 9) :]

    def with_more(self, frame):
        at = self.rng.randrange(len(frame) + 1)
        return frame[:at] + self.some(8) + frame[at:]

    def radiotap(self):
        """Most often nothing but its own length; at times a rate, or what is no such header."""
        choice = self.rng.random()
        if choice < 0.5:
            return bytes.fromhex("0000080000000000")
        if choice < 0.75:  # flags for sending, and one of the lower rates
            flags = self.rng.choice((0, 8, 0x10, 0x18, 0xFFFF))
            rate = self.rng.choice((2, 12, 24, 108, 0, 255))
            return struct.pack("<BBHIBxH", 0, 0, 12, 1 << 2 | 1 << 15, rate, flags)
        if choice < 0.9:  # an MCS of HT
            mcs = bytes([self.rng.randrange(256) for _ in range(2)] + [self.rng.randrange(90)])
            return struct.pack("<BBHI", 0, 0, 11, 1 << 19) + mcs
        if choice < 0.97:  # one of VHT
            return struct.pack("<BBHI", 0, 0, 20, 1 << 21) + self.rng.randbytes(12)
        return struct.pack("<BBHI", *self.rng.choice(_NO_RADIOTAP))
