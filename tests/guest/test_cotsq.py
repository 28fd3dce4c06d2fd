# SPDX-License-Identifier: GPL-2.0-or-later
"""The CoTSQ series in the lab: it changes nothing until it is told to, and then what it says."""

import re
import struct

import numpy as np
import pytest

from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.tsq import CHARGED
from tsqlab.guest.boot import Machine
from tsqlab.guest.plan import make_plan
from tsqlab.guest.run import run_plan
from tsqlab.kernels import Recipe, build
from tsqlab.metrics import summarise
from tsqlab.paths import KERNEL_PATCHES

SKB = CHARGED  # truesize of a full-sized packet alone in its skb
FLOWS = {"length": "5 s", "delay": "1 s"}


@pytest.fixture(scope="session")
def stock():
    """The kernel without CoTSQ: only what User-Mode Linux needs."""
    kernel = build(Recipe(version="6.12", patches=KERNEL_PATCHES / "6.12" / "um"))
    assert not kernel.cotsq
    return kernel


@pytest.fixture
def capture(tmp_path, cpu):
    """Run a cell with a capture on the client's card; its packets, and all its series."""

    def run(kernel, spec):
        spec = Spec.model_validate({"title": "test", **spec})
        layout = spec.testbed.layout
        device = NEIGHBOURS[layout][0][1]
        plan = make_plan(spec, load_profile(spec.testbed.device))
        plan = plan.after_set_up(*neighbours(layout)).during(["capture", "C", "client", device])
        return run_plan(Machine(kernel, 512 << 20, 1, cpu), plan, tmp_path / kernel.id)

    return run


# The neighbours are known from the start: how long ARP trusts an answer is random.
NEIGHBOURS = {
    "wired": (
        ("C", "c0", "10.0.1.2", "02:00:00:00:01:02"),
        ("R", "r0", "10.0.1.1", "02:00:00:00:01:01"),
        ("R", "r1", "10.0.2.1", "02:00:00:00:02:01"),
        ("S", "s0", "10.0.2.2", "02:00:00:00:02:02"),
    ),
    "wifi": (
        ("C", "wlan1", "10.0.1.254", "02:00:00:00:01:fe"),
        ("AP", "wlan0", "10.0.1.1", "02:00:00:00:01:01"),
        ("AP", "e0", "10.0.2.1", "02:00:00:00:02:01"),
        ("S", "e1", "10.0.2.2", "02:00:00:00:02:02"),
    ),
}


def neighbours(layout):
    return [
        ["run", node, "ip", "neigh", "replace", address, "lladdr", mac, "dev", device,
         "nud", "permanent"]
        for node, device, address, mac in NEIGHBOURS[layout]
    ]  # fmt: skip


def packets(pcap):
    """(nanosecond, header and length) of each packet, less what is random in it.

    Two kernels' random numbers differ with their code's addresses, which interrupts mix into
    the pool. So ports and IP identifications are left out, sequence numbers and TCP time
    stamps are counted from each connection's first.
    """
    data, at, found = pcap.read_bytes(), 24, []
    first: dict[tuple, int] = {}
    names: dict[int, int] = {}
    while at < len(data):
        seconds, nanoseconds, length, _ = struct.unpack_from("<IIII", data, at)
        frame = data[at + 16 : at + 16 + length]
        at += 16 + length
        found.append((seconds * 10**9 + nanoseconds, length, *described(frame, first, names)))
    return found


def described(frame, first, names):
    """What of a TCP segment is no random number; of another packet its protocol."""
    if frame[12:14] != b"\x08\x00" or frame[23] != 6:
        return frame[12:14], frame[23]
    ports, seq, ack, flags, window = struct.unpack_from("!IIIHH", frame, 34)
    source, sink = ports >> 16, ports & 0xFFFF
    client = source if sink < source else sink
    name = names.setdefault(client, len(names))  # connections in their order
    forward = source == client
    options = frame[54 : 34 + (flags >> 12) * 4]
    stamp = options.find(b"\x08\x0a")
    value, echo = struct.unpack_from("!II", options, stamp + 2) if stamp >= 0 else (0, 0)

    def relative(kind, way, number):
        return (number - first.setdefault((client, kind, way), number)) & 0xFFFFFFFF

    return (
        name, forward, flags, window,
        relative("seq", forward, seq),
        relative("seq", not forward, ack) if ack else 0,
        relative("stamp", forward, value),
        relative("stamp", not forward, echo) if echo else 0,
    )  # fmt: skip


