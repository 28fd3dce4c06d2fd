# SPDX-License-Identifier: GPL-2.0-or-later
"""A fast and a slow station at one access point, from an experiment file: who gets what of the air.

Downloads of datagrams, more than the air takes, so that both stations always have something to get.
In what is expected an exchange is charged B, and takes T with AIFS and backoff.
"""

import pytest

from tsqlab.airlink.rates import parse_rate, standard_rate
from tsqlab.metrics import summarise
from tsqlab.model.band import GHZ_2_4, GHZ_5
from tsqlab.model.exchange import Settings, exchange
from tsqlab.model.mac import ATH9K_LIMITS, largest_aggregate, mpdu_bytes

PAYLOAD_BITS = 8 * 1472
FAST, SLOW = "HT40 MCS7 SGI", "HT20 MCS0"  # 150 and 6.5 Mbit/s


@pytest.fixture
def download(cell):
    """Run two downloads, of the fast station F and the slow one L; their metrics."""
    return lambda device, fast, slow: summarise(cell({
        "nodes": {"AP": {}, "F": {}, "L": {}},
        "medium": [{"name": "air", "device": device, "rate": fast,
                    "members": {"AP": "ap", "F": "station",
                                "L": {"role": "station", "rate": slow}}}],
        "flow": [{"from": "AP", "to": node, "kind": "udp", "rate": "100 Mbit/s"} for node in "FL"],
        "flows": {"length": "8 s", "delay": "1 s"},
        # More than the 64 frames that are in the device, so that a queue is never empty.
        "testbed": {"sysctl": {"guest": {"net.core.wmem_default": 1_000_000}}},
    }))  # fmt: skip


def largest(text, band, limits=None):
    """The exchange of the longest aggregate at a rate, and its frames."""
    rate, size = standard_rate(parse_rate(text)), mpdu_bytes(1500)
    frames = largest_aggregate(rate, size, limits)
    return exchange(rate, size, frames, Settings(band=band)), frames


def goodputs_mbps(metrics):
    return [metrics["goodput_mbps_1"], metrics["goodput_mbps_2"]]


def test_mac80211_gives_a_fast_and_a_slow_station_half_of_the_air_each(download):
    """ath9k: airtime within 1 %; goodput within 2 %, of its aggregates of 32 and of 2 frames.

    With equal charges the fast one has 1 / (T_fast + T_slow B_fast / B_slow) exchanges in a second.
    """
    metrics = download("ath9k", FAST, SLOW)
    (fast, frames), (slow, few) = (largest(rate, GHZ_2_4, ATH9K_LIMITS) for rate in (FAST, SLOW))
    slow_per_fast = fast.busy_ns / slow.busy_ns
    fast_per_us = 1e3 / (fast.total_ns + slow.total_ns * slow_per_fast)
    assert metrics["down_airtime_L"] == pytest.approx(metrics["down_airtime_F"], rel=0.01)
    busy = fast.busy_ns * fast_per_us / 1e3
    assert metrics["down_airtime_F"] == pytest.approx(busy, rel=0.02)
    assert metrics["fairness_airtime"] == pytest.approx(1, abs=1e-3)
    expected = [PAYLOAD_BITS * count * fast_per_us for count in (frames, few * slow_per_fast)]
    assert goodputs_mbps(metrics) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("rates", [("54 Mbit/s", "6 Mbit/s"), (FAST, SLOW)])
def test_without_it_each_has_as_many_turns(download, rates):
    """A fullmac device: goodput within 1 %, airtime as long as the turns are, within 1 %.

    With lone frames that is as much goodput for both: the anomaly (Heusse et al., INFOCOM 2003).
    """
    metrics = download("ideal", *rates)
    turns = [largest(rate, GHZ_5) for rate in rates]
    turns_per_us = 1e3 / sum(cycle.total_ns for cycle, _ in turns)
    expected = [PAYLOAD_BITS * frames * turns_per_us for _, frames in turns]
    assert goodputs_mbps(metrics) == pytest.approx(expected, rel=0.01)
    shares = [cycle.busy_ns * turns_per_us / 1e3 for cycle, _ in turns]
    assert [metrics["down_airtime_F"], metrics["down_airtime_L"]] == pytest.approx(shares, rel=0.01)
