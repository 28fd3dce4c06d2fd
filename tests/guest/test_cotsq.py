# SPDX-License-Identifier: GPL-2.0-or-later
"""The CoTSQ series in the lab: it changes nothing until it is told to, and then what it says."""

import json
import re

import numpy as np
import pytest

from pcap import frames
from tsqlab.experiment.tsq import CHARGED
from tsqlab.guest.boot import Machine
from tsqlab.guest.places import OUT_DIR, PLAN_DIR
from tsqlab.guest.plan import Plan
from tsqlab.guest.run import run_plan
from tsqlab.kernels import Recipe, build
from tsqlab.metrics import summarise

SKB = CHARGED  # truesize of a full-sized packet alone in its skb
CHARGED_BY = {"6.12": SKB, "6.1": 2728}  # of a kernel whose heads are kmalloc's
FLOWS = {"length": "5 s", "delay": "1 s"}


@pytest.fixture(scope="session", params=["6.12", pytest.param("6.1", marks=pytest.mark.kernels)])
def either(request, kernel):
    """The kernels of both series."""
    return kernel if request.param == "6.12" else build(Recipe(version="6.1"))


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
    # Of today: an old host's bound of 256 KiB is less than 20 ms.
    spec = {"testbed": {"bottleneck": "L100M"}, "flows": FLOWS, "lab": {"era": "today"}}
    document = cell({**spec, "sender": sender})
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


def data_lengths(pcap):
    """Of the client's packets that carry data, whatever the card makes of them."""
    client = bytes([10, 0, 1, 1])  # its address of IP
    return [len(frame) for frame in frames(pcap) if len(frame) > 200 and frame[26:30] == client]


@pytest.mark.parametrize("control", ["cubic", "bbr"])
def test_a_longer_time_is_no_worse_than_stock(cell, capture, kernel, control):
    """Skbs as large, where each setting once made them of one packet; 977 us is 2^-10 s."""
    sender = {"offloads": "on", "congestion_control": control}
    spec = {
        "testbed": {"bottleneck": "L10M", "base_rtt": "20 ms"},
        "flows": {"length": "5 s", "delay": "500 ms"},
    }
    sizes, held = {}, {}
    for us in (0, 977, 6000):
        one = spec | {"sender": sender | {"tsq": {"us": us}}}
        sizes[us] = data_lengths(capture(kernel, one))
        held[us] = cell(one)["raw_values"]["TCP upload::1"][-1]
        assert np.median(sizes[us]) >= 2 * 1448
        assert sum(sizes[us]) >= 0.98 * sum(sizes[0])
    assert np.mean(sizes[977]) == pytest.approx(np.mean(sizes[0]), rel=0.01)
    for key in ("tcp_tsq_throttled", "tcp_tsq_throttled_us"):
        assert held[977][key] == pytest.approx(held[0][key], rel=0.01)


def test_a_limit_below_two_skbs_makes_them_smaller(capture, kernel):
    """Or else it would be void: two skbs always go."""
    spec = {"testbed": {"bottleneck": "L100M"}, "flows": {"length": "2 s", "delay": "500 ms"}}
    sizes = {}
    for tsq in ("TSQ", {"bytes": 12000}, {"us": 500}, {"pkts": 4}):
        sender = {"offloads": "on", "tsq": tsq}
        sizes[str(tsq)] = max(data_lengths(capture(kernel, spec | {"sender": sender})))
    stock, *lower = sizes.values()
    assert stock > 5 * 1448
    assert all(1448 < size < stock for size in lower), sizes


SCRIPT = """\
import json, socket, struct, subprocess, sys, time

INFO = 0x545351  # TCP_TSQ_INFO


def tsq(of):
    return struct.unpack("IIQ", of.getsockopt(socket.IPPROTO_TCP, INFO, 16))


def run(*words):
    subprocess.run(words, check=True)


def pair():
    listener, client = socket.socket(), socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    tsq(client)
    client.connect(listener.getsockname())
    return client, listener.accept()[0]


def fill(client, size, flags=0):
    client.setblocking(False)
    try:
        while client.send(bytes(size), flags):
            pass
    except BlockingIOError:
        pass


def dies(client, before):
    # What there is to say of a socket that is about to die.
    begun = time.monotonic()
    while not (error := client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)):
        time.sleep(0.001)
    took = time.monotonic() - begun
    dead = tsq(client)
    time.sleep(60)
    answer(before=before, error=error, took=took, dead=dead, later=tsq(client))


def answer(**values):
    with open(sys.argv[1], "w") as file:
        json.dump(values, file)

run("ip", "link", "set", "lo", "up", "mtu", "1500")
"""


@pytest.fixture
def script(either, tmp_path, cpu):
    """Run a Python script in a guest; what it answers."""

    def run(text):
        plan = Plan(
            (["run", "-", "/usr/bin/python3", f"{PLAN_DIR}/script", f"{OUT_DIR}/answer"],),
            (["clock", "600000000000", "100000000", "600100000000"], ["end"]),
            {"script": SCRIPT + text},
        )
        out = run_plan(Machine(either, 256 << 20, 1, cpu), plan, tmp_path / "guest")
        return json.loads((out / "answer").read_text())

    return run


