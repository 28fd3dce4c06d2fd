# SPDX-License-Identifier: GPL-2.0-or-later
"""Radios that change, come and leave while others use the air."""

import pytest

from bss import ACCESS_POINT, address, genl, watch
from stress import MODULE, RATE, SLOW, USB, bss, check_console, nodes, radio, run
from tsqlab.airlink import messages
from tsqlab.airlink.messages import Link, Radio, payload
from tsqlab.airlink.uapi import Front, ProfileAttribute
from tsqlab.results.measurement import read_table

MS = 10**6
T0_NS = 10_000 * MS
AP = address(ACCESS_POINT)
EBUSY, EEXIST, EINVAL, ERANGE, EMSGSIZE, EOPNOTSUPP = 16, 17, 22, 34, 90, 95
Field = ProfileAttribute


def tries(*requests):
    """What genl-try reads: messages that want an answer."""
    return "".join(f"4 {payload(request).hex()}\n" for request in requests)


def trying(pause_ns):
    return f"genl-try\t-\ttried\tairlink\t/tsqlab/plan/tried\t0\t{pause_ns}"


def answers(out):
    lines = (out / "tried.answers").read_text().splitlines()
    return [(int(number), text) for number, text in (line.split("\t") for line in lines)]


def clock(length_ns, step_ns=10 * MS):
    return f"clock\t{T0_NS}\t{step_ns}\t{T0_NS + length_ns}"


def send(node, name, to, mbps, length_ns):
    words = f"send\t{to}\t9\t0\t1400\t{mbps * 10**6}\t{T0_NS}\t{T0_NS + length_ns}"
    return f"udp\t{node}\t{name}\t{words}"


def change(**fields):
    profile = {Field[name.upper()]: value for name, value in fields.items()}
    return messages.set_radio(1, address(1), profile=profile)


def test_a_profile_changes_under_traffic_or_is_refused(guest):
    """Each change meets a bus that is full: 100 Mbit/s are offered, it takes 20."""
    requests = [
        (change(bus_frames=0), EBUSY, "bus_frames"),
        (change(bus_frames=0, bus_mbps=0), EBUSY, "bus_frames"),
        (change(bus_mbps=0), ERANGE, "bus_mbps"),
        (change(bus_transfers=8), 0, ""),
        (change(bus_transfers=1, bus_frames=1), 0, ""),
        (change(device_frames=1), 0, ""),
        (change(device_frames=0), 0, ""),
        (change(report_ns=50 * MS), 0, ""),
        (change(report_ns=0, report_frames=32, report_wait_ns=20 * MS), 0, ""),
        (change(host_frames=1, resume_frames=1), 0, ""),
        (change(host_frames=1000, resume_frames=1000), 0, ""),
        (change(window_frames=1, aggregates_ahead=1), 0, ""),
        (change(window_frames=256, aggregates_ahead=8), 0, ""),
        (change(device_queues=0), 0, ""),  # says nothing of a fullmac radio
    ]
    length_ns = (len(requests) + 50) * 10 * MS
    lines = [
        *(MODULE, *nodes(), *bss()),
        clock(length_ns),
        send("C", "up", f"10.0.0.{ACCESS_POINT}", 100, length_ns),
        watch("C", "counts", 1, address(1)),
        trying(10 * MS),
    ]
    files = {"tried": tries(change(bus_mbps=20), *(request for request, _, _ in requests))}
    out = guest(*lines, "end", batches=files)
    check_console(out)
    (first, _), *rest = answers(out)
    assert first == 0
    for (number, text), (_, expected, field) in zip(rest, requests, strict=True):
        assert number == expected, text
        assert field in text
    acked = read_table(out / "counts.tsv")["frames_acked"]
    assert acked[-1] > acked[-20] > acked[len(requests)], "the radio goes on"


