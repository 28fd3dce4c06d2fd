# SPDX-License-Identifier: GPL-2.0-or-later
"""WQM's arithmetic: how long a queue may be, from how fast the air drains it.

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
"""

from __future__ import annotations

SLOT_NS, SIFS_NS, DIFS_NS, PHY_NS = 9_000, 16_000, 34_000, 33_000
CW_MIN = 15
BASIC_BIT_PER_S = 6_000_000
MAC_BYTES, DATA_BYTES, TCP_ACK_BYTES, BLOCK_ACK_BYTES = 38, 1_500, 40, 30
AGGREGATE_MAX_FRAMES, AGGREGATE_MAX_BYTES = 64, 65_535

DRAIN_LIMIT_NS = 2_500_000
"""A frame's time at the lowest rate, 6.5 Mbit/s: the drain time that is aimed at."""
BUFFER_MAX_PACKETS = 95
"""The bandwidth-delay product at 600 Mbit/s and 1.9 ms."""


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
