# SPDX-License-Identifier: GPL-2.0-or-later
"""What limited a flow, where it is known beforehand: the testbed has been made so."""

import pytest

from tsqlab.metrics import summarise, trace
from tsqlab.metrics.limits import BOUNDS, flow_limits

SHORT = {"length": "4 s", "delay": "1 s"}
SINGLE = {"offloads": "off", "truesize": "kernel"}  # a packet an skb, which counts as it does


def bounds(document):
    """The shares of what bound the flows, by the middle of their metrics' names."""
    metrics = summarise(document)
    return {name[len("bound_") : -len("_share")]: metrics[name] for name in BOUNDS}


def wired(sysctl=None, flows=SHORT, sender=None, **testbed):
    return {
        "testbed": {"base_rtt": "20 ms", "sysctl": sysctl or {}, **testbed},
        "flows": flows,
        "sender": sender or {},
    }


def wifi(tsq="TSQ", control="cubic", test="tcp_nup", rate="0 bit/s", **testbed):
    return {
        "testbed": {"layout": "wifi", **testbed},
        "flows": {"test": test, "udp_rate": rate, **SHORT},
        "sender": {"tsq": tsq, "congestion_control": control, **SINGLE},
    }


def own_buffer(node, name, most):
    """A sysctl of one node: its buffers are of *most* bytes at the most."""
    return {node: {f"net.ipv4.tcp_{name}": f"4096 16384 {most}"}}


CASES = {
    "rwnd": wired(own_buffer("S", "rmem", 65536)),
    "sndbuf": wired(own_buffer("C", "wmem", 131072)),
    # A hundredth of the packets is lost: sqrt(3/2 / 0.01) of them are in flight.
    "cwnd": wired(egress={"R>S": {"loss": "1 %"}}, sender={"congestion_control": "reno"}),
    "wire": wired(bottleneck="R100M", qdisc="fq_codel", base_rtt="0 s"),
    "app": wired(flows={"test": "udp_flood", "udp_rate": "50 Mbit/s", **SHORT}),
    "tsq_shift": wifi(),
    "tsq_us": wifi("2TSQ"),
    "tsq_pkts": wifi("10pkts"),
    "tsq_bytes": wifi("bytes=20000+us=100000"),
    "air": wifi("NoTSQ"),
}


@pytest.mark.parametrize("bound", CASES)
def test_the_bound_is_what_the_testbed_was_made_for(cell, bound):
    found = bounds(cell(CASES[bound]))
    assert found[bound] > 0.9, found
    assert 0.97 < sum(found.values()) < 1.0001


def test_stocks_time_is_named_whoever_writes_it(cell):
    """Where packets are to count as in Linux 4.13, stock's time is written as tcp_tsq_us."""
    spec = {"testbed": {"layout": "wifi"}, "flows": SHORT, "lab": {"era": "4.13"}}
    found = bounds(cell(spec))
    assert found["tsq_shift"] > 0.9, found


@pytest.mark.parametrize("device", ["ath9k", "ath10k", "brcmfmac"])
def test_more_below_a_radio_that_is_full_gains_nothing(cell, device):
    """With loss on the air aggregates are short, and none of it is the sender's to change."""
    document = cell(wifi("NoTSQ", device=device, loss="5 %"))
    assert bounds(document)["air"] > 0.85, bounds(document)


@pytest.mark.parametrize("device", ["ath9k_htc", "ath9k", "ath10k"])
def test_a_limit_binds_until_the_knee(cell, device):
    """Where TSQ is said to bind a larger limit has more goodput; where the radio is, it has not.

    A knee is where it is within 3 % of the most.
    """
    tight, enough, unlimited = (cell(wifi(tsq, device=device)) for tsq in ("2TSQ", "6TSQ", "NoTSQ"))
    most = summarise(unlimited)["goodput_mbps"]
    assert summarise(tight)["goodput_mbps"] < 0.97 * most
    assert bounds(tight)["tsq_us"] > 0.9
    assert summarise(enough)["goodput_mbps"] > 0.97 * most
    assert bounds(enough)["air"] > 0.9


def test_bbr_is_paced(cell):
    """Its rate is of its own finding, and stock TSQ spoils what it finds."""
    document = cell(wifi("TSQ", "bbr"))
    found, metrics = bounds(document), summarise(document)
    assert found["pacing"] > 0.3
    # At such a rate a millisecond is less than the two packets that may always go.
    assert found["pacing"] + found["tsq_pkts"] + found["tsq_shift"] > 0.95, found
    assert metrics["pacing_limited_share"] == pytest.approx(found["pacing"], abs=0.02)


