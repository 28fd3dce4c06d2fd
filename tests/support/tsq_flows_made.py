# SPDX-License-Identifier: GPL-2.0-or-later
"""A made-up flow and its device, for tests of tsq."""

from dataclasses import replace

from tsq.devices import Device, Shift
from tsq.flows import Flow
from tsq.limit import Gso, Knobs
from tsq.view import view_of

MSS = 1448
WIRE = Device(
    name="eth0", index=2, kind="e1000e", up=True, wireless=False, mac80211=False,
    shift=Shift(10, "inferred: the kernel's own"), queue="fq_codel", gso=Gso(), fq=False,
)  # fmt: skip
SINGLE = replace(WIRE, gso=Gso(max_segs=1))

# 100 Mbit/s over a path of 20 ms that has room for more: 10 packets are an skb, TSQ has 31 kB.
FLOW = Flow(
    cookie=1, inode=2, source="192.0.2.7", source_port=40000, destination="198.51.100.9", port=443,
    interface=0, control="cubic", rate=15_000_000, rate_max=None, below_bytes=10_000,
    unsent_bytes=500_000, mss=MSS, cwnd=200, ssthresh=200, in_flight=100, window_bytes=3_000_000,
    flying_bytes=144_800, srtt_us=20_000, min_rtt_us=20_000, busy_us=0, receiver_us=0,
    buffer_us=0, sent_bytes=0,
)  # fmt: skip


def view(device=WIRE, knobs=None, exact=None, **changes):
    return view_of(replace(FLOW, **changes), device, knobs or Knobs(), exact)
