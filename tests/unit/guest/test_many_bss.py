# SPDX-License-Identifier: GPL-2.0-or-later
"""Many BSSs under mac80211: each is told from the others, and all are there when clocks start."""

import pytest

from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.instants import t0_ns
from tsqlab.guest.plan import make_plan
from tsqlab.guest.testbed import wiring


def made(tables):
    spec = Spec.model_validate({"title": "", **tables})
    others = {name: load_profile(name) for name in spec.testbed.graph.devices}
    profile = load_profile(spec.testbed.device)
    return spec, wiring(spec, profile, others), make_plan(spec, profile, others)


def channels(count, stations, device="ath9k"):
    """An access point with a radio on each of so many channels, with so many stations each."""
    nodes = {"AP": {}, **{f"C{i}x{n}": {"server": "AP"}
                          for i in range(count) for n in range(stations)}}  # fmt: skip
    media = [
        {"name": f"air{i}", "device": device,
         "members": {"AP": "ap", **{f"C{i}x{n}": "station" for n in range(stations)}}}
        for i in range(count)
    ]  # fmt: skip
    return {"nodes": nodes, "medium": media}


def test_a_node_with_several_access_points_has_a_network_of_each():
    """Each hostapd has a file of its own, for its own device, and a network of its own."""
    _, _, plan = made(channels(3, 1))
    lines = [text.splitlines() for name, text in plan.batches.items() if name.endswith(".conf")]
    settings = [dict(line.split("=", 1) for line in text) for text in lines]
    assert [one["interface"] for one in settings] == ["w1", "w3", "w5"]
    assert len({one["ssid"] for one in settings}) == 3
    started = [line for line in plan.set_up if "hostapd" in line]
    assert len({line[-1] for line in started}) == 3
    joined = [line[-2] for line in plan.set_up if "connect" in line]
    assert joined == [one["ssid"] for one in settings]


@pytest.mark.parametrize(
    ("tables", "t0_s"),
    [
        (channels(1, 40), 10),
        (channels(5, 4), 14),
        (channels(1, 100), 22),
        (channels(1, 100, "ath9k_htc"), 10),
        ({"testbed": {"layout": "wifi", "device": "ath10k", "stations": 250}}, 52),
        ({"lab": {"before": ["cubic 10 s"]}, **channels(1, 100)}, 22 + 15),
    ],
)
def test_clocks_start_when_all_are_there(tables, t0_s):
    spec, wired, plan = made(tables)
    assert t0_ns(spec, wired.set_up_ns) == t0_s * 10**9
    clocks = [int(line[1]) for line in plan.measurement if line[0] == "clock"]
    assert clocks[-1] == t0_ns(spec, wired.set_up_ns)
    assert min(clocks) >= wired.set_up_ns
