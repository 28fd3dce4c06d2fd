# SPDX-License-Identifier: GPL-2.0-or-later
"""Radios whose device moves to other network namespaces, goes down, and changes its MTU.

All of it under traffic: to the radio, from it (pings, at a rate that 6 Mbit/s do not carry), and
between two others. As with the other stress tests: a few times, or hundreds with --sanitized.
"""

import pytest

from bss import ACCESS_POINT, address, genl
from stress import (
    MODULE,
    SIGNS_OF_LIFE,
    SLOW,
    USB,
    afterwards,
    bss,
    check,
    clock,
    nodes,
    radio,
    run,
)
from tsqlab.airlink import messages
from tsqlab.airlink.messages import Radio
from tsqlab.airlink.uapi import Front

PEER, MOVER = 2, 3
"""A softmac radio, and the one that moves, which is of either kind."""
BSSID = "02:00:00:00:01:00"
JOIN = f"iw dev wlan0 ibss join i 5180 fixed-freq {BSSID}"

# Pings bear a device's end. ping polls when its next one is due within 10 ms, and virtual time
# nearly stands still: the answer should come before that.
PINGS = """\
while sleep 0.5; do
	ip netns exec $1 ping -q -i 0.05 -l 8 -s 1400 -w 2 $2
done >/dev/null 2>&1
"""
# A namespace is over when the last process has left it; then its devices are in the first one.
COMES_BACK = "until ip link show {device} >/dev/null 2>&1; do sleep 0.2; done"
DEVICE = {Front.FULLMAC: "r3", Front.SOFTMAC: "wlan0"}
PARTNER = {Front.FULLMAC: f"10.0.0.{ACCESS_POINT}", Front.SOFTMAC: f"10.0.0.{PEER}"}


class Mover:
    """A radio that is in the first namespace, in X or in Y, and the lines that move it."""

    def __init__(self, front):
        self.front = front
        self.device = DEVICE[front]
        self.wiphys = 1  # the peer's is the first

    def made(self, profile=None):
        fullmac = self.front == Front.FULLMAC
        yield radio(
            MOVER,
            front=self.front,
            access_point=address(ACCESS_POINT) if fullmac else "",
            rate=SLOW,
            profile=profile,
        )
        if not fullmac:
            self.wiphys += 1
            yield run("iw", "dev", self.device, "set", "type", "ibss")

    def moved(self, of, to):
        namespace = "1" if to == "-" else to
        if self.front == Front.FULLMAC:
            words = ("ip", "link", "set", self.device, "netns", namespace)
        else:
            name = () if to == "-" else ("name",)
            words = ("iw", f"phy#{self.wiphys - 1}", "set", "netns", *name, namespace)
        yield in_node(of, *words)

    def up(self, node):
        yield in_node(node, "ip", "-batch", "/tsqlab/plan/up")
        if self.front == Front.SOFTMAC:
            yield in_node(node, *JOIN.split())

    def files(self):
        device = self.device
        up = [f"address add 10.0.0.{MOVER}/24 dev {device}", f"link set {device} up"]
        flap = []
        for mtu in (576, 2000, 1500):
            flap += [f"link set {device} mtu {mtu}", f"link set {device} down"]
            flap += [f"link set {device} mtu 2296", f"link set {device} up"]
        mtus = [f"link set {device} mtu {mtu}" for mtu in (256, 600, 2296, 1280, 1500)]
        texts = {"up": up, "flap": flap, "mtus": mtus}
        return {name: "".join(f"{line}\n" for line in text) for name, text in texts.items()}


def in_node(node, *words):
    return "\t".join(["run", node, *words])


def begin(mover):
    """Three pairs: two fullmac radios, the peer and maybe the mover, the mover and its partner."""
    yield from (SIGNS_OF_LIFE, MODULE, *nodes())
    yield from (run("ip", "netns", "add", node) for node in ("P", "X", "Y"))
    yield from bss()
    made = Radio(1, address(PEER), front=Front.SOFTMAC, rate=SLOW)
    yield genl("P", messages.new_radio(made))
    yield in_node("P", "iw", "dev", "wlan0", "set", "type", "ibss")
    yield in_node("P", "ip", "address", "add", f"10.0.0.{PEER}/24", "dev", "wlan0")
    yield in_node("P", "ip", "link", "set", "wlan0", "up")
    yield in_node("P", *JOIN.split())
    yield from mover.made(USB)
    for node in ("X", "Y"):
        for _ in range(2):
            yield run("sh", "-c", f"sh /tsqlab/plan/pings {node} {PARTNER[mover.front]} &")


