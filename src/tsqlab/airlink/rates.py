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

_RATE = re.compile(
    r"(HT|VHT|HE)(20|40|80|160) MCS([0-9]{1,2})(?: ([1-4])ss)?(?: (SGI|GI1\.6|GI3\.2))?"
)
_LEGACY_MBPS = (6, 9, 12, 18, 24, 36, 48, 54)
_LEGACY = {f"{mbps} Mbit/s": mcs for mcs, mbps in enumerate(_LEGACY_MBPS)}
_GI_NS = {None: 800, "SGI": 400, "GI1.6": 1600, "GI3.2": 3200}
_MCS_MAX = {Phy.HT: 7, Phy.VHT: 9, Phy.HE: 11}

# IEEE 802.11-2020, tables 19-6, 21-5 and 27-13: data subcarriers, by width in MHz.
_SUBCARRIERS = {20: 52, 40: 108, 80: 234, 160: 468}
_HE_SUBCARRIERS = {20: 234, 40: 468, 80: 980, 160: 1960}
_HE_SYMBOL_NS, _SYMBOL_NS = 12_800, 3_200  # without the guard interval
# Bits of a subcarrier times the code rate, in twelfths.
_TWELFTHS = (6, 12, 18, 24, 36, 48, 54, 60, 72, 80, 90, 100)


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
    if not _possible(rate):
        raise ValueError(f'802.11 has no rate "{text}"')
    return rate


def _possible(rate: PhyRate) -> bool:
    he = rate.phy == Phy.HE
    return (
        rate.mcs <= _MCS_MAX[rate.phy]
        and 1 <= rate.streams <= 4
        and (rate.phy != Phy.HT or rate.width_mhz <= 40)
        and rate.gi_ns in ((800, 1600, 3200) if he else (400, 800))
    )


def kbps(rate: PhyRate) -> int:
    """Its nominal speed, rounded down: 150000 of "HT40 MCS7 SGI"."""
    if rate.phy == Phy.LEGACY:
        return _LEGACY_MBPS[rate.mcs] * 1000
    he = rate.phy == Phy.HE
    carriers = (_HE_SUBCARRIERS if he else _SUBCARRIERS)[rate.width_mhz]
    symbol_ns = (_HE_SYMBOL_NS if he else _SYMBOL_NS) + rate.gi_ns
    return carriers * _TWELFTHS[rate.mcs] * rate.streams * 1_000_000 // (12 * symbol_ns)
