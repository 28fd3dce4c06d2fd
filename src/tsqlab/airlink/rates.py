# SPDX-License-Identifier: GPL-2.0-or-later
"""Rates of 802.11 as people write them: "HT40 MCS7 SGI", "VHT80 MCS9 2ss SGI", "54 Mbit/s".

An HT index counts streams as 802.11n does: MCS15 is MCS7 of two. A VHT or HE index is that of
one stream, and "2ss" says how many there are. Without SGI the guard interval is the standard's
longest but for HE, whose default is 0.8 us; "GI1.6" and "GI3.2" are HE's others.
"""

from __future__ import annotations

import re

from tsqlab.airlink.messages import PhyRate
from tsqlab.airlink.uapi import Phy
from tsqlab.model.phy import LEGACY_MBPS, Rate, Standard

_RATE = re.compile(
    r"(HT|VHT|HE)(20|40|80|160) MCS([0-9]{1,2})(?: ([1-4])ss)?(?: (SGI|GI1\.6|GI3\.2))?"
)
_LEGACY = {f"{mbps} Mbit/s": mcs for mcs, mbps in enumerate(LEGACY_MBPS)}
_STANDARDS: dict[Phy, Standard] = {
    Phy.LEGACY: "legacy",
    Phy.HT: "HT",
    Phy.VHT: "VHT",
    Phy.HE: "HE",
}
_GI_NS = {None: 800, "SGI": 400, "GI1.6": 1600, "GI3.2": 3200}


def parse_rate(text: object) -> PhyRate:
    """The rate that a text names. Raises ValueError."""
    if isinstance(text, str) and text in _LEGACY:
        return PhyRate(Phy.LEGACY, _LEGACY[text], 1, 20, 800)
    match = _RATE.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(
            f'expected a rate as "HT40 MCS7 SGI", "VHT80 MCS9 2ss SGI" or "54 Mbit/s", not {text!r}'
        )
    phy, mcs, streams = Phy[match[1]], int(match[3]), int(match[4] or 1)
    if phy == Phy.HT:
        streams, mcs = mcs // 8 + 1, mcs % 8
        if match[4] and int(match[4]) != streams:
            raise ValueError(f'"{text}": MCS{match[3]} of HT has {streams} streams')
    rate = PhyRate(phy, mcs, streams, int(match[2]), _GI_NS[match[5]])
    try:
        standard_rate(rate)
    except ValueError as error:
        raise ValueError(f'802.11 has no rate "{text}": {error}') from None
    return rate


def standard_rate(rate: PhyRate) -> Rate:
    """What the standard says of a rate. Raises ValueError when it has no such rate."""
    standard = _STANDARDS[rate.phy]
    return Rate(standard, rate.width_mhz, rate.streams, rate.mcs, rate.gi_ns)


def kbps(rate: PhyRate) -> int:
    """Its nominal speed, rounded down: 150000 of "HT40 MCS7 SGI"."""
    return standard_rate(rate).bit_per_s // 1000
