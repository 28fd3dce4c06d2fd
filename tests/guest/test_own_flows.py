# SPDX-License-Identifier: GPL-2.0-or-later
"""[[flow]]: flows between any two nodes, held against what arithmetic says of each."""

import re

import pytest

from pcap import frames, instants_ns
from tsqlab.guest.instants import T0_NS
from tsqlab.guest.plan import BOOT_UNIX_NS
from tsqlab.metrics import summarise

MSS_BYTES, FRAME_BITS = 1448, 8 * 1538  # with the timestamp option; preamble, FCS and gap included
TCP_SHARE = 1448 / 1538
FLOWS = {"length": "3 s", "delay": "500 ms"}
BEGIN_NS = BOOT_UNIX_NS + T0_NS + 500_000_000  # when flows may start
TO_C = "10.0.1.1"


def own(*flows, **tables):
    return {"testbed": {"bottleneck": "LR100M"}, "flows": FLOWS, "flow": list(flows), **tables}


def slow_start_s(segments, rtt_s, rate_bit_per_s):
    """When the last byte arrives of a flow that connects, and doubles a window of 10 each RTT."""
    frame_s, window, at_s = FRAME_BITS / rate_bit_per_s, 10, rtt_s
    while segments > window:
        segments -= window
        window *= 2
        # The window after it begins when the first ACK is back, as long as the wire is not full.
        at_s += rtt_s + frame_s
        assert window * frame_s < rtt_s
    return at_s + rtt_s / 2 + segments * frame_s


@pytest.mark.parametrize("size", ["14480 B", "1 MB"])
def test_a_short_flow_takes_as_long_as_slow_start(cell, size):
    document = cell(own(
        {"from": "C", "to": "S", "start": "1.00037 s", "bytes": size},
        testbed={"bottleneck": "LR100M", "base_rtt": "100 ms"},
        sender={"congestion_control": "reno"},
    ))  # fmt: skip
    found = summarise(document)
    octets = 10**6 if size == "1 MB" else 14480
    expected_s = slow_start_s(octets / MSS_BYTES, 0.1, 100e6)
    # Beside it there are both hops' frames of each round, and ARP for the first packet.
    assert found["fct_s_1"] == pytest.approx(expected_s, rel=0.02)
    assert found["goodput_mbps_1"] == pytest.approx(8e-6 * octets / found["fct_s_1"])
    received = sum(row["val"] * row["dur"] for row in document["raw_values"]["TCP upload::1"])
    assert received * 1e6 / 8 == pytest.approx(octets, rel=1e-6), "to the last step's bytes"


def test_what_does_not_come_to_its_end_has_no_completion_time(cell):
    found = summarise(cell(own({"from": "C", "to": "S", "bytes": "100 MB"})))
    assert found["fct_s_1"] is None
    assert found["goodput_mbps_1"] == pytest.approx(100 * TCP_SHARE, rel=0.03)


def test_a_download_beside_an_upload_and_a_short_flow_beside_both(cell):
    found = summarise(cell(own(
        {"from": "C", "to": "S"},
        {"from": "S", "to": "C"},
        {"name": "short", "from": "S", "to": "C", "start": "2 s", "bytes": "100 kB"},
        {"from": "R", "to": "C", "kind": "ping", "start": "1 s", "stop": "2 s"},
    )))  # fmt: skip
    # A full-duplex wire gives each way its own rate; ACKs take about 5 % of the other way's.
    for flow in (1, 2):
        assert 0.9 * 100 * TCP_SHARE < found[f"goodput_mbps_{flow}"] < 100 * TCP_SHARE
    assert found["goodput_up_mbps"] == pytest.approx(found["goodput_mbps_1"], rel=0.02)
    assert 0 < found["fct_s_3"] < 0.5
    assert (found["pings_sent_4"], found["ping_lost_share_4"]) == (10, 0)


def test_flows_start_and_stop_when_they_say(cell, tmp_path):
    rate = 8 * 500 * 1000  # a datagram of 500 bytes a millisecond
    cell(own(
        {"from": "C", "to": "S", "start": "700.123 ms", "stop": "1.2 s"},
        {"from": "C", "to": "R", "kind": "udp", "rate": f"{rate} bit/s", "size": "500 B",
         "start": "1.500001 s", "stop": "2 s"},
        lab={"capture": ["C>R"]},
    ), folder=tmp_path)  # fmt: skip
    pcap = next((tmp_path / "pcaps").iterdir())
    packets = list(zip(instants_ns(pcap), frames(pcap), strict=True))
    sent = [(at_ns - BEGIN_NS, frame) for at_ns, frame in packets if frame[26:30] == ip(TO_C)]
    tcp = [at_ns for at_ns, frame in sent if frame[23] == 6]
    udp = [at_ns for at_ns, frame in sent if frame[23] == 17]
    assert tcp[0] - 700_123_000 == pytest.approx(0, abs=2_000), "each look at the clock is 256 ns"
    late = [at_ns for at_ns in tcp if at_ns > 1_200_000_000]
    assert late, "what is queued still goes out"
    assert late[-1] < 1_300_000_000
    assert udp[0] - 1_500_001_000 == pytest.approx(0, abs=2_000)
    assert len(udp) == 500
    assert 1_998_000_000 < udp[-1] < 2_000_000_000