@pytest.mark.kernels
@pytest.mark.parametrize("offloads", ["off", "gso", "on"])
@pytest.mark.parametrize("qdisc", ["pfifo_fast", "fq_codel"])
def test_defaults_change_nothing(stock, kernel, capture, offloads, qdisc):
    """The same packets at the same nanoseconds, from a kernel with the series and one without."""
    spec = {
        "testbed": {"bottleneck": "L100M", "qdisc": qdisc, "base_rtt": "4 ms"},
        "flows": {"length": "3 s", "delay": "500 ms", "streams": 2},
        "sender": {"offloads": offloads},
    }
    before = packets(capture(stock, spec) / "client.pcap")
    after = packets(capture(kernel, spec) / "client.pcap")
    assert len(before) > 1_000
    assert before == after


@pytest.mark.kernels
@pytest.mark.parametrize("device", ["ath9k_htc", "ath9k"])
def test_defaults_change_nothing_over_wifi(stock, kernel, capture, device):
    """Above a qdisc, and above mac80211's queues."""
    spec = {
        "testbed": {"layout": "wifi", "device": device, "base_rtt": "1 ms"},
        "flows": {"length": "3 s", "delay": "500 ms", "streams": 2},
    }
    before = packets(capture(stock, spec) / "client.pcap")
    after = packets(capture(kernel, spec) / "client.pcap")
    assert len(before) > 1_000
    assert before == after


@pytest.mark.kernels
def test_the_comparison_can_fail(kernel, capture, stock):
    """Another limit is seen in the trace."""
    spec = {"testbed": {"bottleneck": "L100M"}, "flows": {"length": "1 s", "delay": "500 ms"}}
    before = packets(capture(stock, spec) / "client.pcap")
    after = packets(capture(kernel, spec | {"sender": {"tsq": "6TSQ"}}) / "client.pcap")
    assert before != after


def in_stack(document):
    """Bytes below TCP, and the limit that the kernel tells, while the flow is steady."""
    rows = document["raw_values"]["TCP upload::1"]
    t0 = min(row["t"] for row in rows)
    steady = [row for row in rows if 2 < row["t"] - t0 < 4.5]
    assert len(steady) > 20
    wmem = np.array([row["tcp_wmem_alloc_bytes"] for row in steady])
    limit = np.array([row.get("tcp_tsq_limit_bytes", 0) for row in steady])
    return wmem, limit


@pytest.mark.parametrize("control", ["cubic", "bbr"])
@pytest.mark.parametrize(
    "tsq",
    [
        {"us": 3000},
        {"us": 6000},
        {"us": 20000},
        {"us": 1, "pkts": 40},
        {"bytes": 60000, "us": 20000},
    ],
    ids=str,
)
def test_the_queue_reaches_the_limit_and_no_further(cell, tsq, control):
    """Less than one skb over it, as documented; and near it when the application has data.

    BBR moves its rate, and with it the limit, while packets are queued; and it may keep less
    in flight than it is allowed to.
    """
    sender = {"tsq": tsq, "congestion_control": control}
    document = cell({"testbed": {"bottleneck": "L100M"}, "flows": FLOWS, "sender": sender})
    wmem, limit = in_stack(document)
    assert (wmem <= (limit if control == "cubic" else limit.max()) + SKB).all()
    if control == "cubic":
        assert wmem.mean() > 0.8 * limit.mean()
    if "us" in tsq and "pkts" not in tsq and "bytes" not in tsq:
        rows = document["raw_values"]["TCP upload::1"]
        rate = np.median([row["tcp_pacing_rate"] for row in rows if "tcp_pacing_rate" in row])
        assert np.median(limit) == pytest.approx(rate * 1e6 / 8 * tsq["us"] * 1e-6, rel=0.05)
    if "bytes" in tsq:
        assert (limit == tsq["bytes"]).all()
    if "pkts" in tsq:
        assert (limit >= tsq["pkts"] * 1514).all()


