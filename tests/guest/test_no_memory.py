# SPDX-License-Identifier: GPL-2.0-or-later
"""Allocations of the radio module that fail, as failslab lets them. Only with --sanitized.

Frames may be lost meanwhile, and requests be refused. Afterwards all must go on: what mac80211 has
given out must have come back to it (AQL's pending airtime stops a station for ever otherwise), no
PPDU must be waited for that there was no memory for, and nothing must be left of the module.
"""

import pytest

import fuzz
from bss import address, genl
from stress import MODULE, SIGNS_OF_LIFE, USB, afterwards, bss, check, nodes, run, wait_until
from tsqlab.airlink import messages
from tsqlab.airlink.messages import PhyRate, Radio
from tsqlab.airlink.uapi import Front, Phy, ProfileAttribute
from tsqlab.results.measurement import read_table

T0_S = 5
SLOW = PhyRate(Phy.HT, 0, 1, 20, 800)  # 6.5 Mbit/s
TIMES = 1_000_000_000
PAUSE_NS = 2_000_000

# Allocations of the module itself, and of what it calls.
FAILSLAB = f"""\
mount -t debugfs none /sys/kernel/debug
cd /sys/kernel/debug/failslab || exit
start=$(cat /sys/module/airlink/sections/.text)
read name bytes rest <<-END
	$(grep "^airlink " /proc/modules)
END
echo $start > require-start
echo $((start + bytes)) > require-end
echo 24 > stacktrace-depth
echo N > ignore-gfp-wait
echo 0 > verbose
echo {TIMES} > times
echo $1 > probability
{wait_until("$2")}
echo 0 > probability
cat times
"""


@pytest.fixture(autouse=True)
def _failslab(kernel_watches):
    if not kernel_watches:
        pytest.skip("a kernel with CONFIG_FAILSLAB is that of --sanitized")


def failslab(percent, from_s, to_s):
    script = f"{wait_until(from_s)}; sh /tsqlab/plan/failslab {percent} {to_s}"
    return run("sh", "-c", f"({script}) >/tsqlab/out/left 2>&1 &")


def failures(out):
    return TIMES - int((out / "left").read_text())


def pairs():
    """Fullmac, and softmac with each of its device_queues; each pair on a medium of its own."""
    yield "fullmac", Front.FULLMAC, {}
    yield "usb", Front.FULLMAC, USB
    for number, name in enumerate(("pull", "push", "drain")):
        yield name, Front.SOFTMAC, {ProfileAttribute.DEVICE_QUEUES: number}


def pair(medium, name, front, profile):
    """Two radios, each in a node, and what one sends to the other as fast as that takes it."""
    yield genl("-", messages.new_medium(medium))
    for number in (1, 2):
        node = f"{name}{number}"
        access_point = address(1) if front == Front.FULLMAC and number == 2 else ""
        made = Radio(medium, address(number), "", front, access_point, SLOW, SLOW, profile)
        if front == Front.FULLMAC:
            made = Radio(medium, address(number), "wlan0", front, access_point, SLOW, None, profile)
        yield run("ip", "netns", "add", node)
        yield genl(node, messages.new_radio(made))
        if front == Front.SOFTMAC:
            yield f"run\t{node}\tiw\tdev\twlan0\tset\ttype\tibss"
        yield f"run\t{node}\tip\taddress\tadd\t10.0.0.{number}/24\tdev\twlan0"
        yield f"run\t{node}\tip\tlink\tset\twlan0\tup"
        if front == Front.SOFTMAC:
            join = f"iw dev wlan0 ibss join i 5180 HT20 fixed-freq 02:00:00:00:01:{medium:02x}"
            yield "\t".join(["run", node, *join.split()])
    yield f"run\t{name}1\tip\tneigh\tadd\t10.0.0.2\tlladdr\t{address(2)}\tdev\twlan0"


def test_traffic_goes_on_when_there_is_memory_again(guest, afterwards_s, piece):
    """Some of all allocations fail for 2 s. In the last 2 s all have what 6.5 Mbit/s carry."""
    percent = (1, 10, 30)[piece % 3]
    end_s = T0_S + 6
    files, check_leaks = afterwards(end_s + 1)
    files["failslab"] = FAILSLAB
    lines = [SIGNS_OF_LIFE, MODULE]
    for medium, (name, front, profile) in enumerate(pairs(), 1):
        lines += pair(medium, name, front, profile)
    lines += [failslab(percent, T0_S + 1, T0_S + 3), check_leaks]
    lines += [f"clock\t{T0_S * 10**9}\t{10**9}\t{(end_s + 1 + afterwards_s) * 10**9}"]
    for name, _, _ in pairs():
        words = f"10.0.0.2\t9\t0\t1400\t0\t{T0_S * 10**9}\t{end_s * 10**9}"
        lines += [f"udp\t{name}2\t{name}-to\trecv\t{words}", f"udp\t{name}1\t{name}\tsend\t{words}"]
    out = guest(*lines, "end", batches=files)
    check(out)
    assert failures(out) > 20
    for name, _, _ in pairs():
        received = read_table(out / f"{name}-to.tsv")["datagrams"]
        assert received[6] - received[4] > 2 * 400, (name, list(received[:7]))


def test_messages_without_memory_break_nothing(guest, afterwards_s, piece):
    count = 1000
    end_s = T0_S + count * PAUSE_NS // 10**9 + 1
    files, check_leaks = afterwards(end_s)
    files |= {"failslab": FAILSLAB, "fuzz": "".join(f"{one}\n" for one in fuzz.lines(piece, count))}
    lines = [SIGNS_OF_LIFE, MODULE, *nodes(), *bss(), failslab(5, T0_S, end_s - 1), check_leaks]
    lines += [run("ip", "link", "set", "lo", "up")]
    lines += [f"clock\t{T0_S * 10**9}\t{10**9}\t{(end_s + afterwards_s) * 10**9}"]
    lines += ["ping\t-\twaits\ticmp\t127.0.0.1\t9\t0\t1000000000"]
    lines += [f"genl-try\t-\tfuzz\tairlink\t/tsqlab/plan/fuzz\t0\t{PAUSE_NS}"]
    out = guest(*lines, "end", batches=files)
    check(out)
    assert failures(out) > 50
