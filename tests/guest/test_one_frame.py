# SPDX-License-Identifier: GPL-2.0-or-later
"""What becomes of a single frame when a radio's settings change meanwhile, to the nanosecond."""

import struct

import pytest

from bss import ACCESS_POINT, address, genl
from stress import MODULE, RATE, check_console, nodes, radio, run
from tsqlab.airlink import messages
from tsqlab.airlink.messages import Edca, PhyRate, Radio, payload
from tsqlab.airlink.uapi import Front, Phy
from tsqlab.guest.plan import BOOT_UNIX_NS

MS = 10**6
T0_NS = 10_000 * MS
SLOT_NS, SIFS_NS = 9_000, 16_000
SLOW = PhyRate(Phy.LEGACY, 0, 1, 20, 800)  # 6 Mbit/s: 24 bits in 4 us, after a preamble of 20
ACK_NS = 20_000 + 6 * 4000
INJECTED_BYTES = 1400
INJECTED_NS = 20_000 + 478 * 4000  # with 26 bytes of header and 4 of FCS
DATAGRAM_BYTES = 1400
DATAGRAM_NS = 20_000 + 490 * 4000  # with 28 bytes of UDP and IP, 34 of header and LLC, 4 of FCS
SLACK_NS = 50_000  # a process may wake up later by so much
IFINDEX = 6  # of the first device that is made, after lo, dummy0, ifb0, ifb1 and tunl0
STRANGER, NOBODY = "02:00:00:00:00:98", "02:00:00:00:00:99"
"""Whom a monitor sends for that is no interface of its radio, and to whom."""
BEST_EFFORT = 2
QOS_DATA = 0x88
HAS_MCS = 1 << 19


def as_bytes(one):
    return bytes.fromhex(one.replace(":", ""))


def injected(of):
    """QoS data of best effort, to an address that no radio has, behind radiotap."""
    header = bytes([QOS_DATA, 2, 0, 0]) + as_bytes(NOBODY + of + NOBODY)
    return (bytes.fromhex("0000080000000000") + header + bytes(4 + INJECTED_BYTES)).hex()


def softmac():
    """Radio 1, an access point without stations, with a monitor to inject; and a sniffer."""
    yield MODULE
    yield genl("-", messages.new_medium(1))
    yield genl("-", messages.new_radio(Radio(1, address(1), front=Front.SOFTMAC, rate=SLOW)))
    yield run("iw", "dev", "wlan0", "set", "type", "__ap")
    yield run("ip", "link", "set", "wlan0", "up")
    yield run("iw", "dev", "wlan0", "interface", "add", "mon0", "type", "monitor")
    yield run("ip", "link", "set", "mon0", "up")
    yield genl("-", messages.new_sniffer(1, "air0"))
    yield run("ip", "link", "set", "air0", "up")


def measured(length_ns, *endpoints):
    return [
        f"clock\t{T0_NS}\t{MS}\t{T0_NS + length_ns}",
        "capture\t-\tair\tair0\t65536\t1000000000",
        *endpoints,
    ]


def packet_try(pause_ns):
    return f"packet-try\t-\tframes\tmon0\t/tsqlab/plan/frames\t{pause_ns}"


def genl_try(family, pause_ns):
    return f"genl-try\t-\ttried\t{family}\t/tsqlab/plan/tried\t0\t{pause_ns}"


def tries(*payloads):
    return "".join(f"4 {one.hex()}\n" for one in payloads)


def captured(out, of):
    """Of each data frame of *of*: which fields its radiotap header has, and when it ended (ns)."""
    data, at = (out / "air.pcap").read_bytes(), 24
    while at < len(data):
        seconds, ns, length, _ = struct.unpack_from("<4I", data, at)
        packet = data[at + 16 : at + 16 + length]
        frame = packet[packet[2] :]
        if frame[0] == QOS_DATA and frame[10:16] == as_bytes(of):
            ended_ns = seconds * 10**9 + ns - BOOT_UNIX_NS - T0_NS
            if ended_ns > 0:
                yield struct.unpack_from("<I", packet, 4)[0], ended_ns
        at += 16 + length


