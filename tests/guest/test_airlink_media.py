# SPDX-License-Identifier: GPL-2.0-or-later
"""Several BSSs on one medium, which share it, and several media, which do not."""

import pytest

from bss import MS, PAYLOAD_BYTES, address, genl, phy_rate, watch
from stress import MODULE
from tsqlab.airlink import messages
from tsqlab.airlink.messages import Radio
from tsqlab.airlink.uapi import ProfileAttribute, Role
from tsqlab.model import contention
from tsqlab.model.exchange import exchange
from tsqlab.model.mac import mpdu_bytes
from tsqlab.model.phy import Rate
from tsqlab.results.measurement import read_table

RATE = Rate("HT", 40, 1, 7, 400)
ALONE = exchange(RATE, mpdu_bytes(1500))
SECONDS = 8
T0_NS, STOP_NS = 10_000 * MS, (10_000 + 1000 * SECONDS) * MS
ONE_FRAME = {ProfileAttribute.AGGREGATE_FRAMES: 1}
BUFFER = "write\t-\t/proc/sys/net/core/wmem_default\t2000000"


def clock(step_ns=100 * MS):
    return f"clock\t{T0_NS}\t{step_ns}\t{STOP_NS}"


def radio(node, medium, number, ip, **more):
    """A radio in *node*, which is there, with its address."""
    device = f"r{number}"
    made = Radio(
        medium, address(number), device, rate=phy_rate(RATE), profile=ONE_FRAME, **more
    )  # fmt: skip
    yield genl(node, messages.new_radio(made))
    yield f"run\t{node}\tip\taddress\tadd\t{ip}/24\tdev\t{device}"
    yield f"run\t{node}\tip\tlink\tset\t{device}\tup"


def neighbour(node, device, ip, number):
    return f"run\t{node}\tip\tneigh\tadd\t{ip}\tlladdr\t{address(number)}\tdev\t{device}"


def nodes(*names):
    """Without IPv6, whose hosts send to all by themselves."""
    for name in names:
        yield f"run\t-\tip\tnetns\tadd\t{name}"
        yield f"write\t{name}\t/proc/sys/net/ipv6/conf/all/disable_ipv6\t1"


def udp(sender, receiver, ip, name, mbps=0):
    """From a second before the measurement to its end."""
    what = f"{ip}\t5001\t0\t{PAYLOAD_BYTES}\t{mbps * 10**6}\t{T0_NS - 1000 * MS}\t{STOP_NS}"
    yield f"udp\t{receiver}\t{name}-recv\trecv\t{what}"
    yield f"udp\t{sender}\t{name}-send\tsend\t{what}"


def per_s(out, name, column):
    values = read_table(out / f"{name}.tsv")[column]
    return (values[-1] - values[0]) / SECONDS


def two_bss():
    """Access points A and B with a station each, C of A and D of B, on one medium."""
    yield from (MODULE, BUFFER, genl("-", messages.new_medium(1)), *nodes(*"ABCD"))
    for ap, station, subnet in ((("A", 1), ("C", 3), 1), (("B", 2), ("D", 4), 2)):
        for (node, number), (_, other) in ((ap, station), (station, ap)):
            access_point = "" if number == ap[1] else address(other)
            yield from radio(node, 1, number, f"10.0.{subnet}.{number}", access_point=access_point)
            yield neighbour(node, f"r{number}", f"10.0.{subnet}.{other}", other)


def test_two_bss_share_a_channel_as_two_stations_do(guest):
    """Within 2 % of the exact simulation, and fairly."""
    lines = [*two_bss(), clock()]
    for number, node, ap, subnet in ((3, "C", "A", 1), (4, "D", "B", 2)):
        lines += udp(node, ap, f"10.0.{subnet}.{number - 2}", node)
        lines.append(watch(node, f"radio{node}", 1, address(number)))
    out = guest(*lines, "end")
    one = contention.Contender(ALONE.ppdu_ns, ALONE.sifs_ns + ALONE.response_ns, 1, attempts=7)
    model = contention.simulate([one] * 2, 20_000).goodput_bit_per_s.value
    frames = [per_s(out, f"radio{node}", "frames_acked") for node in "CD"]
    assert sum(frames) == pytest.approx(model, rel=0.02)
    assert frames[0] == pytest.approx(frames[1], rel=0.05)


def test_what_goes_to_all_of_a_bss_stays_in_it(guest):
    """Multicast frames of A's go to C, and B neither passes them up nor sends them on."""
    lines = [*two_bss(), "run\tC\tip\troute\tadd\t239.0.0.0/8\tdev\tr3", clock()]
    lines += [f"udp\tC\tall\tsend\t239.1.1.1\t9\t0\t1000\t400000\t{T0_NS}\t{STOP_NS}"]
    lines += [watch(node, f"radio{node}", 1, address(n)) for n, node in enumerate("ABCD", 1)]
    out = guest(*lines, "end")
    sent = read_table(out / "all.tsv")["datagrams"][-1]
    assert sent > 300
    # C sends to A, and A to all of its BSS, which C hears.
    assert per_s(out, "radioA", "frames_received") * SECONDS == pytest.approx(sent, abs=2)
    assert per_s(out, "radioC", "frames_received") * SECONDS == pytest.approx(sent, abs=2)
    for node in "BD":
        assert per_s(out, f"radio{node}", "frames_received") == 0
        assert per_s(out, f"radio{node}", "ppdus") == 0
        assert per_s(out, f"radio{node}", "busy_ns") > 0, "it hears them all the same"


def test_a_relay_with_a_radio_on_each_of_two_media_costs_nothing(guest):
    """Each hop has its channel to itself: as much as one hop, and not half of it; within 1 %."""
    lines = [MODULE, BUFFER, *(genl("-", messages.new_medium(n, seed=n)) for n in (1, 2))]
    lines += nodes(*"CRS")
    for node, medium, number, ip in (
        *(("C", 1, 1, "10.0.1.1"), ("R", 1, 2, "10.0.1.2")),
        *(("R", 2, 3, "10.0.2.3"), ("S", 2, 4, "10.0.2.4")),
    ):
        lines += radio(node, medium, number, ip, role=Role.PEER)
    lines += ["write\tR\t/proc/sys/net/ipv4/ip_forward\t1"]
    lines += ["run\tC\tip\troute\tadd\t10.0.2.0/24\tvia\t10.0.1.2"]
    lines += [neighbour("C", "r1", "10.0.1.2", 2), neighbour("R", "r3", "10.0.2.4", 4)]
    lines += [clock(), *udp("C", "S", "10.0.2.4", "flow")]
    lines += [watch("S", "radioS", 2, address(4))]
    out = guest(*lines, "end")
    assert per_s(out, "radioS", "frames_received") == pytest.approx(1e9 / ALONE.total_ns, rel=0.01)