def test_cubic_is_not_paced(cell):
    assert summarise(cell(wifi("2TSQ")))["pacing_limited_share"] == 0


def test_a_flood_of_datagrams_is_bound_by_its_buffer_where_aggregates_are_longer(cell, tmp_path):
    """92 datagrams fit into it, and the radio could send 256 at one go; ath9k_htc's 17 it fills."""
    fast = tmp_path / "fast.toml"
    fast.write_text(
        '# A fast radio.\nkind = "airlink"\ntitle = "fast"\nfront = "fullmac"\nband = "5 GHz"\n'
        'rate = "HE80 MCS11 2ss"\naggregate_frames = 256\nwindow_frames = 256\n'
    )
    document = cell(wifi(test="udp_flood", device=str(fast)))
    assert bounds(document)["sndbuf"] > 0.9
    sample = document["raw_values"]["UDP upload"][len(document["raw_values"]["UDP upload"]) // 2]
    assert sample["udp_blocked"] == 1
    assert sample["udp_send_buffer_bytes"] == 212992
    assert sample["udp_wmem_alloc_bytes"] > 0.95 * 212992
    assert summarise(document)["aggregate_mean"] < 60
    slow = bounds(cell(wifi(test="udp_flood")))
    assert slow["air"] > 0.9


def test_what_the_wire_carries_is_told(cell):
    """HTB counts 1514 bytes of each packet of 1500, a card 1538."""
    shaped = summarise(cell(wired(bottleneck="R100M", qdisc="fq_codel", base_rtt="0 s")))
    assert shaped["wire_busy_share"] == pytest.approx(1, abs=0.01)
    line = summarise(cell(wired(bottleneck="LR100M", base_rtt="0 s")))
    assert line["wire_busy_share"] == pytest.approx(1, abs=0.01)


def test_the_kernels_clocks_are_of_the_time_that_the_flow_ran(cell):
    rows = cell(CASES["rwnd"])["raw_values"]["TCP upload::1"]
    first, last = rows[0], rows[-2]
    time_us = (last["t"] - first["t"]) * 1e6
    assert last["tcp_busy_us"] - first["tcp_busy_us"] == pytest.approx(time_us, rel=0.01)
    assert 0.8 * time_us < last["tcp_rwnd_limited_us"] - first["tcp_rwnd_limited_us"] <= time_us


def each(document):
    """What bound each flow for most of the time, by the middle of the metric's name."""
    flows = flow_limits(trace(document))
    largest = (max(flow.bound, key=flow.bound.get) for flow in flows)
    assert all(max(flow.bound.values()) > 0.9 for flow in flows), flows
    return [name[len("bound_") : -len("_share")] for name in largest]


def test_each_flow_of_a_parking_lot_has_the_bound_of_its_own_way(cell):
    """The second link is narrow, and the flow over the first alone has a small window."""
    spec = wired(
        own_buffer("S1", "rmem", 65536),
        flows={"streams": 3, **SHORT},
        layout="parking-lot",
        egress={"R2>R3": {"rate": "20 Mbit/s", "qdisc": "fq_codel"}},
    )
    assert each(cell(spec)) == ["wire", "rwnd", "wire"]


def test_flows_over_radios_and_wires_of_a_graph_have_their_own_bounds(cell):
    """A slow wire behind the radio one way, and the radio itself the other."""
    spec = {
        "nodes": {"X": {}, "B": {}, "Y": {}},
        "medium": [{"name": "air", "device": "ath9k", "members": {"B": "ap", "X": "station"}}],
        "link": [{"between": ["B", "Y"], "delay": "2 ms", "rate": {"B>Y": "10 Mbit/s"},
                  "qdisc": "pfifo limit 300"}],
        "flow": [{"from": "X", "to": "Y"},
                 {"from": "Y", "to": "X", "kind": "udp", "rate": "300 Mbit/s"}],
        "flows": SHORT,
        "sender": {"tsq": "NoTSQ"},
        "testbed": {"sysctl": {"guest": {"net.core.wmem_default": 2_000_000}}},
    }  # fmt: skip
    assert each(cell(spec)) == ["wire", "air"]
