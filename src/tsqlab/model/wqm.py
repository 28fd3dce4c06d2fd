# SPDX-License-Identifier: GPL-2.0-or-later
"""WQM: how long a queue may be, from how fast the air drains it.

The ``wqm`` paper starts with the bytes that a path of one hop holds, R * ART_T, where ART_T is
the time of an aggregate of K frames and of the TCP ACKs that come back for it:

    T_data = T_BO + DIFS + 2 T_PHY + SIFS + T_BACK + K   (T_MAC + T_DATA)
    T_ack  = T_BO + DIFS + 2 T_PHY + SIFS + T_BACK + K/2 (T_MAC + T_TCPACK)
    ART_T  = T_data + T_ack
    B_initial = R * ART_T

and then follows the time that the backlog BL takes to drain, F being the share of the air that
is left for this node: T_drain = (BL / R) / F. The block ack goes at the basic rate. The constants
are the paper's, which differ a little from ours (T_BO is (CWmin - 1) / 2 slots, T_PHY 33 us). The
paper's 1.9 ms and 95 packets at 600 Mbit/s are 64 frames: 1.78 ms and 89 packets here.

The policy, once an interval, with B for the queue's limit in packets, and two alarms of which at
most one is on:

    if T_drain > limit and B > B_min:
        if high alarm: B = max(B / 2, B_min)        else: high on, low off
    elif T_drain < limit and B < B_max:
        if low alarm:  B = B + 1                    else: low on, high off

So nothing is done before the second interval of a kind, and each further one of that kind acts
again. ``wqm/policy.c``, which hosts run, is the same in C; :class:`Policy` is what it is held
against. Both count in integers, so that they are equal and not nearly so, and round down.

What the paper leaves open, and what is done here:

- B_min is "the K that the rate allows". An A-MPDU may have 64 frames, 65,535 bytes and 4 ms, all at
  once (the 4 ms are ath9k's, the paper's driver): of frames of 1538 bytes 4 at 13 Mbit/s, 21 at 65,
  and 42 from 130 Mbit/s on. Two would be within 4 ms at 6.5 Mbit/s, but there, the paper says,
  ath9k does not aggregate: so up to that rate it is 1.
- B_max is 95 packets at any rate: what the paper has for 600 Mbit/s, the fastest 802.11n. It is
  too little for faster radios: 95 packets are 1 ms at 1.1 Gbit/s.
- B is kept between its bounds when they move: it rises at once with a rate that lets longer
  aggregates be. It falls by halves only.
- An interval that does neither leaves the alarms, as the pseudocode has it.
- B / 2 is rounded down, and so is B_initial.
- An interval in which nothing was sent is no interval: its rate is old. So is one whose rate is not
  known, or 0. B and the alarms are kept.
- F is never less than 0.05. Below that it would say more of the clock that measures it than of the
  channel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SLOT_NS, SIFS_NS, DIFS_NS, PHY_NS = 9_000, 16_000, 34_000, 33_000
CW_MIN = 15
BASIC_BIT_PER_S = 6_000_000
MAC_BYTES, DATA_BYTES, TCP_ACK_BYTES, BLOCK_ACK_BYTES = 38, 1_500, 40, 30
AGGREGATE_MAX_FRAMES, AGGREGATE_MAX_BYTES, AGGREGATE_MAX_NS = 64, 65_535, 4_000_000
UNAGGREGATED_MAX_KBPS = 6_500
"""The lowest rate of 802.11n: ath9k sends single frames there, the paper says."""

DRAIN_LIMIT_NS = 2_500_000
"""A frame's time at the lowest rate, 6.5 Mbit/s: the drain time that is aimed at."""
BUFFER_MAX_PACKETS = 95
"""The bandwidth-delay product at 600 Mbit/s and 1.9 ms."""
FREE_MIN_PERMILLE = 50
BACKLOG_MAX_BYTES = 2**31 - 1
"""More than any queue holds; so the drain time's numerator is within 64 bits in C."""
RATE_MAX_KBPS = 2**32 - 1