def test_a_setting_in_packets_admits_as_many_and_no_more(cell):
    sender = {"tsq": {"us": 1, "pkts": 40}}
    document = cell({"testbed": {"bottleneck": "L100M"}, "flows": FLOWS, "sender": sender})
    rows = document["raw_values"]["qdisc_stats_C>R"]
    busy = [row["backlog_pkts"] for row in rows if row["backlog_pkts"] > 1]
    # Two more are let through by the check's place, and one is on the wire.
    assert 37 <= np.median(busy) <= 43


@pytest.mark.parametrize("testbed", [{"bottleneck": "L100M"}, {"layout": "wifi"}], ids=str)
def test_what_a_packet_counts(cell, testbed):
    """What sender.truesize is relative to."""
    wmem, _ = in_stack(cell({"testbed": testbed, "flows": FLOWS}))
    assert (wmem > 0).mean() > 0.9
    assert (wmem % CHARGED == 0).mean() > 0.9


def test_a_packet_can_count_more(cell):
    """Twice as much a packet is half of the limit."""
    sender = {"tsq": "6TSQ", "truesize": f"{2 * CHARGED} B"}
    document = cell({"testbed": {"bottleneck": "L100M"}, "flows": FLOWS, "sender": sender})
    _, limit = in_stack(document)
    rows = document["raw_values"]["TCP upload::1"]
    rate = np.median([row["tcp_pacing_rate"] for row in rows if "tcp_pacing_rate" in row])
    assert np.median(limit) == pytest.approx(rate * 1e6 / 8 * 3e-3, rel=0.05)


def test_no_limit_fills_the_queue_and_keeps_the_goodput(cell):
    testbed, sender = {"bottleneck": "L100M"}, {"tsq": "NoTSQ"}
    with_tsq = cell({"testbed": testbed, "flows": FLOWS})
    without = cell({"testbed": testbed, "flows": FLOWS, "sender": sender})
    one, other = summarise(with_tsq), summarise(without)
    assert other["goodput_mbps"] == pytest.approx(one["goodput_mbps"], rel=0.02)
    assert other["tcp_rtt_ms_p50"] > 10 * one["tcp_rtt_ms_p50"]
    rows = without["raw_values"]["TCP upload::1"]
    assert all("tcp_tsq_limit_bytes" not in row for row in rows)


def test_the_counters_tell_why_a_flow_waits(cell):
    document = cell({"testbed": {"bottleneck": "L100M"}, "flows": FLOWS})
    last = document["raw_values"]["TCP upload::1"][-1]
    assert last["tcp_tsq_throttled"] > 1000
    assert 0 < last["tcp_tsq_throttled_us"] < 5.2e6


def test_mainlines_own_knob(cell):
    """sk_pacing_shift as a driver sets it: the limit is the pacing rate, shifted."""
    spec = {"testbed": {"bottleneck": "L100M"}, "flows": FLOWS}
    for shift in (10, 8, 7):
        document = cell(spec | {"sender": {"tsq": {"shift": shift}}})
        wmem, limit = in_stack(document)
        assert (wmem <= limit + SKB).all()
        rows = document["raw_values"]["TCP upload::1"]
        rate = np.median([row["tcp_pacing_rate"] for row in rows[10:] if "tcp_pacing_rate" in row])
        assert np.median(limit) == pytest.approx(rate * 1e6 / 8 / 2**shift, rel=0.05)


def test_kunit(guest):
    """The pure function's own tests, as KUnit prints them at boot."""
    clock = "clock\t10000000000\t100000000\t10100000000"
    out = guest(clock, "end", arguments=("kunit.enable=1",))
    console = (out.parent / "console").read_text()
    (totals,) = re.findall(r"# tcp-tsq: pass:(\d+) fail:(\d+) skip:(\d+)", console)
    passed, failed, skipped = map(int, totals)
    assert passed >= 8
    assert (failed, skipped) == (0, 0)
