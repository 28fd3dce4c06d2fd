# SPDX-License-Identifier: GPL-2.0-or-later
"""Goodput and RTT under a limit of t packets below TCP: the ``aggregating`` paper's section IV.

Of the t packets that TSQ allows, scaled by the pacing ratio p, a part c is in the network card
while it forms its next aggregate (the rest is on its way there):

    k      = t p c                                   packets in the card
    TxTime = (8 l k + 8 l_oh) / r + t_oh             of an aggregate of k
    Thr    = 8 l k / TxTime
    BW     = Thr(min(k, mxg))
    RTT    = RTT_base + 2 TxTime(k)                                        k <= mxg
           = RTT_base + (floor(k / mxg) + 1) TxTime(mxg)                   k >  mxg

Up to the largest aggregate, mxg, every packet below TCP makes aggregates longer, goodput grows,
and a packet waits for the aggregate on the air and then for its own. Beyond, another packet
only waits: k / mxg full aggregates are ahead, and one is being formed. So the RTT is a ramp and
then a staircase.

The formulas hold for fractions of a packet, and below k = 1, just as well as they can: think of
means. The least that a sender is left with is one packet at a time, :func:`one_packet`: no
limit is lower, because TCP always may have a packet below it.

l_oh counts in bytes, so 8 l_oh here; the paper's text has it without the 8. That is 1.6 us.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """The paper's symbols, and its values for ath9k_htc."""

    packet_bytes: float = 1_500  # l
    overhead_bytes: float = 48  # l_oh, the overhead of the PHY
    rate_bit_per_s: float = 216e6  # r
    access_ns: float = 500_000  # t_oh, the time to get hold of the channel
    rtt_base_ns: float = 2_500_000  # RTT_base
    aggregate_max_ns: float = 4_000_000  # mxg, given as the time that it takes at the rate
    pacing: float = 1.2  # p
    backlog: float = 0.8  # c, which the paper has fitted

    def __post_init__(self) -> None:
        """Refuse what no channel is like."""
        for name in ("packet_bytes", "rate_bit_per_s", "pacing", "backlog"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is above 0, not {getattr(self, name)}")

    @property
    def aggregate_max_packets(self) -> float:
        """The largest aggregate, mxg: as many whole packets as its time allows, at least 1."""
        bits = self.rate_bit_per_s * self.aggregate_max_ns / 1e9
        return max(1, bits // (8 * self.packet_bytes))


def packets_in_card(limit_packets: ArrayLike, parameters: Parameters) -> Floats:
    """The k of a limit of t packets."""
    return np.asarray(limit_packets, dtype=float) * parameters.pacing * parameters.backlog


def aggregate_ns(packets: ArrayLike, parameters: Parameters) -> Floats:
    """TxTime: how long an aggregate of so many packets takes, access to the channel included."""
    bits = 8 * (parameters.packet_bytes * np.asarray(packets) + parameters.overhead_bytes)
    return np.asarray(bits / parameters.rate_bit_per_s * 1e9 + parameters.access_ns)


def goodput_bit_per_s(limit_packets: ArrayLike, parameters: Parameters) -> Floats:
    """BW: the goodput under a limit of t packets."""
    packets = np.minimum(
        packets_in_card(limit_packets, parameters), parameters.aggregate_max_packets
    )
    bits = 8 * parameters.packet_bytes * packets
    return np.asarray(bits * 1e9 / aggregate_ns(packets, parameters))


def rtt_ns(limit_packets: ArrayLike, parameters: Parameters) -> Floats:
    """RTT under a limit of t packets: a ramp, then a staircase."""
    full = parameters.aggregate_max_packets
    packets = packets_in_card(limit_packets, parameters)
    ramp = 2 * aggregate_ns(packets, parameters)
    stairs = (np.floor(packets / full) + 1) * aggregate_ns(full, parameters)
    return np.asarray(parameters.rtt_base_ns + np.where(packets <= full, ramp, stairs))


def one_packet(parameters: Parameters) -> tuple[float, float]:
    """Goodput (bit/s) and RTT (ns) with a single packet at a time: no aggregation at all."""
    alone_ns = float(aggregate_ns(1, parameters))
    return 8e9 * parameters.packet_bytes / alone_ns, parameters.rtt_base_ns + 2 * alone_ns
