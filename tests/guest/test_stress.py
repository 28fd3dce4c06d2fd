# SPDX-License-Identifier: GPL-2.0-or-later
"""airlink's devices and the module itself come and go under traffic.

In `make test` a few times, over the guests' kernel. In `make test-sanitized` a thousand times,
over one with KASAN, UBSAN, lockdep and kmemleak, which end the test with what they find.
"""

import re

import pytest

from bss import ACCESS_POINT, address, genl
from tsqlab.airlink import messages
from tsqlab.airlink.messages import Edca, Link, PhyRate, Radio
from tsqlab.airlink.uapi import Front, Phy, ProfileAttribute

COMPLAINTS = re.compile(
    r"BUG|WARNING|KASAN|UBSAN|INFO: |Call Trace|unreferenced object|refcount|use-after|possible"
    r"|inconsistent lock|circular",
)
HARMLESS = re.compile(r"random: |loading out-of-tree|no symbol version|crng")
RATE = PhyRate(Phy.HT, 7, 2, 40, 400)
USB = {
    ProfileAttribute.DEVICE_QUEUES: 1,
    ProfileAttribute.BUS_FRAMES: 20,
    ProfileAttribute.BUS_BYTES: 32768,
    ProfileAttribute.BUS_TRANSFERS: 1,
    ProfileAttribute.BUS_MBPS: 400,
    ProfileAttribute.DEVICE_FRAMES: 33,
    ProfileAttribute.REPORT_NS: 500_000,
    ProfileAttribute.REFILL_NS: 400_000,
}
MODULE = "module\t/tsqlab/modules/airlink.ko"


def run(*words):
    return "\t".join(["run", "-", *words])


def radio(number, **more):
    """A fullmac radio of medium 1, with what differs."""
    ap = "" if number == ACCESS_POINT else address(ACCESS_POINT)
    more = {"access_point": ap, "rate": RATE, **more}
    return genl("-", messages.new_radio(Radio(1, address(number), f"r{number}", **more)))


def bss():
    """An access point and a station, each in a node of its own."""
    yield genl("-", messages.new_medium(1))
    yield radio(ACCESS_POINT)
    yield radio(1, profile=USB)
    for node, number in (("AP", ACCESS_POINT), ("C", 1)):
        yield run("ip", "link", "set", f"r{number}", "netns", node)
        yield run("ip", "-n", node, "address", "add", f"10.0.0.{number}/24", "dev", f"r{number}")
        yield run("ip", "-n", node, "link", "set", f"r{number}", "up")


# The host takes a guest of which it hears nothing for a while to be stuck.
SIGNS_OF_LIFE = run("sh", "-c", "while cat /proc/uptime; do sleep 0.2; done >/dev/console &")


def nodes():
    return [run("ip", "netns", "add", node) for node in ("AP", "C")]


def flows(stop_ns):
    """Both ways; and to one that is there at times, whose frames are in flight when it goes."""
    ap = f"r{ACCESS_POINT}"
    yield run("ip", "-n", "AP", "neigh", "add", "10.0.0.2", "lladdr", address(2), "dev", ap)
    for node, to, name in (("C", "254", "up"), ("AP", "1", "down"), ("AP", "2", "away")):
        # Not as fast as it goes: what has no receiver is dropped at once, and never blocks.
        yield f"udp\t{node}\t{name}\tsend\t10.0.0.{to}\t9\t0\t1400\t40000000\t1\t{stop_ns}"


# Pings bear a device's end. Below 10 ms ping polls, and time would stand still. The shell waits
# for them: as orphans they would be init's, which waits for none before the plan's end.
UNLOAD_UNDER_PINGS = """\
for one in 1 2 3 4; do
	ip netns exec C ping -q -i 0.01 -s 1400 -w 1 10.0.0.254 >/dev/null 2>&1 &
done
sleep 0.0$1
rmmod airlink || exit
wait
"""


# What is left when all is over; kmemleak does not suspect what is younger than 5 s.
AFTERWARDS = """\
sleep 2
rmmod airlink || exit
if [ -d /sys/kernel/debug ]; then
	mount -t debugfs none /sys/kernel/debug
	cd /sys/kernel/debug
	for again in 1 2; do sleep 10; echo scan > kmemleak; done
	cat kmemleak
fi
echo over
"""


def afterwards(t0_s):
    text = f"read up_s rest < /proc/uptime\nsleep $(({t0_s} - ${{up_s%.*}}))\n{AFTERWARDS}"
    return {"afterwards": text}, run(
        "sh", "-c", "sh /tsqlab/plan/afterwards >/tsqlab/out/afterwards 2>&1 &"
    )


def clock(t0_s, seconds):
    """And an endpoint that lasts until its end: without one the guest would end at once."""
    yield run("ip", "link", "set", "lo", "up")
    yield f"clock\t{t0_s * 10**9}\t{10**9}\t{(t0_s + seconds) * 10**9}"
    yield f"ping\t-\twaits\ticmp\t127.0.0.1\t9\t0\t{10**9}"


def check(out):
    console = (out.parent / "console").read_text(errors="replace")
    bad = [line for line in console.splitlines()
           if COMPLAINTS.search(line) and not HARMLESS.search(line)]  # fmt: skip
    assert not bad, console[-8000:]
    assert (out / "afterwards").read_text() == "over\n"


@pytest.mark.parametrize("front", [Front.FULLMAC, Front.SOFTMAC])
def test_radios_come_and_go_under_traffic(guest, cycles, front):
    cycles = cycles if front == Front.FULLMAC else cycles // 4
    t0_s = 5 + cycles // 10  # a cycle takes 50 ms
    lines = [SIGNS_OF_LIFE, MODULE, *nodes(), *bss(), *clock(t0_s, 60), *flows(t0_s * 10**9)]
    for number in range(cycles):
        lines.append(
            radio(
                2,
                front=front,
                profile=USB if number % 2 else None,
                access_point=address(ACCESS_POINT) if front == Front.FULLMAC else "",
            )
        )
        device = "r2" if front == Front.FULLMAC else "wlan0"
        lines.append(run("ip", "link", "set", device, "up"))
        changes = (
            messages.set_link(Link(1, address(ACCESS_POINT), address(2), loss_ppb=10**8)),
            messages.set_link(Link(1, address(2), address(1), hears=bool(number % 3))),
            messages.set_radio(1, address(2), edca=Edca(2, cw_min=number % 16, cw_max=63)),
        )
        lines += [genl("-", change) for change in changes]
        lines.append(run("sleep", f"0.0{number % 10}"))
        lines.append(genl("-", messages.del_radio(1, address(2))))
    files, check_leaks = afterwards(t0_s)
    check(guest(*lines, check_leaks, "end", batches=files))


def test_the_module_comes_and_goes_under_traffic(guest, cycles):
    lines = [SIGNS_OF_LIFE, *nodes()]
    for number in range(cycles):
        lines += [MODULE, *bss(), run("sh", "/tsqlab/plan/unload", str(number % 10))]
    t0_s = 10 + 5 * cycles // 4  # a cycle takes 1.05 s
    files, check_leaks = afterwards(t0_s)
    files["unload"] = UNLOAD_UNDER_PINGS
    lines += [MODULE, check_leaks, *clock(t0_s, 60), "end"]
    check(guest(*lines, batches=files))
