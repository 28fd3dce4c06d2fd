# SPDX-License-Identifier: GPL-2.0-or-later
"""Hops over radios, from the keys of an experiment: against the exact simulation of who hears whom.

A saturated source sends datagrams of 1500 bytes of IP to the end of its chain, in frames alone.
"""

from dataclasses import replace

import pytest

from peers import chain
from tsqlab.metrics import trace
from tsqlab.model import hearing
from tsqlab.model.edca import STATION
from tsqlab.model.hearing import Traffic
from tsqlab.model.mac import mpdu_bytes
from tsqlab.model.phy import Rate

RATE = Rate("HT", 40, 1, 7, 400)
PAYLOAD_BITS, MPDU_BYTES = 8 * 1472, mpdu_bytes(1500)
SINGLES = {"aggregate_frames": 1, "ppdu_tries": 7, "frame_tries": 255}
SOFTMAC = {
    "device": "ath9k",
    "profile": {
        **SINGLES,
        "band": "5 GHz",
        "aggregates_ahead": 1,
        "singles_ahead": 1,
        "receive_wait": "0 us",  # a relay hears of each frame at once, as in the model
    },
}
MODEL_SECONDS = 12


def saturated(cell, testbed, seconds, **udp):
    """The goodput of a saturated flow from C to S, without its first second."""
    document = cell({
        "testbed": {"rate": "HT40 MCS7 SGI", **testbed},
        "flow": [{"from": "C", "to": "S", "kind": "udp", **udp}],
        "flows": {"length": f"{seconds} s", "delay": "0 s"},
    })  # fmt: skip
    (flow,) = trace(document).flows
    return flow.mean_mbps(1, seconds)


def simulated_mbps(hops, *, near, mpdu=MPDU_BYTES, access=STATION["BE"]):
    nodes = [replace(node, access=access) for node in chain(hops, near=near)]
    model = hearing.simulate(nodes, Traffic(RATE, mpdu), MODEL_SECONDS)
    return PAYLOAD_BITS * model.received_per_s[-1].value / 1e6


@pytest.mark.parametrize("hears", ["all", "next"])
@pytest.mark.parametrize("hops", range(1, 6))
def test_a_chain_of_peers_carries_what_the_exact_simulation_says(cell, hops, hears):
    """Within 3 %."""
    keys = {"layout": "wifi-chain", "hops": hops, "hears": hears, "device": "ideal",
            "qdisc": "pfifo limit 1000", "profile": SINGLES}  # fmt: skip
    mbps = saturated(cell, keys, 17)
    assert mbps == pytest.approx(simulated_mbps(hops, near=hears == "next"), rel=0.03)


@pytest.mark.parametrize("hears", ["all", "next"])
def test_an_ibss_of_three_hops_carries_what_the_exact_simulation_says(cell, hears):
    """Within 3 %, of which four beacons of 0.2 ms in 102.4 ms take a part.

    mac80211 contends as without QoS in an IBSS: after DIFS, which is AIFS with two slots.
    """
    mbps = saturated(cell, {"layout": "wifi-chain", "hops": 3, "hears": hears, **SOFTMAC}, 17)
    without_qos = replace(STATION["BE"], aifsn=2)
    expected = simulated_mbps(3, near=hears == "next", access=without_qos)
    assert mbps == pytest.approx(expected, rel=0.03)


MESH_BYTES = mpdu_bytes(1500, four_addresses=True) + 6
"""With the Mesh Control field."""


def test_a_mesh_of_three_hops_carries_what_the_exact_simulation_says(cell):
    """Within 3 %, which leaves room for beacons, path requests and what these collide with."""
    mbps = saturated(cell, {"layout": "mesh", "hops": 3, **SOFTMAC}, 17, rate="60 Mbit/s")
    assert mbps == pytest.approx(simulated_mbps(3, near=True, mpdu=MESH_BYTES), rel=0.03)


def test_each_gives_the_same_bytes_twice(cell):
    """Peers, an IBSS, a mesh: TCP over two hops of each, with losses."""
    for keys in ({"device": "ideal"}, {"device": "ath9k"}, {"layout": "mesh"}):
        spec = {
            "testbed": {"layout": "wifi-chain", "hops": 2, "loss": "1 %", **keys},
            "flows": {"length": "1 s", "delay": "500 ms"},
        }
        first, second = (cell(spec) for _ in range(2))
        assert first == second
        assert trace(first).flows[0].mean_mbps(0.5, 1.5) > 10
