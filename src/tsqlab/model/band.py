# SPDX-License-Identifier: GPL-2.0-or-later
"""The bands: what differs between 2.4 and 5 GHz is a handful of times.

At 2.4 GHz SIFS is 10 us instead of 16, and every OFDM PPDU (legacy, HT, HE) ends with a signal
extension, 6 us in which nothing is sent and which belong to the PPDU all the same (802.11-2020
18.3.2.4, 19.3.2): the decoder gets its 16 us in both bands. So an exchange of a PPDU and its
response takes the same time in both: AIFS and SIFS are 6 us shorter each, the two PPDUs 6 us
longer each.

Propagation delay is nil: it is part of the slot, and 30 m are 0.1 us.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Band:
    """The times that a band and its slot set."""

    name: str
    slot_ns: int
    sifs_ns: int
    signal_extension_ns: int  # the end of every OFDM PPDU, which belongs to the PPDU

    @property
    def pifs_ns(self) -> int:
        """PCF interframe space: SIFS and one slot."""
        return self.sifs_ns + self.slot_ns

    @property
    def difs_ns(self) -> int:
        """DCF interframe space: SIFS and two slots."""
        return self.sifs_ns + 2 * self.slot_ns

    @property
    def ack_timeout_ns(self) -> int:
        """The time from the end of a PPDU to the verdict that no response begins (10.3.2.11)."""
        return self.sifs_ns + self.slot_ns + _PHY_START_NS


_PHY_START_NS = 20_000  # aRxPHYStartDelay for OFDM: L-STF, L-LTF and L-SIG of the response

GHZ_5 = Band("5 GHz", 9_000, 16_000, 0)
GHZ_2_4 = Band("2.4 GHz", 9_000, 10_000, 6_000)
GHZ_2_4_LONG = Band("2.4 GHz, long slot", 20_000, 10_000, 6_000)
"""The slot is long while an 802.11b station is in the neighbourhood."""
