# SPDX-License-Identifier: GPL-2.0-or-later
"""A cell that follows others: what TCP remembers of them, and what a result has of them."""

import pytest

from tsqlab.metrics import summarise

BUFFER_PACKETS = 100


def of_era(before, *, kept):
    """A New Reno flow behind a short queue, whose client keeps ssthresh or not."""
    return {
        "testbed": {
            "bottleneck": "R10M",
            "qdisc": f"pfifo limit {BUFFER_PACKETS}",
            "sysctl": {"C": {"net.ipv4.tcp_no_ssthresh_metrics_save": 0 if kept else 1}},
        },
        "flows": {"length": "2 s", "delay": "1 s"},
        "sender": {"congestion_control": "reno"},
        "lab": {"before": before},
    }


def first_ssthresh(document):
    samples = document["raw_values"]["TCP upload::1"]
    return next(one for one in samples if "tcp_cwnd" in one).get("tcp_ssthresh")


def test_a_flow_begins_with_the_ssthresh_of_one_before(cell):
    """New Reno cuts to half of what was in flight: of the queue, or of twice that in slow start."""
    alone, forgotten, kept = (
        first_ssthresh(cell(of_era(before, kept=kept)))
        for before, kept in (([], True), (["reno 5 s"], False), (["reno 5 s"], True))
    )
    assert (alone, forgotten) == (None, None), "infinite"
    assert 0.5 * BUFFER_PACKETS <= kept <= 1.1 * BUFFER_PACKETS


def test_a_result_has_nothing_of_what_ran_before(cell):
    """Two tests of 3 s, 8 s before the measurement; its clock and its samples are its own."""
    document = cell(of_era(["cubic 3 s", "bbr 3 s"], kept=False))
    alone = cell(of_era([], kept=False))
    assert list(document["raw_values"]) == list(alone["raw_values"])
    assert document["x_values"] == alone["x_values"]
    assert document["metadata"]["TOTAL_LENGTH"] == alone["metadata"]["TOTAL_LENGTH"] == 4
    begin, end = (f"2023-11-14T22:13:{seconds}" for seconds in ("30", "46"))
    assert alone["metadata"]["T0"].startswith(begin)
    assert document["metadata"]["T0"].startswith(end)
    assert summarise(document)["goodput_mbps"] == pytest.approx(
        summarise(alone)["goodput_mbps"], rel=0.02
    )
    assert document["raw_values"]["Ping (ms) ICMP"][0]["seq"] == 1