def test_a_new_rate_is_that_of_frames_to_nobody_too(guest):
    """The second of two frames goes at another rate. Each is tried seven times."""
    changes = (messages.set_radio(1, address(1), rate=rate) for rate in (SLOW, RATE))
    lines = measured(200 * MS, packet_try(100 * MS), genl_try("airlink", 50 * MS))
    files = {"tried": tries(*map(payload, changes)), "frames": f"{injected(STRANGER)}\n" * 2}
    out = guest(*softmac(), *lines, "end", batches=files)
    check_console(out)
    has_mcs = [bool(fields & HAS_MCS) for fields, _ in captured(out, STRANGER)]
    assert has_mcs == [False] * 7 + [True] * 7


def by_airlink(aifsn):
    return "airlink", payload(messages.set_radio(1, address(1), edca=Edca(BEST_EFFORT, aifsn)))


def by_nl80211(aifsn):
    """SET_WIPHY with the parameters of one queue, as hostapd sends it; mac80211's conf_tx()."""

    def attribute(kind, value):
        return struct.pack("=HH", len(value) + 4, kind) + value + bytes(-len(value) & 3)

    values = ((1, bytes([BEST_EFFORT])), (2, b"\0\0"), (3, b"\1\0"), (4, b"\1\0"))
    queue = b"".join(attribute(*one) for one in (*values, (5, bytes([aifsn]))))
    device = attribute(3, struct.pack("=I", IFINDEX))
    return "nl80211", b"\2\0\0\0" + device + attribute(37, attribute(1, queue))


@pytest.mark.parametrize("by", [by_airlink, by_nl80211])
def test_a_countdown_that_becomes_shorter_does_not_end_in_the_past(guest, by):
    """AIFS, of 15 slots (151 us), has lasted for 36 to 145 us when it becomes one of 2 (34 us).

    An access point sends at T0, and the radio gets its frame while that is on the air. Either
    process may wake up late.
    """
    ap, station = address(ACCESS_POINT), address(2)
    pairs = (("AP", ACCESS_POINT, ""), ("C", 2, ap))
    lines = [*softmac(), *nodes()]
    for node, number, access_point in pairs:
        device = f"r{number}"
        lines += [radio(number, access_point=access_point, rate=SLOW)]
        lines += [run("ip", "link", "set", device, "netns", node)]
        lines += [run("ip", "-n", node, "address", "add", f"10.0.0.{number}/24", "dev", device)]
        lines += [run("ip", "-n", node, "link", "set", device, "up")]
    neighbour = ("neigh", "add", "10.0.0.2", "lladdr", station, "dev", f"r{ACCESS_POINT}")
    lines += [run("ip", "-n", "AP", *neighbour)]
    edca = Edca(BEST_EFFORT, 15, cw_min=0, cw_max=0)
    lines += [genl("-", messages.set_radio(1, address(1), edca=edca))]

    change_ns = DATAGRAM_NS + SIFS_NS + ACK_NS + 95_000
    family, message = by(2)
    words = f"10.0.0.2\t9\t0\t{DATAGRAM_BYTES}\t100000\t{T0_NS}\t{T0_NS + 10 * MS}"
    lines += measured(
        50 * MS,
        *(f"udp\tC\treceived\trecv\t{words}", f"udp\tAP\tsent\tsend\t{words}"),
        *(packet_try(MS), genl_try(family, change_ns)),
    )
    files = {"tried": tries(b"\0\0\0\0", message), "frames": f"00\n{injected(address(1))}\n"}
    out = guest(*lines, "end", batches=files)
    check_console(out)
    assert (out / "tried.answers").read_text().splitlines()[1] == "0\t"

    ((_, datagram_ends_ns),) = captured(out, ap)
    first_ns = datagram_ends_ns + SIFS_NS + ACK_NS + SIFS_NS + 2 * SLOT_NS
    _, frame_ends_ns = next(captured(out, address(1)))
    begins_ns = frame_ends_ns - INJECTED_NS
    assert (begins_ns - first_ns) % SLOT_NS == 0
    assert change_ns <= begins_ns < change_ns + SLACK_NS + SLOT_NS
