# SPDX-License-Identifier: GPL-2.0-or-later
"""airlink's devices and the module itself come and go under traffic.

In `make test` a few times, over the guests' kernel. In `make test-sanitized` a thousand times,
over one with KASAN, UBSAN, lockdep and kmemleak, which end the test with what they find.
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
from tsqlab.airlink.messages import Edca, Link
from tsqlab.airlink.uapi import Front


def flows(stop_ns):
    """Both ways; and to one that is there at times, whose frames are in flight when it goes."""
    ap = f"r{ACCESS_POINT}"
    yield run("ip", "-n", "AP", "neigh", "add", "10.0.0.2", "lladdr", address(2), "dev", ap)
    for node, to, name in (("C", "254", "up"), ("AP", "1", "down"), ("AP", "2", "away")):
        # Not as fast as it goes: what has no receiver is dropped at once, and never blocks.
        yield f"udp\t{node}\t{name}\tsend\t10.0.0.{to}\t9\t0\t1400\t40000000\t1\t{stop_ns}"


# Pings bear a device's end. At 6 Mbit/s the first 32 and their answers take the air for 120 ms,
# and the module goes before that. The shell waits for them: as orphans they would be init's, which
# waits for none before the plan's end.
UNLOAD_UNDER_PINGS = """\
for one in 1 2 3 4; do
	ip netns exec C ping -q -i 0.05 -l 8 -s 1400 -w 1 10.0.0.254 >/dev/null 2>&1 &
done
sleep 0.0$1
rmmod airlink || exit
wait
"""


@pytest.mark.parametrize("front", [Front.FULLMAC, Front.SOFTMAC])
def test_radios_come_and_go_under_traffic(guest, cycles, afterwards_s, front):
    cycles = cycles if front == Front.FULLMAC else cycles[::4]
    t0_s = 5 + len(cycles) // 10  # a cycle takes 50 ms
    lines = [
        SIGNS_OF_LIFE,
        MODULE,
        *nodes(),
        *bss(),
        *clock(t0_s, afterwards_s),
        *flows(t0_s * 10**9),
    ]
    for number in cycles:
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


def test_the_module_comes_and_goes_under_traffic(guest, cycles, afterwards_s):
    lines = [SIGNS_OF_LIFE, *nodes()]
    for number in cycles:
        lines += [MODULE, *bss(SLOW), run("sh", "/tsqlab/plan/unload", str(number % 10))]
    t0_s = 10 + 5 * len(cycles) // 4  # a cycle takes 1.05 s
    files, check_leaks = afterwards(t0_s)
    files["unload"] = UNLOAD_UNDER_PINGS
    lines += [MODULE, check_leaks, *clock(t0_s, afterwards_s), "end"]
    check(guest(*lines, batches=files))