def test_the_time_of_a_dead_socket_ends_with_it(script):
    """A peer's reset ends what held the flow back, and what is missing of it is added."""
    answer = script(
        """
run("ip", "link", "set", "lo", "gso_max_segs", "1")
run(*"tc qdisc add dev lo root tbf rate 1mbit burst 3000 latency 1s".split())
client, peer = pair()
fill(client, 20000)
time.sleep(0.5)
before = tsq(client)
peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
peer.close()
dies(client, before)
"""
    )
    assert answer["error"] == 104
    assert answer["before"][1] > 0
    assert answer["later"] == answer["dead"]
    # What it had been held back for when it died is not lost.
    gained_us = answer["dead"][2] - answer["before"][2]
    assert 0 <= gained_us <= answer["took"] * 1e6 + 2000
    assert answer["dead"][2] > 100_000


def test_a_time_out_ends_what_held_a_flow_back(script):
    """ETIMEDOUT by TCP_USER_TIMEOUT, above a qdisc that keeps what TSQ counts for ever."""
    answer = script(
        """
run("ip", "link", "set", "lo", "gso_max_segs", "1")
client, peer = pair()
client.setsockopt(socket.IPPROTO_TCP, 18, 2000)  # TCP_USER_TIMEOUT
run("sysctl", "-q", "-w", "net.ipv4.tcp_tsq_bytes=8000")
run(*"tc qdisc add dev lo root tbf rate 8bit burst 1600 limit 100000".split())
fill(client, 20000)
time.sleep(0.1)
dies(client, tsq(client))
"""
    )
    assert answer["error"] == 110
    assert answer["before"][1] > 0
    assert answer["later"] == answer["dead"]
    # It was held back all the time until its end, and this has been added.
    gained_us = answer["dead"][2] - answer["before"][2]
    assert gained_us == pytest.approx(answer["took"] * 1e6, rel=0.01)


def test_a_probe_of_the_mtu_is_not_held_back_for_ever(cell):
    """A probe is an skb of its own, made of what waits: with any limit the flow goes on."""
    testbed = {
        "bottleneck": "L100M",
        "sysctl": {"C": {"net.ipv4.tcp_mtu_probing": "2", "net.ipv4.tcp_base_mss": "600"}},
    }
    for tsq in ("TSQ", "CoTSQ", {"pkts": 4}, {"bytes": 12000}, {"us": 500}):
        rows = cell({"testbed": testbed, "flows": FLOWS, "sender": {"tsq": tsq}})
        assert summarise(rows)["goodput_mbps"] > 85, tsq


def test_a_limit_in_packets_does_not_depend_on_the_size_of_writes(script, either):
    """MSG_EOR makes an skb of each: of a full-sized packet, of two, of one and a bit of one."""
    answer = script(
        """
run("sysctl", "-q", "-w", "net.ipv4.tcp_tsq_us=1", "net.ipv4.tcp_tsq_pkts=40")
run(*"tc qdisc add dev lo root tbf rate 1mbit burst 3000 latency 1s".split())
limits = []
for size in (1448 * 2, 1500, 1448 + 1000):
    client, peer = pair()
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    fill(client, size, 0x80)  # MSG_EOR
    time.sleep(0.2)
    limits.append(tsq(client)[0])
    client.close()
    peer.close()
    time.sleep(5)
answer(limits=limits)
"""
    )
    # What the congestion window cuts to one packet is charged a head for each.
    shared, own = (40 * 1448 + heads * (CHARGED_BY[either.version] - 1448) for heads in (20, 40))
    assert {shared} <= set(answer["limits"]) <= {shared, own}


def test_only_who_may_set_the_hosts_queues_may_set_a_limit(script):
    """Not the root of a user namespace, and so nobody without CAP_NET_ADMIN in the first one."""
    answer = script(
        """
write = "for i in bytes us pkts; do echo 1 > /proc/sys/net/ipv4/tcp_tsq_$i; done 2>/dev/null"
refused = subprocess.run(["setpriv", "--bounding-set=-net_admin", "sh", "-c", write]).returncode
def values():
    return [open(f"/proc/sys/net/ipv4/tcp_tsq_{name}").read() for name in ("bytes", "us", "pkts")]
before = values()
granted = subprocess.run(["sh", "-c", write]).returncode
answer(refused=refused, before=before, granted=granted, after=values())
"""
    )
    assert answer["refused"] != 0
    assert answer["before"] == ["0\n"] * 3
    assert answer["granted"] == 0
    assert answer["after"] == ["1\n"] * 3


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


def test_kunit(either, tmp_path, cpu):
    """The pure functions' own tests, as KUnit prints them at boot."""
    plan = Plan((), (["clock", "10000000000", "100000000", "10100000000"], ["end"]))
    machine = Machine(either, 256 << 20, 1, cpu, arguments=("kunit.enable=1",))
    out = run_plan(machine, plan, tmp_path / "guest")
    console = (out.parent / "console").read_text()
    (totals,) = re.findall(r"# tcp-tsq: pass:(\d+) fail:(\d+) skip:(\d+)", console)
    passed, failed, skipped = map(int, totals)
    assert passed >= 11
    assert (failed, skipped) == (0, 0)