def test_what_mac80211_was_told_does_not_change(guest):
    push = Radio(1, address(1), front=Front.SOFTMAC, profile={Field.DEVICE_QUEUES: 1})
    requests = [
        (messages.new_radio(push), 0, ""),
        (change(device_queues=0), EOPNOTSUPP, "device_queues"),
        (change(pacing_shift=7), EOPNOTSUPP, "pacing_shift"),
        (change(aql=0), EOPNOTSUPP, "aql"),
        (change(device_queues=1, aggregate_frames=2), 0, ""),
    ]
    out = refused_or_not(guest, requests)
    check_console(out)


def refused_or_not(guest, requests):
    files = {"tried": tries(messages.new_medium(1), *(request for request, _, _ in requests))}
    out = guest(MODULE, clock(len(requests) * MS), trying(MS), "end", batches=files)
    got = answers(out)[1:]
    assert [number for number, _ in got] == [number for _, number, _ in requests], got
    for (_, text), (_, _, part) in zip(got, requests, strict=True):
        assert part in text
    return out


@pytest.mark.parametrize("name", ["a/b", ".", "..", "a b", "x:y"])
def test_a_name_that_no_device_can_have_is_refused(guest, name):
    said = "not a name that a device can have"
    requests = [
        *((messages.new_radio(Radio(1, address(1), name, front)), EINVAL, said) for front in Front),
        (messages.new_sniffer(1, name), EINVAL, said),
        (messages.new_sniffer(1, ""), EINVAL, said),
        (messages.new_sniffer(1, "a" * 16), EINVAL, ""),
        (messages.new_radio(Radio(1, address(1), "lo")), EEXIST, "its name free"),
    ]
    check_console(refused_or_not(guest, requests))


def test_a_peer_that_leaves_does_not_stall_the_others(guest):
    """Its frames fill the bus, which carries one at a time, when it leaves.

    The host has stopped by then, and goes on only when the last frame is reported.
    """
    bus = {**USB, Field.BUS_FRAMES: 1, Field.BUS_MBPS: 20, Field.DEVICE_FRAMES: 1,
           Field.HOST_FRAMES: 20, Field.RESUME_FRAMES: 1, Field.REPORT_NS: 0,
           Field.REFILL_NS: 0}  # fmt: skip
    leaves = range(2, 10)
    length_ns = 1000 * MS
    lines = [MODULE, *nodes(), *bss_of(bus, leaves), clock(length_ns)]
    lines += [send("AP", "stays", "10.0.0.1", 5, length_ns)]
    lines += [send("AP", f"leaves{n}", f"10.0.0.{n}", 10, length_ns) for n in leaves]
    lines += [watch("AP", "counts", 1, AP), trying(50 * MS)]
    files = {"tried": tries(*(messages.del_radio(1, address(n)) for n in leaves))}
    out = guest(*lines, "end", batches=files)
    check_console(out)
    acked = read_table(out / "counts.tsv")["frames_acked"]
    assert acked[-1] - acked[-30] > 100, "5 Mbit/s are 134 frames in 300 ms"


def bss_of(profile, others):
    """An access point with that profile, and stations: one in C, the others in the first node."""
    ap = f"r{ACCESS_POINT}"
    yield genl("-", messages.new_medium(1))
    yield radio(ACCESS_POINT, profile=profile)
    for number in (1, *others):
        yield radio(number)
    for node, number in (("AP", ACCESS_POINT), ("C", 1)):
        yield run("ip", "link", "set", f"r{number}", "netns", node)
        yield run("ip", "-n", node, "address", "add", f"10.0.0.{number}/24", "dev", f"r{number}")
        yield run("ip", "-n", node, "link", "set", f"r{number}", "up")
    for number in (1, *others):
        neighbour = ("neigh", "add", f"10.0.0.{number}", "lladdr", address(number), "dev")
        yield run("ip", "-n", "AP", *neighbour, ap)
        if number != 1:
            yield run("ip", "-n", "C", *neighbour, "r1")
            yield run("ip", "link", "set", f"r{number}", "up")


