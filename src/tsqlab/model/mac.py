# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames and aggregates: how many bytes go into a PPDU.

    MPDU            header 24 (QoS +2, four addresses +6), CCMP 8 + 8, body, FCS 4
    body            LLC/SNAP 8 + IP packet, or an A-MSDU
    A-MSDU          for each packet 14 + 8 + IP packet, padded to 4 bytes but in the last
    A-MPDU          for each MPDU a delimiter of 4 + MPDU, padded to 4 bytes but in the last

A QoS header counts once, whatever is below it: an IP packet of 1500 bytes is an MPDU of 1538.

The last MPDU's padding is left out although VHT and HE pad it when its last symbol has room
(802.11-2020 9.7.1): it never makes a PPDU longer. A lone MPDU goes as it is in HT, and is
answered by an ACK; in VHT and HE it has a delimiter all the same (an S-MPDU), and an ACK too.

An aggregate ends with the first of these limits: MPDUs (the block-ack window, or less in some
drivers), bytes (what the receiver and the standard allow), and time (5.484 ms, the longest that
L-SIG can say, or less in some drivers: ath9k stops at 4.096 ms).
"""

from __future__ import annotations

from dataclasses import dataclass

from tsqlab.model.phy import Rate
from tsqlab.model.ppdu import ppdu_ns
from tsqlab.model.rounding import round_up

PPDU_MAX_NS = 5_484_000
"""aPPDUMaxTime, without the signal extension of 2.4 GHz."""

MSDU_MAX_BYTES = 2_304

MPDU_MAX_BYTES = {"HT": 4_095, "VHT": 11_454, "HE": 11_454}
"""The largest MPDU in an aggregate."""

_MAC_HEADER, _QOS, _FOURTH_ADDRESS, _FCS, _CCMP = 24, 2, 6, 4, 16
_LLC, _AMSDU_HEADER, _DELIMITER = 8, 14, 4


def mpdu_bytes(
    ip_bytes: int,
    *,
    packets: int = 1,
    qos: bool = True,
    ccmp: bool = False,
    four_addresses: bool = False,
) -> int:
    """An MPDU that carries an IP packet, or an A-MSDU of several."""
    if not 1 <= _LLC + ip_bytes <= MSDU_MAX_BYTES or packets < 1:
        raise ValueError(
            f"an MSDU has at most {MSDU_MAX_BYTES} bytes with its LLC header of {_LLC}; "
            f"there is none of {packets} packets of {ip_bytes} bytes"
        )
    header = _MAC_HEADER + _QOS * qos + _FOURTH_ADDRESS * four_addresses + _CCMP * ccmp
    body = _LLC + ip_bytes if packets == 1 else _amsdu_bytes(ip_bytes, packets)
    return header + body + _FCS


def _amsdu_bytes(ip_bytes: int, packets: int) -> int:
    subframe = _AMSDU_HEADER + _LLC + ip_bytes
    return (packets - 1) * round_up(subframe, 4) + subframe


def psdu_bytes(
    standard: str, mpdu_bytes: int, subframes: int = 1, *, extra_delimiters: int = 0
) -> int:
    """What a PPDU carries: *subframes* MPDUs of that size.

    *extra_delimiters* go between two MPDUs besides the usual one (ath9k gives a slow receiver
    time so, and with CCMP on its older chips 10 of them).
    """
    if subframes == 1 and standard in ("legacy", "HT"):
        return mpdu_bytes
    if standard == "legacy" or subframes < 1:
        raise ValueError(f"there is no aggregate of {subframes} MPDUs in a {standard} PPDU")
    if mpdu_bytes > MPDU_MAX_BYTES[standard]:
        raise ValueError(
            f"an MPDU in a {standard} aggregate has at most {MPDU_MAX_BYTES[standard]} bytes, "
            f"not {mpdu_bytes}"
        )
    subframe = _DELIMITER + mpdu_bytes
    return (subframes - 1) * (round_up(subframe, 4) + _DELIMITER * extra_delimiters) + subframe


@dataclass(frozen=True)
class Limits:
    """Where an aggregate ends."""

    subframes: int  # the largest number of MPDUs
    bytes: int  # the largest PSDU
    duration_ns: int = PPDU_MAX_NS  # the longest PPDU

    def within(self, other: Limits) -> Limits:
        """The tighter of both, limit by limit."""
        return Limits(
            min(self.subframes, other.subframes),
            min(self.bytes, other.bytes),
            min(self.duration_ns, other.duration_ns),
        )


STANDARD_LIMITS = {
    "legacy": Limits(1, 4_095),
    "HT": Limits(64, 65_535),
    "VHT": Limits(64, 1_048_575),
    "HE": Limits(256, 6_500_631),
}
"""The most that each standard allows."""

ATH9K_LIMITS = Limits(32, 65_532, 4_096_000)
"""The limits of the Linux driver: half the window, and 4 ms (xmit.c)."""


def largest_aggregate(rate: Rate, mpdu_bytes: int, limits: Limits | None = None) -> int:
    """The largest number of MPDUs under the standard's limits and *limits*.

    A frame alone is sent however long it takes, so the least is 1.
    """
    limits = STANDARD_LIMITS[rate.standard].within(limits or STANDARD_LIMITS[rate.standard])

    if rate.standard == "legacy" or mpdu_bytes > MPDU_MAX_BYTES[rate.standard]:
        return 1

    def fits(subframes: int) -> bool:
        size = psdu_bytes(rate.standard, mpdu_bytes, subframes)
        return size <= limits.bytes and ppdu_ns(rate, size) <= limits.duration_ns

    return max((n for n in range(1, limits.subframes + 1) if fits(n)), default=1)
