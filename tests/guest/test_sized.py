# SPDX-License-Identifier: GPL-2.0-or-later
"""qdisc = "wqm": what sizes a fullmac radio's queue is the policy, on what the radio counts."""

import numpy as np
import pytest

from tsqlab.metrics import summarise
from tsqlab.model.wqm import Interval, Policy

ALARMS = {None: 0, "low": 1, "high": 2}
FLOWS = {"test": "tcp_nup", "length": "6 s", "delay": "1 s"}


def chain(**testbed):
    return {
        "testbed": {"layout": "wifi-chain", "device": "ath9k_3.9", "qdisc": "wqm", **testbed},
        "flows": FLOWS,
        "sender": {"tsq": "NoTSQ"},
        "lab": {"era": "4.13"},
    }


@pytest.mark.parametrize(
    "testbed",
    [
        {"rate": "HT20 MCS15 SGI", "hops": 1},
        {"rate": "HT20 MCS1", "hops": 2},
        {"rate": "HT20 MCS7", "hops": 1, "qdisc": "wqm limit 1ms interval 50ms"},
    ],
)
def test_the_agent_decides_as_the_model(cell, testbed):
    document = cell(chain(**testbed))
    limit_ns = 1_000_000 if "qdisc" in testbed else 2_500_000
    series = [name for name in document["raw_values"] if name.startswith("wqm_")]
    assert len(series) == testbed["hops"] + 1
    for name in series:
        rows = document["raw_values"][name]
        every_s = 0.05 if "qdisc" in testbed else 0.1
        assert np.diff([row["t"] for row in rows]) == pytest.approx(every_s, abs=1e-6)
        policy = Policy(limit_ns)
        for row in rows:
            seen = Interval(
                row["rate_kbps"], row["backlog_bytes"], row["free_permille"], bool(row["sent"])
            )
            assert (policy.step(seen) or 0, ALARMS[policy.alarm]) == (
                row["limit_packets"], row["alarm"],
            )  # fmt: skip
        assert len({row["limit_packets"] for row in rows}) > 1, "it moves"


def test_a_queue_that_always_stands_is_as_long_as_an_aggregate(cell):
    """20 Mbit/s are offered to 13: the limit is halved to B_min, 4 packets, and is the queue's."""
    flood = {**FLOWS, "test": "udp_flood", "udp_rate": "20 Mbit/s"}
    # A socket's usual buffer holds fewer packets than the driver does.
    buffer = {"guest": {"net.core.wmem_default": 4_000_000}}
    document = cell({**chain(rate="HT20 MCS1", hops=1, sysctl=buffer), "flows": flood})
    rows = document["raw_values"]["wqm_C"]
    begin = next(place for place, row in enumerate(rows) if row["drain_us"] > 2500)
    limits = [row["limit_packets"] for row in rows[begin:]]
    first = limits[0]
    halved = [max(first >> halvings, 4) for halvings in range(4)]
    assert limits[:4] == halved, "the first look sets the alarm, and each other halves"
    assert max(limits[4:40]) <= 9, "it goes on about B_min"
    queue = document["raw_values"]["qdisc_stats_C>air"]
    late = [row["backlog_pkts"] for row in queue if 4 < row["t"] - queue[0]["t"] < 6]
    assert 1 < max(late) <= max(limits[4:40])


def test_the_share_of_the_air_is_what_others_leave(cell):
    """Alone, a sender has nearly all of it; a relay leaves the source no more than it takes."""
    free = {}
    for hops in (1, 2):
        document = cell(chain(rate="HT20 MCS7", hops=hops))
        rows = [row for row in document["raw_values"]["wqm_C"] if row["sent"]][20:-20]
        free[hops] = np.mean([row["free_permille"] for row in rows]) / 1000
    assert free[1] > 0.85, "ACKs and block acks are the receiver's"
    assert 0.3 < free[2] < 0.65


def test_delay_is_cut_and_goodput_is_kept(cell):
    sized = summarise(cell(chain(hops=1)))
    default = summarise(cell(chain(qdisc="pfifo limit 1000", hops=1)))
    assert sized["tcp_rtt_ms_mean"] < default["tcp_rtt_ms_mean"] / 3
    assert sized["goodput_mbps"] > 0.9 * default["goodput_mbps"]
