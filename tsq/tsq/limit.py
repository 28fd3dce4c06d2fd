# SPDX-License-Identifier: GPL-2.0-or-later
"""How much of a flow TCP Small Queues lets wait below TCP, in closed form.

As tcp_small_queue_check() has it (Linux 6.1 and 6.12, net/ipv4/tcp_output.c):

    limit = max(2 * truesize of the next skb, rate >> shift)
    limit = min(limit, tcp_limit_output_bytes)                  (if the flow is not paced)

(a flow with no more than one skb that is not acknowledged may send whatever the limit is), and how
large the next skb is, as tcp_tso_autosize() there has it:

    bytes = (rate >> shift) + (gso_max_size >> (min_rtt >> tcp_tso_rtt_log)), at most gso_max_size

The rate is sk_pacing_rate, in bytes per second: a percentage of mss * cwnd / srtt, which is
tcp_pacing_ca_ratio after slow start. A larger percentage therefore is a larger limit. That is all
that the sysctl method does; the names of its two sysctls are in knobs.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

STOCK_SHIFT = 10
"""sk_pacing_shift where no driver writes it: rate / 1024, 0.98 ms (net/core/sock.c)."""
MAC80211_SHIFT = 7
"""What mac80211 writes with each packet: 7.8 ms (net/mac80211/main.c)."""
BRCMFMAC_SHIFT = 8
"""What brcmfmac and rmnet write: 3.9 ms."""

STOCK_CA_RATIO = 120
"""tcp_pacing_ca_ratio as the kernel starts: percent of mss * cwnd / srtt after slow start."""
STOCK_SS_RATIO = 200
"""tcp_pacing_ss_ratio as the kernel starts: percent while cwnd < ssthresh / 2."""
RATIO_MAX = 1000
"""What both accept at most (net/ipv4/sysctl_net_ipv4.c)."""

SKB_HEAD_BYTES = 960
"""What an skb takes beside its data, as measured in a 6.12 guest of the lab; 6.1's has 320 more.

A kernel's options change it by a few hundred bytes, so that what follows from it is an estimate:
good to 1 % for large skbs, to 20 % for those of one packet."""

GSO_HEAD_BYTES = 321
"""What sk_dst_gso_max_size() leaves for headers: MAX_TCP_HEADER and one."""

Term = Literal["time", "two skbs", "bytes"]


@dataclass(frozen=True)
class Knobs:
    """The sysctls of a network namespace that have a part in it, as the kernel starts with them."""

    ca_ratio: int = STOCK_CA_RATIO
    ss_ratio: int = STOCK_SS_RATIO
    limit_output_bytes: int = 1 << 20
    tso_rtt_log: int = 9
    min_tso_segs: int = 2
    # CoTSQ's, of a kernel with its patches: 0 is stock's; None: the kernel has none of the three.
    tsq_us: int | None = None
    tsq_pkts: int | None = None
    tsq_bytes: int | None = None


@dataclass(frozen=True)
class Gso:
    """What a device lets an skb be."""

    max_size: int = 65536
    max_segs: int = 65535


@dataclass(frozen=True)
class Limit:
    """The three terms of a flow's limit; None: it has no part."""

    time_bytes: int
    floor_bytes: int
    cap_bytes: int | None

    @property
    def bytes(self) -> int:
        """How much may be below TCP: once there is more, the flow waits."""
        limit = max(self.time_bytes, self.floor_bytes)
        return limit if self.cap_bytes is None else min(limit, self.cap_bytes)

    @property
    def binds(self) -> Term:
        """The term that the limit is equal to."""
        if self.cap_bytes is not None and self.cap_bytes < max(self.time_bytes, self.floor_bytes):
            return "bytes"
        return "time" if self.time_bytes > self.floor_bytes else "two skbs"


@dataclass(frozen=True)
class Path:
    """What a flow knows of its way."""

    mss: int
    min_rtt_us: int | None  # None: never measured


def skb_data_bytes(rate: int, shift: int, path: Path, gso: Gso, knobs: Knobs) -> int:
    """How much data TCP puts into its next skb, if it has so much: a multiple of the MSS."""
    mss, min_rtt_us = path.mss, path.min_rtt_us
    room = max(gso.max_size - GSO_HEAD_BYTES, mss)
    size = rate >> shift
    # The kernel has a window minimum of "never" until the first sample: no shift is so long.
    halvings = 32 if min_rtt_us is None else min_rtt_us >> knobs.tso_rtt_log
    if halvings < 32:
        size += room >> halvings
    segments = max(min(size, room) // mss, knobs.min_tso_segs)
    return max(min(segments, gso.max_segs, room // mss), 1) * mss


def limit_of(rate: int, shift: int, skb_bytes: int, knobs: Knobs, *, paced: bool) -> Limit:
    """The limit of a flow of that *rate* whose next skb takes *skb_bytes*, all included."""
    time = rate * knobs.tsq_us // 1_000_000 if knobs.tsq_us else rate >> shift
    cap: int | None = None if paced else knobs.limit_output_bytes
    if knobs.tsq_bytes:  # CoTSQ's bound holds for paced flows, too; -1 is no limit at all
        cap = knobs.tsq_bytes if knobs.tsq_bytes > 0 else None
        if cap is None:
            time = (1 << 32) - 1
    packets = knobs.tsq_pkts
    floor = packets * _packet_bytes(skb_bytes) if packets else 2 * skb_bytes
    return Limit(time, floor, cap)


def _packet_bytes(skb_bytes: int) -> int:
    """What one packet of an skb takes: at most a full-sized one with a head of its own."""
    return min(skb_bytes, 1448 + SKB_HEAD_BYTES)


def stock_rate(mss: int, cwnd: int, ssthresh: int, srtt_us: int) -> int:
    """The pacing rate that stock's ratios give, in bytes per second.

    A flow that TSQ has held back since it began is in slow start for good.
    """
    percent = STOCK_SS_RATIO if cwnd < ssthresh // 2 else STOCK_CA_RATIO
    return percent * mss * cwnd * 10_000 // srtt_us if srtt_us else 0


def ms_of_shift(shift: int) -> float:
    """The time that a shift allows at the pacing rate."""
    return 1000 / (1 << shift)


@dataclass(frozen=True)
class Ratios:
    """Values of tcp_pacing_ca_ratio and tcp_pacing_ss_ratio, in percent."""

    ca: int
    ss: int

    def ms(self, shift: int) -> float:
        """How long the limit is on a device of that shift, at the rate of stock's 120 %."""
        return self.ca / STOCK_CA_RATIO * ms_of_shift(shift)


def ratios_for(ms: float, shift: int) -> Ratios | None:
    """The ratios that make a limit of *ms* at stock's rate; None: the sysctl does not go so far.

    A limit of *ms* is measured as CoTSQ's is: at the rate that the flow has with stock's 120 %.
    In slow start the rate is 200 / 120 of that, as far as the sysctl's 1000 allows.
    """
    ca = round(STOCK_CA_RATIO * ms * (1 << shift) / 1000)
    if not 1 <= ca <= RATIO_MAX:
        return None
    return Ratios(ca, min(round(ca * STOCK_SS_RATIO / STOCK_CA_RATIO), RATIO_MAX))


def ms_max(shift: int) -> float:
    """The longest limit that the ratio can make on a device of that shift."""
    return Ratios(RATIO_MAX, RATIO_MAX).ms(shift)