def test_what_an_access_point_forwards_is_bound(guest):
    """100 Mbit/s from one station to another that gets 6: 8 more frames each millisecond."""
    length_ns = 500 * MS
    profile = {Field.HOST_FRAMES: 50, Field.RESUME_FRAMES: 50}
    slow = messages.set_link(Link(1, AP, address(2), rate=SLOW))
    lines = [
        *(MODULE, *nodes(), *bss_of(profile, [2])),
        genl("-", slow),
        clock(length_ns),
        send("C", "forwarded", "10.0.0.2", 100, length_ns),
        watch("AP", "counts", 1, AP),
    ]
    out = guest(*lines, "end")
    counts = read_table(out / "counts.tsv")
    assert max(counts["host_frames"]) == 50
    assert counts["frames_dropped"][-1] > 1000
    assert counts["frames_acked"][-1] > 50, "what fits in goes"


def test_who_misses_the_beginning_of_a_frame_does_not_decode_it(guest):
    """A multicast frame takes 2 ms at 6 Mbit/s; the station hears for 1 ms, then not for 1 ms."""
    length_ns, pairs = 500 * MS, 200
    hears = [messages.set_link(Link(1, AP, address(1), hears=bool(n % 2)))
             for n in range(2 * pairs)]  # fmt: skip
    lines = [
        *(MODULE, *nodes(), *bss_of({}, [])),
        run("ip", "-n", "AP", "route", "add", "239.0.0.0/8", "dev", f"r{ACCESS_POINT}"),
        clock(length_ns),
        send("AP", "multicast", "239.1.1.1", 5, length_ns),
        watch("C", "counts", 1, address(1)),
        watch("AP", "sent", 1, AP),
        trying(MS),
    ]
    out = guest(*lines, "end", batches={"tried": tries(*hears)})
    until = 2 * pairs // 10
    sent = read_table(out / "sent.tsv")["ppdus"]
    assert sent[until] - sent[0] > 150
    received = read_table(out / "counts.tsv")["frames_received"]
    assert received[until] - received[1] == 0


# A reader whose buffer is a page.
DUMP = """\
import socket, struct
s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)
name = struct.pack("=HH", 12, 2) + b"airlink\\0"
s.send(struct.pack("=IHHII", 20 + len(name), 16, 1, 1, 0) + struct.pack("=BBH", 3, 1, 0) + name)
answer, at = s.recv(4096), 20
while at < len(answer):
    length, kind = struct.unpack_from("=HH", answer, at)
    if kind == 1:
        family, = struct.unpack_from("=H", answer, at + 4)
    at += (length + 3) & ~3
s.close()
s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)
s.send(struct.pack("=IHHII", 20, family, 0x305, 1, 0) + struct.pack("=BBH", 6, 1, 0))
radios = 0
while True:
    part, at = s.recv(4096), 0
    while at < len(part):
        length, kind, flags = struct.unpack_from("=IHH", part, at)
        if kind in (2, 3):
            error, = struct.unpack_from("=i", part, at + 16)
            open("/tsqlab/out/dumped", "w").write(f"{radios} {-error}")
            raise SystemExit
        radios += 1
        at += (length + 3) & ~3
"""


def test_a_dump_without_room_for_one_radio_says_so(guest):
    """100 links of 28 bytes, and 2.2 KB of other counts, are more than a page."""
    lines = [MODULE, genl("-", messages.new_medium(1))]
    lines += [radio(number, rate=RATE) for number in (ACCESS_POINT, *range(1, 101))]
    for number in range(1, 101):
        link = Link(1, AP, address(number), loss_ppb=0)
        lines.append(genl("-", messages.set_link(link)))
    lines += [run("/usr/bin/python3", "/tsqlab/plan/dump.py"), clock(10 * MS)]
    out = guest(*lines, "end", batches={"dump.py": DUMP})
    assert (out / "dumped").read_text() == f"0 {EMSGSIZE}", "radios, and the error at the end"