def aggregate_frames() -> int:
    """K with 64 KB for a limit, and so B_min: the paper counts up to 64 frames *or* 64 KB."""
    return min(AGGREGATE_MAX_FRAMES, AGGREGATE_MAX_BYTES // (MAC_BYTES + DATA_BYTES))


def round_trip_ns(rate_bit_per_s: float, frames: int) -> float:
    """ART_T: an aggregate of so many frames, and the TCP ACKs for it."""
    backoff_ns = (CW_MIN - 1) * SLOT_NS / 2
    block_ack_ns = 8e9 * BLOCK_ACK_BYTES / BASIC_BIT_PER_S
    access_ns = backoff_ns + DIFS_NS + 2 * PHY_NS + SIFS_NS + block_ack_ns
    bytes_both_ways = frames * (MAC_BYTES + DATA_BYTES) + frames / 2 * (MAC_BYTES + TCP_ACK_BYTES)
    return 2 * access_ns + 8e9 * bytes_both_ways / rate_bit_per_s


def initial_buffer_packets(rate_bit_per_s: float, frames: int) -> float:
    """B_initial in packets: what the path holds during ART_T."""
    return rate_bit_per_s * round_trip_ns(rate_bit_per_s, frames) / 8e9 / DATA_BYTES


def drain_ns(backlog_bytes: float, rate_bit_per_s: float, free_share: float) -> float:
    """T_drain of a backlog, if the channel is free for us that share of the time."""
    if not 0 < free_share <= 1:
        raise ValueError(f"a share of the time is in (0, 1], not {free_share}")
    return 8e9 * backlog_bytes / rate_bit_per_s / free_share


def buffer_min_packets(rate_kbps: int) -> int:
    """B_min: the frames of an aggregate that the rate allows, one at least."""
    if rate_kbps <= UNAGGREGATED_MAX_KBPS:
        return 1
    bytes_in_time = rate_kbps * AGGREGATE_MAX_NS // 8_000_000
    return min(
        AGGREGATE_MAX_FRAMES, min(AGGREGATE_MAX_BYTES, bytes_in_time) // (MAC_BYTES + DATA_BYTES)
    )


def buffer_start_packets(rate_kbps: int) -> int:
    """B_initial, between the bounds of the rate: what R * ART_T holds, in whole packets."""
    frames = buffer_min_packets(rate_kbps)
    access_ns = (CW_MIN - 1) * SLOT_NS // 2 + DIFS_NS + 2 * PHY_NS + SIFS_NS
    access_ns += 8_000_000_000 * BLOCK_ACK_BYTES // BASIC_BIT_PER_S
    # A TCP ACK for each second frame.
    half_bytes = frames * (2 * (MAC_BYTES + DATA_BYTES) + MAC_BYTES + TCP_ACK_BYTES)
    held_bytes = (rate_kbps * 2 * access_ns + 4_000_000 * half_bytes) // 8_000_000
    return min(max(held_bytes // DATA_BYTES, frames), BUFFER_MAX_PACKETS)


@dataclass(frozen=True)
class Interval:
    """What was seen in one interval, as integers."""

    rate_kbps: int
    """R, up to RATE_MAX_KBPS; 0 if it is not known."""
    backlog_bytes: int
    """BL. More than BACKLOG_MAX_BYTES count as so many."""
    free_permille: int
    """F, up to 1000. Less than FREE_MIN_PERMILLE count as so many."""
    sent: bool
    """Whether anything was sent; if not, the rate is old."""

    @property
    def drain_ns(self) -> int:
        """T_drain. Raises ZeroDivisionError if the rate is 0."""
        backlog_bytes = min(self.backlog_bytes, BACKLOG_MAX_BYTES)
        free_permille = max(self.free_permille, FREE_MIN_PERMILLE)
        return 8_000_000_000 * backlog_bytes // (self.rate_kbps * free_permille)


class Policy:
    """The queue's limit, interval after interval."""

    def __init__(self, drain_limit_ns: int = DRAIN_LIMIT_NS) -> None:
        """Begin without a limit: the first interval with a rate gives it."""
        self.drain_limit_ns = drain_limit_ns
        self.buffer_packets: int | None = None
        self.alarm: Literal["high", "low"] | None = None

    def step(self, seen: Interval) -> int | None:
        """B after an interval; None until one had a rate."""
        if not seen.sent or not seen.rate_kbps:
            return self.buffer_packets
        least = buffer_min_packets(seen.rate_kbps)
        if self.buffer_packets is None:
            self.buffer_packets = buffer_start_packets(seen.rate_kbps)
        self.buffer_packets = max(self.buffer_packets, least)
        drain_ns = seen.drain_ns
        if drain_ns > self.drain_limit_ns and self.buffer_packets > least:
            if self.alarm == "high":
                self.buffer_packets = max(self.buffer_packets // 2, least)
            self.alarm = "high"
        elif drain_ns < self.drain_limit_ns and self.buffer_packets < BUFFER_MAX_PACKETS:
            if self.alarm == "low":
                self.buffer_packets += 1
            self.alarm = "low"
        return self.buffer_packets
