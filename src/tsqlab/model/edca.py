# SPDX-License-Identifier: GPL-2.0-or-later
"""EDCA: who may begin to transmit, and when.

Before it transmits, a station waits until the medium has been idle for AIFS = SIFS + AIFSN
slots, and then for as many slots as its backoff counter says. It has drawn the counter from
0 .. CW, all equally likely. At every slot boundary, of which the end of AIFS is the first, it
transmits if the counter is 0, and takes one off otherwise, also at a boundary at which another
station begins to transmit (802.11-2020 10.23.2.4). So alone it starts AIFS + counter * slot
after the medium fell idle. CW starts at CWmin, doubles (plus one) with each failure up to
CWmax, and returns to CWmin after a success and when a frame is given up.

A station that has heard a frame which it cannot decode waits EIFS - DIFS longer: SIFS and an
ACK at the lowest basic rate, in case the frame is being answered (10.3.2.3.7). One that got no
response knows after AckTimeout, and waits AIFS from then.

Access categories have the values that Linux and hostapd use. (802.11-2020 has raised the TXOP
limits; nobody has followed.) The limit of a TXOP is only kept as data here: an exchange is a
single PPDU and its response.
"""

from __future__ import annotations

from dataclasses import dataclass

from tsqlab.model.band import Band
from tsqlab.model.phy import Rate
from tsqlab.model.ppdu import ACK_BYTES, ppdu_ns


@dataclass(frozen=True)
class Access:
    """How eager a station is to transmit."""

    aifsn: int  # the number of slots in AIFS after SIFS
    cw_min: int
    cw_max: int
    txop_ns: int = 0  # 0 stands for one PPDU and its response

    def aifs_ns(self, band: Band) -> int:
        """The time from the end of what kept the medium busy to the first slot boundary."""
        return band.sifs_ns + self.aifsn * band.slot_ns

    def mean_backoff_ns(self, band: Band) -> int:
        """The mean time that a station alone waits after AIFS."""
        return self.cw_min * band.slot_ns // 2  # a slot is an even number of ns

    def cw_after(self, failures: int) -> int:
        """The contention window after so many failures in a row."""
        return int(min(self.cw_max, ((self.cw_min + 1) << failures) - 1))


STATION = {
    "BK": Access(7, 15, 1023),
    "BE": Access(3, 15, 1023),
    "VI": Access(2, 7, 15, 3_008_000),
    "VO": Access(2, 3, 7, 1_504_000),
}
"""What a station uses: mac80211's defaults, and what hostapd's beacons say."""

ACCESS_POINT = {
    "BK": Access(7, 15, 1023),
    "BE": Access(3, 15, 63),
    "VI": Access(1, 7, 15, 3_008_000),
    "VO": Access(1, 3, 7, 1_504_000),
}
"""What hostapd uses itself (its 3.0 and 1.5 ms are handed down in units of 32 us)."""

DCF = Access(2, 15, 1023)
"""Without QoS: DIFS for AIFS. A station alone cannot tell the two; several can (see bianchi)."""


def eifs_extra_ns(band: Band) -> int:
    """EIFS - DIFS: what an undecodable frame adds to AIFS, with 6 Mbit/s the lowest basic rate."""
    return band.sifs_ns + ppdu_ns(Rate.legacy(6), ACK_BYTES, band)
