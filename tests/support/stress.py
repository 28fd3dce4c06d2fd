# SPDX-License-Identifier: GPL-2.0-or-later
"""airlink's devices under traffic: a BSS to disturb, and what must be true afterwards."""

import re

from bss import ACCESS_POINT, address, genl
from tsqlab.airlink import messages
from tsqlab.airlink.messages import PhyRate, Radio
from tsqlab.airlink.uapi import Phy, ProfileAttribute

COMPLAINTS = re.compile(
    r"BUG|WARNING|KASAN|UBSAN|INFO: |Call Trace|unreferenced object|refcount|use-after|possible"
    r"|inconsistent lock|circular",
)
HARMLESS = re.compile(r"random: |loading out-of-tree|no symbol version|crng")
RATE = PhyRate(Phy.HT, 7, 2, 40, 400)
SLOW = PhyRate(Phy.LEGACY, 0, 1, 20, 800)  # 6 Mbit/s
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


def bss(rate=RATE):
    """An access point and a station, each in a node of its own."""
    yield genl("-", messages.new_medium(1))
    yield radio(ACCESS_POINT, rate=rate)
    yield radio(1, rate=rate, profile=USB)
    for node, number in (("AP", ACCESS_POINT), ("C", 1)):
        yield run("ip", "link", "set", f"r{number}", "netns", node)
        yield run("ip", "-n", node, "address", "add", f"10.0.0.{number}/24", "dev", f"r{number}")
        yield run("ip", "-n", node, "link", "set", f"r{number}", "up")


# The host takes a guest of which it hears nothing for a while to be stuck.
SIGNS_OF_LIFE = run(
    "sh", "-c", "while read up_s rest </proc/uptime; do echo $up_s; sleep 1; done >/dev/console &"
)


def nodes():
    return [run("ip", "netns", "add", node) for node in ("AP", "C")]


# What is left when all is over; kmemleak does not suspect what is younger than 5 s.
AFTERWARDS = """\
sleep 2
rmmod MODULE || exit
if [ -d /sys/kernel/debug ]; then
	mount -t debugfs none /sys/kernel/debug 2>/dev/null
	cd /sys/kernel/debug
	for again in 1 2; do sleep 10; echo scan > kmemleak; done
	cat kmemleak
fi
echo over
"""


def wait_until(s):
    """For a shell: to wait until so many seconds have passed since the boot."""
    return f"read up_s rest < /proc/uptime; sleep $(({s} - ${{up_s%.*}}))"


def afterwards(t0_s, module="airlink"):
    return {"afterwards": f"{wait_until(t0_s)}\n{AFTERWARDS.replace('MODULE', module)}"}, run(
        "sh", "-c", "sh /tsqlab/plan/afterwards >/tsqlab/out/afterwards 2>&1 &"
    )


def clock(t0_s, seconds):
    """And an endpoint that lasts until its end: without one the guest would end at once."""
    yield run("ip", "link", "set", "lo", "up")
    yield f"clock\t{t0_s * 10**9}\t{10**9}\t{(t0_s + seconds) * 10**9}"
    yield f"ping\t-\twaits\ticmp\t127.0.0.1\t9\t0\t{10**9}"


def check_console(out):
    """The kernel has had no complaint."""
    console = (out.parent / "console").read_text(errors="replace")
    bad = [line for line in console.splitlines()
           if COMPLAINTS.search(line) and not HARMLESS.search(line)]  # fmt: skip
    assert not bad, console[-8000:]


def check(out):
    """And nothing is left of the module."""
    check_console(out)
    assert (out / "afterwards").read_text() == "over\n"
