# SPDX-License-Identifier: GPL-2.0-or-later
"""wireline's line rate against arithmetic written apart from the module's."""

import numpy as np
import pytest

from pcap import instants_ns
from tsqlab.results.measurement import read_table

PREAMBLE, HEADER, FCS, GAP, MINIMUM = 8, 14, 4, 12, 64  # bytes, IEEE 802.3 clauses 3 and 4
UDP_IP = 28
FRAMES = 20_000  # enough that a frame at either end is not 0.1 %, ...
SHORTEST_NS = 10_000_000  # ... nor the few us that are missing once, at a start


def wire_bytes(ip_bytes):
    return PREAMBLE + max(HEADER + ip_bytes + FCS, MINIMUM) + GAP


def flood(guest, rate_mbps, mtu, ip_bytes, ethtool=()):
    """The receiver's payload rate, in bit/s, of a saturated sender on one link."""
    duration = max(wire_bytes(ip_bytes) * 8 * FRAMES * 1000 // rate_mbps, SHORTEST_NS)  # ns
    step = duration // 10
    start = 1_000_000_000
    stop = start + step * 10
    lines = [
        "module\t/tsqlab/modules/wireline.ko",
        "run\t-\tip\tnetns\tadd\tA",
        "run\t-\tip\tnetns\tadd\tB",
        "run\t-\tip\tlink\tadd\tname\ta\ttype\twireline",
        "run\t-\tip\tlink\tadd\tlink\ta\tname\tb\ttype\twireline",
        f"run\t-\tethtool\t-s\ta\tspeed\t{rate_mbps}\tduplex\tfull\tautoneg\toff",
        f"run\t-\tethtool\t-s\tb\tspeed\t{rate_mbps}\tduplex\tfull\tautoneg\toff",
    ]
    for node, device, address in (("A", "a", "10.0.0.1/24"), ("B", "b", "10.0.0.2/24")):
        lines += [
            f"run\t-\tip\tlink\tset\tdev\t{device}\tnetns\t{node}",
            f"run\t{node}\tip\taddress\tadd\t{address}\tdev\t{device}",
            f"run\t{node}\tip\tlink\tset\tdev\t{device}\tmtu\t{mtu}\tup",
        ]
    # Neighbours are known: no frame but the flood's is on the wire.
    lines += ["run\tA\tping\t-c\t1\t10.0.0.2", *ethtool]
    words = f"10.0.0.2\t5001\t0\t{ip_bytes - UDP_IP}\t0\t{start}\t{stop}"
    lines += [
        f"clock\t{start}\t{step}\t{stop}",
        f"udp\tB\trecv\trecv\t{words}",
        f"udp\tA\tsend\tsend\t{words}",
        "end",
    ]
    series = read_table(guest(*lines) / "recv.tsv")
    t_s, payload = series["t_ns"] / 1e9, series["app_bytes"]
    settled = slice(2, None)
    return np.polyfit(t_s[settled], payload[settled] * 8, 1)[0]


@pytest.mark.parametrize("rate_mbps", [10, 100, 1000, 2500, 10_000, 40_000, 100_000])
@pytest.mark.parametrize("mtu", [68, 576, 1500, 9000])
def test_keeps_its_line_rate(guest, rate_mbps, mtu):
    goodput = flood(guest, rate_mbps, mtu, mtu)
    expected = rate_mbps * 1e6 * (mtu - UDP_IP) / wire_bytes(mtu)
    assert goodput == pytest.approx(expected, rel=0.001)


def test_short_frames_are_padded(guest):
    goodput = flood(guest, 100, 1500, 36)
    assert goodput == pytest.approx(100e6 * (36 - UDP_IP) / wire_bytes(36), rel=0.001)
    assert wire_bytes(36) == 84


@pytest.mark.parametrize(
    "command",
    [
        "ip link add link lo name x type wireline",
        "ip link add link a name x type wireline",
        "ethtool -s a speed 5 duplex full autoneg off",
        "ethtool -s a speed 1000 duplex half autoneg off",
        "ethtool -G a tx 0",
        "ethtool -C a rx-usecs 50 rx-frames 1",
        "ethtool -C a rx-usecs 10000001 rx-frames 0",
        "sh -c 'echo 10000000001 > /sys/class/net/a/wireline/receive_interval_ns'",
        "sh -c 'echo -1 > /sys/class/net/a/wireline/propagation_ns'",
        "sh -c 'echo x > /sys/class/net/a/wireline/propagation_ns'",
    ],
)
def test_bad_settings_are_refused(guest, command):
    guest(
        "module\t/tsqlab/modules/wireline.ko",
        "run\t-\tip\tlink\tadd\tname\ta\ttype\twireline",
        "run\t-\tip\tlink\tadd\tlink\ta\tname\tb\ttype\twireline",
        f"run\t-\tsh\t-c\tif {command}; then echo accepted >&2; exit 1; fi",
        "clock\t10000000000\t100000000\t10100000000",
        "end",
    )


def test_a_socket_is_charged_until_the_completion(guest):
    """A sender that may have one frame in its socket sends one per completion."""
    spec = {"testbed": {"bottleneck": "LR100M"}}
    start, stop = 11_000_000_000, 13_000_000_000
    words = f"10.0.2.1\t5001\t0\t1472\t0\t{start}\t{stop}"
    out = guest(
        "run\tC\tethtool\t-C\tc0\ttx-usecs\t4000\ttx-frames\t1000",
        # The smallest send buffer: two frames of truesize 2304 and more are in it at most.
        "write\t-\t/proc/sys/net/core/wmem_default\t4608",
        f"clock\t10000000000\t100000000\t{stop}",
        f"udp\tS\trecv\trecv\t{words}",
        f"udp\tC\tsend\tsend\t{words}",
        "end",
        spec=spec,
    )
    sent = read_table(out / "send.tsv")["datagrams"]
    per_completion = np.diff(sent[2:-1]).mean() / (0.1 / 0.004)
    # The first frame's completion comes 4 ms after it left, and reports all that left since.
    assert 1 <= per_completion <= 3


# A datagram of 1472 bytes each 1.1776 ms, to a receiver that is interrupted after 4 ms.
FOUR_MS = "rx-usecs\t4000\trx-frames\t"


@pytest.mark.parametrize(
    ("setting", "sizes", "gap_ms"),
    [
        (None, {1}, 1.1776),
        # The first waits 4 ms, and the three that come until then go up with it.
        (f"ethtool\t-C\tb\t{FOUR_MS}0", {4}, 4 * 1.1776),
        (f"ethtool\t-C\tb\t{FOUR_MS}3", {3}, 3 * 1.1776),
        # Of what is sent nothing is received.
        (f"ethtool\t-C\ta\t{FOUR_MS}0", {1}, 1.1776),
        # A throttle is a clock: 4 / 1.1776 frames in the mean, the first at once.
        ("sh\t-c\techo 4000000 > /sys/class/net/b/wireline/receive_interval_ns", {3, 4}, 4),
    ],
)
def test_a_receiver_is_interrupted_when_its_moderation_says_so(guest, setting, sizes, gap_ms):
    start, stop = 10_000_000_000, 10_200_000_000
    words = f"10.0.0.2\t5001\t0\t1472\t10000000\t{start}\t{stop}"
    lines = [
        "module\t/tsqlab/modules/wireline.ko",
        "run\t-\tip\tnetns\tadd\tA",
        "run\t-\tip\tnetns\tadd\tB",
        "run\t-\tip\tlink\tadd\tname\ta\ttype\twireline",
        "run\t-\tip\tlink\tadd\tlink\ta\tname\tb\ttype\twireline",
        *([f"run\t-\t{setting}"] if setting else []),
    ]
    for node, device, address in (("A", "a", "10.0.0.1/24"), ("B", "b", "10.0.0.2/24")):
        lines += [
            f"run\t-\tip\tlink\tset\tdev\t{device}\tnetns\t{node}",
            f"run\t{node}\tip\taddress\tadd\t{address}\tdev\t{device}",
            f"run\t{node}\tip\tlink\tset\tdev\t{device}\tup",
        ]
    out = guest(
        *lines,
        "run\tA\tping\t-c\t1\t10.0.0.2",
        f"clock\t{start}\t100000000\t{stop}",
        f"udp\tB\trecv\trecv\t{words}",
        f"udp\tA\tsend\tsend\t{words}",
        "capture\tB\treceived\tb\t65536\t1000000000",
        "end",
    )
    arrived = np.array(instants_ns(out / "received.pcap", longer_than=1000))
    assert len(arrived) > 150
    interrupts, frames = np.unique(arrived, return_counts=True)
    assert set(frames[1:-1]) == sizes
    slack_ms = 0.051  # a sender's timer may be late by 50 us, and the next one not
    assert np.diff(interrupts[1:-1]) / 1e6 == pytest.approx(gap_ms, abs=slack_ms)
