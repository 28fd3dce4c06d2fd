# SPDX-License-Identifier: GPL-2.0-or-later
"""Traffic over the wired testbed: goodput where arithmetic says it must be."""

import json
import re

import numpy as np
import pytest

from tsqlab.experiment.testbed.keys import TC_QDISCS
from tsqlab.guest.testbed import LEAF_MAJOR
from tsqlab.metrics import summarise
from tsqlab.results.measurement import read_table

ETHERNET = 14  # bytes of header: what HTB counts of a frame, beside the IP packet
TCP_IP = 20 + 32  # headers with the timestamp option

SHORT = {"length": "10 s", "delay": "1 s"}


def tcp_mbps(rate_mbps, mtu=1500):
    """Goodput of TCP under HTB at a rate."""
    return rate_mbps * (mtu - TCP_IP) / (mtu + ETHERNET)


@pytest.mark.parametrize("bottleneck", ["L10M", "R10M", "L100M", "R100M"])
@pytest.mark.parametrize("control", ["cubic", "bbr"])
def test_tcp_fills_the_bottleneck(cell, bottleneck, control):
    document = cell(
        {
            "testbed": {"bottleneck": bottleneck, "qdisc": "fq_codel"},
            "flows": SHORT,
            "sender": {"congestion_control": control},
        }
    )
    goodput = summarise(document)["goodput_mbps"]
    assert goodput == pytest.approx(tcp_mbps(int(bottleneck[1:-1])), rel=0.03)


@pytest.mark.parametrize("qdisc", TC_QDISCS)
def test_every_qdisc_can_be_the_bottlenecks(cell, qdisc):
    options = {"red": " limit 400000 avpkt 1000 bandwidth 10mbit", "bfifo": " limit 100000"}
    document = cell(
        {
            "testbed": {"bottleneck": "R10M", "qdisc": qdisc + options.get(qdisc, "")},
            "flows": {"length": "5 s", "delay": "1 s"},
        }
    )
    assert summarise(document)["goodput_mbps"] == pytest.approx(tcp_mbps(10), rel=0.1)
    backlog = [row["backlog_bytes"] for row in document["raw_values"]["qdisc_stats_R>S"]]
    assert max(backlog) > 0


@pytest.mark.parametrize(
    ("test", "series"),
    [
        ("tcp_nup", ["TCP upload::1", "TCP upload::2"]),
        ("tcp_ndown", ["TCP download::1", "TCP download::2"]),
        ("tcp_upload", ["TCP upload"]),
        ("tcp_download", ["TCP download"]),
        ("tcp_bidirectional", ["TCP upload", "TCP download"]),
        ("rrul", ["TCP upload BE", "TCP download EF", "Ping (ms) UDP BK"]),
        ("rrul_be", ["TCP upload BE", "TCP download BE4", "Ping (ms) UDP BE3"]),
        ("udp_flood", ["UDP upload"]),
        ("ping", ["Ping (ms) ICMP", "Ping (ms) UDP"]),
    ],
)
def test_every_test_measures_its_series(cell, test, series):
    document = cell(
        {
            "testbed": {"bottleneck": "LR100M"},
            "flows": {"test": test, "streams": 2, "udp_rate": "20 Mbit/s", **SHORT},
        }
    )
    for name in series:
        middle = [value for value in document["results"][name][30:100] if value is not None]
        assert len(middle) > 60
        assert np.mean(middle) > 0


def test_a_probe_is_sent_in_each_step_where_those_before_it_wait(cell):
    """One of UDP that finds no room in its socket is lost: none after it is late for it."""
    document = cell(
        {
            "testbed": {"bottleneck": "L1M", "qdisc": "pfifo limit 5000"},
            "sender": {"tsq": "NoTSQ", "congestion_control": "reno"},
            "flows": {"test": "rrul_be", "length": "12 s", "delay": "1 s", "step": "10 ms"},
        }
    )
    answers = document["raw_values"]["Ping (ms) UDP BE1"]
    sent = np.rint([(row["t"] - row["val"] / 1e3) / 0.01 for row in answers])
    numbers = np.array([row["seq"] for row in answers])
    assert np.ptp(sent - numbers) == 0


