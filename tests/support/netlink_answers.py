# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers of the kernel over netlink, made by hand: what it would say, and what it never would."""

import struct

SEQUENCE = 7
ERROR, DONE, NEWQDISC, FAMILY = 2, 3, 36, 0x1C
MULTI, CAPPED, TLVS = 0x2, 0x100, 0x200
ROOT = 0xFFFFFFFF

NESTED = 0x8000


def attribute(kind, payload):
    """Bytes, a text, attributes, or a number with its format."""
    if isinstance(payload, list):
        payload = b"".join(payload)
        kind |= NESTED
    elif isinstance(payload, tuple):
        payload = struct.pack("=" + payload[0], *payload[1:])
    elif isinstance(payload, str):
        payload = payload.encode() + b"\0"
    padding = bytes(-len(payload) % 4)
    return struct.pack("=HH", 4 + len(payload), kind) + payload + padding


def message(kind, payload, flags=MULTI, sequence=SEQUENCE):
    return struct.pack("=IHHII", 16 + len(payload), kind, flags, sequence, 0) + payload


def qdisc(kind, options, *, statistics=(), handle=0x10000, parent=ROOT):
    """An RTM_NEWQDISC of the device with the index 3."""
    head = struct.pack("=BxxxiIII", 0, 3, handle, parent, 1)
    return message(
        NEWQDISC,
        head
        + attribute(1, kind)
        + (attribute(2, options) if options is not None else b"")
        + attribute(7, list(statistics)),
    )


def basic(sent_bytes):
    return attribute(1, ("QI", sent_bytes, 9))


def queue(backlog_bytes):
    return attribute(3, ("IIIII", 2, backlog_bytes, 0, 0, 0))


def wifi(*attributes):
    """An answer of nl80211."""
    return message(FAMILY, struct.pack("=BBH", 1, 1, 0) + b"".join(attributes))


def station(number, *info):
    return wifi(
        attribute(3, ("I", 3)),
        attribute(6, bytes((2, 0, 0, 0, 0, number))),
        attribute(21, list(info)),
    )


def rate(units, old=None):
    """NL80211_STA_INFO_TX_BITRATE, in 100 kbit/s."""
    both = [attribute(1, ("H", old))] if old is not None else []
    if units is not None:
        both.append(attribute(5, ("I", units)))
    return attribute(8, both)


def tids(*backlogs):
    """NL80211_STA_INFO_TID_STATS: a TXQ each."""
    return attribute(
        31,
        [
            attribute(number, [attribute(6, [attribute(1, ("I", each)), attribute(2, ("I", 1))])])
            for number, each in enumerate(backlogs, 1)
        ],
    )


def survey(time_ms=None, busy_ms=None, tx_ms=None, *, in_use=True):
    pairs = ((4, time_ms), (5, busy_ms), (8, tx_ms))
    info = [attribute(1, ("I", 5180))]
    info += [attribute(3, b"")] if in_use else []
    info += [attribute(kind, ("Q", ms)) for kind, ms in pairs if ms is not None]
    return wifi(attribute(84, info))


def done(error=0):
    return message(DONE, struct.pack("=i", error))


def refusal(error, text=None, request=None):
    """An NLMSG_ERROR, with the request or its header alone, and perhaps an explanation."""
    head = struct.pack("=i", error) + (request or message(99, b"", 0)[:16])
    flags = (0 if request else CAPPED) | (TLVS if text else 0)
    return message(ERROR, head + (attribute(1, text) if text else b""), flags)