def flows(front, stop_ns):
    """Both ways between the two that stay; and to the mover, whom its partner sends to blindly."""
    fullmac = front == Front.FULLMAC
    partner, device = ("AP", f"r{ACCESS_POINT}") if fullmac else ("P", "wlan0")
    neighbour = ("neigh", "add", f"10.0.0.{MOVER}", "lladdr", address(MOVER), "dev", device)
    yield in_node(partner, "ip", *neighbour)
    for node, to, name, mbps in (
        *(("C", ACCESS_POINT, "up", 20), ("AP", 1, "down", 20)),
        (partner, MOVER, "away", 5),
    ):
        yield f"udp\t{node}\t{name}\tsend\t10.0.0.{to}\t9\t0\t1400\t{mbps * 10**6}\t1\t{stop_ns}"


def works(mover, node):
    """The mover answers at last: the plan stops here if it does not."""
    yield run("sleep", "2")
    ping = ("ping", "-q", "-c", "20", "-i", "0.05", "-w", "5", PARTNER[mover.front])
    yield in_node(node, *ping)


@pytest.fixture(name="cycles")
def few_cycles(cycles, kernel_watches):
    """Each starts a dozen programs: with --sanitized there are 200 of them, in all pieces."""
    return cycles[:20] if kernel_watches else cycles[:6]


def carry_out(guest, mover, t0_s, length_s, cycles):
    files, check_leaks = afterwards(t0_s)
    files |= {"pings": PINGS, **mover.files()}
    lines = [*begin(mover), *clock(t0_s, length_s), *flows(mover.front, t0_s * 10**9), *cycles]
    check(guest(*lines, check_leaks, "end", batches=files))


@pytest.mark.parametrize("front", [Front.FULLMAC, Front.SOFTMAC])
def test_a_radio_moves_between_namespaces_under_traffic(guest, cycles, afterwards_s, front):
    mover = Mover(front)

    def cycle(number):
        pause = run("sleep", f"0.0{number % 10}")
        yield from (*mover.moved("-", "X"), *mover.up("X"), pause)
        yield from (*mover.moved("X", "Y"), *mover.up("Y"), pause)
        match number % 4:
            case 0:  # and back
                yield from (*mover.moved("Y", "X"), *mover.moved("X", "-"))
            case 1:  # it is removed where it is, by the first namespace
                yield genl("-", messages.del_radio(1, address(MOVER)))
                yield from mover.made()
            case 2:  # or by the one that it is in
                yield genl("Y", messages.del_radio(1, address(MOVER)))
                yield from mover.made(USB)
            case 3:  # the namespace ends
                yield run("ip", "netns", "delete", "Y")
                yield run("sh", "-c", COMES_BACK.format(device=mover.device))
                yield run("ip", "netns", "add", "Y")

    def all_cycles():
        for number in cycles:
            yield from cycle(number)
        yield from (*mover.moved("-", "X"), *mover.up("X"), *works(mover, "X"))

    carry_out(guest, mover, 6 + len(cycles) // 2, afterwards_s, all_cycles())


@pytest.mark.parametrize("front", [Front.FULLMAC, Front.SOFTMAC])
def test_a_link_goes_down_and_changes_its_mtu_under_traffic(guest, cycles, afterwards_s, front):
    """Six times down, and eleven other MTUs in each cycle."""
    mover = Mover(front)

    def all_cycles():
        yield from (*mover.moved("-", "X"), *mover.up("X"))
        for number in cycles:
            yield in_node("X", "ip", "-batch", "/tsqlab/plan/flap")
            if front == Front.SOFTMAC:
                yield in_node("X", *JOIN.split())
            yield run("sleep", f"0.0{number % 10}")
            for device, node in ((mover.device, "X"), ("r1", "C"), (f"r{ACCESS_POINT}", "AP")):
                if device == mover.device:
                    yield in_node(node, "ip", "-batch", "/tsqlab/plan/mtus")
                else:
                    mtu = (1500, 700, 2296)[number % 3]
                    yield in_node(node, "ip", "link", "set", device, "mtu", str(mtu))
            yield run("sleep", f"0.0{number % 7}")
        yield from works(mover, "X")

    carry_out(guest, mover, 6 + len(cycles) // 8, afterwards_s, all_cycles())