def test_udp_keeps_its_rate(cell):
    document = cell(
        {"flows": {"test": "udp_flood", "udp_rate": "50 Mbit/s", "length": "5 s", "delay": "1 s"}}
    )
    assert summarise(document)["goodput_mbps"] == pytest.approx(50, rel=0.001)


def test_base_rtt_is_the_propagation_of_the_link(cell):
    spec = {"flows": {"test": "ping", "length": "5 s", "delay": "1 s"}}
    near = summarise(cell({**spec, "testbed": {}}))["ping_ms_p50"]
    far = summarise(cell({**spec, "testbed": {"base_rtt": "20 ms"}}))["ping_ms_p50"]
    # Near, an answer comes while samplers of the same instant still read the clock.
    assert far - near == pytest.approx(20, abs=0.005)


def test_netem_delays_and_loses(cell):
    testbed = {"egress": {"S>R": {"delay": "30 ms", "loss": "10 %"}}}
    document = cell(
        {"testbed": testbed, "flows": {"test": "ping", "length": "60 s", "delay": "1 s"}}
    )
    answers = document["raw_values"]["Ping (ms) ICMP"]
    assert min(row["val"] for row in answers) == pytest.approx(30, abs=0.1)
    assert 0.84 < len(answers) / 620 < 0.96


def test_mtu_sysctl_and_offloads_reach_the_guest(guest):
    spec = {
        "testbed": {"mtu": 9000, "sysctl": {"C": {"net.ipv4.tcp_sack": 0}}},
        "sender": {"offloads": "off", "congestion_control": "bbr"},
    }
    out = guest(
        *(
            f"run\tC\tsh\t-c\t{command} > /tsqlab/out/{name}"
            for name, command in {
                "link": "ip -j -d link show c0",
                "sack": "cat /proc/sys/net/ipv4/tcp_sack",
                "control": "cat /proc/sys/net/ipv4/tcp_congestion_control",
                "offloads": "ethtool -k c0",
                "qdisc": "tc -j qdisc show dev c0",
            }.items()
        ),
        "clock\t10000000000\t100000000\t10100000000",
        "end",
        spec=spec,
    )
    (link,) = json.loads((out / "link").read_text())
    assert (link["mtu"], link["gso_max_segs"]) == (9000, 1)
    assert (out / "sack").read_text() == "0\n"
    assert (out / "control").read_text() == "bbr\n"
    offloads = (out / "offloads").read_text()
    for name in ("tcp-segmentation", "generic-segmentation", "generic-receive"):
        assert f"{name}-offload: off" in offloads
    assert json.loads((out / "qdisc").read_text())[0]["handle"] == f"{LEAF_MAJOR:x}:"


def test_agrees_with_iperf3_and_ping(guest):
    """Our traffic program against the references, in the same testbed: within 1 %."""
    start, stop = 60_000_000_000, 80_000_000_000
    address = "10.0.2.1\t5001\tcubic\t0"
    out = guest(
        "run\tS\tiperf3\t-s\t-D\t-1",
        "run\tC\tsh\t-c\tiperf3 -c 10.0.2.1 -t 6 -J > /tsqlab/out/iperf3.json",
        "run\tC\tsh\t-c\tping -c 50 -i 0.1 10.0.2.1 > /tsqlab/out/ping.txt",
        f"clock\t50000000000\t100000000\t{stop + 2 * 10**9}",
        f"tcp\tS\trecv\tlisten\trecv\t{address}\t{start}\t{stop}",
        f"tcp\tC\tsend\tconnect\tsend\t{address}\t{start}\t{stop}",
        "ping\tC\tping\ticmp\t10.0.2.1\t0\t0\t100000000",
        "end",
        spec={"testbed": {"bottleneck": "R100M", "base_rtt": "5 ms"}},
    )
    iperf3 = json.loads((out / "iperf3.json").read_text())["end"]["sum_received"]
    ours = read_table(out / "recv.tsv")
    goodput = ours["app_bytes"][-1] * 8 / 20
    assert goodput == pytest.approx(iperf3["bits_per_second"], rel=0.01)

    theirs = [float(ms) for ms in re.findall(r"time=([0-9.]+) ms", (out / "ping.txt").read_text())]
    rtt = read_table(out / "ping.tsv")["rtt_ns"][:50] / 1e6  # before the flow begins
    assert np.median(rtt) == pytest.approx(np.median(theirs), rel=0.01)
