# SPDX-License-Identifier: GPL-2.0-or-later
"""Hops over radios, from the keys of an experiment: against the exact simulation of who hears whom.

A saturated source sends datagrams of 1500 bytes of IP to the end of its chain, in frames alone.
"""

import pytest

from peers import chain
from tsqlab.metrics import trace
from tsqlab.model import hearing
from tsqlab.model.hearing import Traffic
from tsqlab.model.mac import mpdu_bytes
from tsqlab.model.phy import Rate

RATE = Rate("HT", 40, 1, 7, 400)
PAYLOAD_BITS = 8 * 1472
SINGLES = {"aggregate_frames": 1, "ppdu_tries": 7, "frame_tries": 255}
MODEL_SECONDS = 12


def saturated(cell, testbed, seconds):
    """The goodput of a saturated flow from C to S, without its first second."""
    document = cell({
        "testbed": {"rate": "HT40 MCS7 SGI", "qdisc": "pfifo limit 1000", **testbed},
        "flow": [{"from": "C", "to": "S", "kind": "udp"}],
        "flows": {"length": f"{seconds} s", "delay": "0 s"},
    })  # fmt: skip
    (flow,) = trace(document).flows
    return flow.mean_mbps(1, seconds)


def simulated_mbps(hops, *, near):
    traffic = Traffic(RATE, mpdu_bytes(1500))
    model = hearing.simulate(chain(hops, near=near), traffic, MODEL_SECONDS)
    return PAYLOAD_BITS * model.received_per_s[-1].value / 1e6


@pytest.mark.parametrize("hears", ["all", "next"])
@pytest.mark.parametrize("hops", range(1, 6))
def test_a_chain_of_peers_carries_what_the_exact_simulation_says(cell, hops, hears):
    """Within 3 %."""
    keys = {"layout": "wifi-chain", "hops": hops, "hears": hears, "device": "ideal",
            "profile": SINGLES}  # fmt: skip
    mbps = saturated(cell, keys, 17)
    assert mbps == pytest.approx(simulated_mbps(hops, near=hears == "next"), rel=0.03)