def test_dscp_is_seen_on_the_wire(cell, tmp_path):
    cell(own(
        {"from": "C", "to": "S", "dscp": "EF", "bytes": "100 kB"},
        {"from": "C", "to": "S", "kind": "udp", "rate": "1 Mbit/s", "dscp": 10},
        {"from": "C", "to": "S", "kind": "ping", "dscp": "CS1"},
        lab={"capture": ["C>R"]},
    ), folder=tmp_path)  # fmt: skip
    packets = [frame for frame in frames(next((tmp_path / "pcaps").iterdir()))
               if frame[12:14] == b"\x08\x00"]  # fmt: skip
    marked = {(frame[23], frame[15] >> 2) for frame in packets}
    assert marked == {(6, 46), (17, 10), (1, 8)}, "of data and of what answers it"


def test_equal_flows_have_a_fair_share(cell):
    flows = [{"from": "C", "to": "S"}] * 4
    qdisc = {"bottleneck": "R10M", "qdisc": "fq"}
    found = summarise(cell(own(*flows, testbed=qdisc, flows={**FLOWS, "length": "10 s"})))
    assert found["fairness"] == pytest.approx(1, abs=0.005)
    goodputs = [found[f"goodput_mbps_{number}"] for number in (1, 2, 3, 4)]
    assert sum(goodputs) == pytest.approx(found["goodput_mbps"], rel=0.01)


def test_flows_repeat_to_the_byte(cell, tmp_path):
    flows = [
        {"from": "C", "to": "S", "bytes": "500 kB"}, {"from": "S", "to": "C"},
        {"from": "R", "to": "C", "kind": "udp", "rate": "3 Mbit/s", "start": "1 s"},
    ]  # fmt: skip
    spec = own(*flows, testbed={"bottleneck": "R10M", "qdisc": "fq_codel"})
    files = []
    for name in ("one", "other"):
        cell(spec, folder=tmp_path / name)
        files += (path.read_bytes() for path in (tmp_path / name).glob("*.flent.gz"))
    assert len(files) == 2
    assert files[0] == files[1]


@pytest.mark.parametrize("device", ["ath9k_htc", "ath9k"])
def test_an_access_point_sends_by_the_air_and_by_its_wire(cell, device):
    testbed = {"layout": "wifi", "device": device, "stations": 2}
    document = cell(own(
        {"from": "AP", "to": "C1"}, {"from": "AP", "to": "S"}, {"from": "C2", "to": "C1"},
        {"from": "S", "to": "C2", "start": "1 s", "bytes": "200 kB"},
        testbed=testbed,
    ))  # fmt: skip
    found = summarise(document)
    assert found["goodput_mbps_2"] > 900, "its wire has 1 Gbit/s"
    assert min(found["goodput_mbps_1"], found["goodput_mbps_3"]) > 2
    assert 0 < found["fct_s_4"] < 2


@pytest.mark.parametrize("device", ["ath9k_htc", "ath9k"])
def test_datagrams_go_as_fast_as_a_station_s_socket_takes_them(cell, device):
    """Without a rate, and to another station as well, nobody waits in vain for an answer to ARP."""
    testbed = {"layout": "wifi", "device": device, "stations": 2, "server": "AP"}
    found = summarise(cell(own(
        {"from": "C1", "to": "AP", "kind": "udp"}, {"from": "C2", "to": "C1", "kind": "udp"},
        testbed=testbed,
    )))  # fmt: skip
    assert min(found["goodput_mbps_1"], found["goodput_mbps_2"]) > 5


def test_a_sysctl_of_the_guest_is_every_node_s(cell):
    document = cell(own(
        {"from": "C", "to": "S", "kind": "udp", "rate": "1 Mbit/s"},
        testbed={"sysctl": {"guest": {"net.core.wmem_default": 65536}}},
    ))  # fmt: skip
    buffers = {row["udp_send_buffer_bytes"] for row in document["raw_values"]["UDP upload::1"]
               if "udp_send_buffer_bytes" in row}  # fmt: skip
    assert buffers == {65536}


def ip(address):
    return bytes(map(int, re.findall("[0-9]+", address)))
