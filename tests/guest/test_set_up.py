# SPDX-License-Identifier: GPL-2.0-or-later
"""The lines that set a testbed up: what they leak into a result (nothing), and what they refuse."""

import dataclasses
import shutil
from pathlib import Path

import pytest

from single import single
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.boot import GuestError
from tsqlab.guest.plan import make_plan

CLOCK = "clock\t10000000000\t100000000\t10100000000"
FLOWS = {"test": "rrul_be", "length": "500 ms", "delay": "500 ms"}

MORE = {
    "nothing": (),
    # Each looks at the clock a few times, and each look moves it.
    "some sysctls": [["write", "C", "/proc/sys/net/ipv4/tcp_sack", "1"]] * 3,
    "a program": [["run", "-", "true"]],
    "a sleep": [["run", "-", "sleep", "0.0123457"]],
}


@pytest.mark.parametrize(
    "testbed",
    [{}, *({"layout": "wifi", "device": name} for name in ("ath9k_htc", "ath9k", "ath10k"))],
    ids=["wired", "ath9k_htc", "ath9k", "ath10k"],
)
def test_what_else_is_set_up_moves_no_result(guest, testbed):
    """Not by a byte: beacons begin at an instant of their own, however long the rest took."""
    spec = Spec.model_validate(single({"testbed": testbed, "flows": FLOWS}))
    plan = make_plan(spec, load_profile(spec.testbed.device))
    left = {}
    for what, lines in MORE.items():
        # The sysctls need their node: they come after the lines that make the nodes.
        at = 0 if what != "some sysctls" else plan.set_up.index(made(plan)) + 1
        set_up = (*plan.set_up[:at], *lines, *plan.set_up[at:])
        out = guest(plan=dataclasses.replace(plan, set_up=set_up))
        left[what] = {path.name: path.read_bytes() for path in sorted(out.iterdir())}
        shutil.rmtree(out.parent)
    assert left["nothing"]
    assert all(files == left["nothing"] for files in left.values())


def made(plan):
    return next(line for line in plan.set_up if line[-1].endswith("links.ip"))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("write\t-\t/proc/none\t1", "error: write - /proc/none 1: cannot open /proc/none: No such"),
        (
            "write\t-\t/proc/sys/net/ipv4/tcp_sack\tx",
            "tcp_sack does not take 'x': Invalid argument",
        ),
        ("write\tnowhere\t/proc/none\t1", "cannot enter the node nowhere: No such file"),
        (
            "ethtool\t-\t-G\ta\ttx\t0",
            r"error: ethtool - -G a tx 0: .*tx: the ring holds at least 1 \(Invalid argument\)",
        ),
        (
            "ethtool\t-\t-s\ta\tspeed\t5\tduplex\tfull\tautoneg\toff",
            r"speed 5 .*\(Invalid argument\)",
        ),
        ("ethtool\t-\t-s\ta\tduplex\t2", "duplex is on or off, not 2"),
        ("ethtool\t-\t-C\ta\trx-usecs\t50\trx-frames\t1", "frames 1 is each frame at once"),
        ("ethtool\t-\t-G\ta\trx\t1", "ethtool -G has no 'rx' here"),
        ("ethtool\t-\t-G\ta\ttx\t4294967296", "tx must be 0 to 4294967295, not 4294967296"),
        ("ethtool\t-\t-G\ta\ttx", "ethtool takes names, with a value each"),
        ("ethtool\t-\t-G\tnone\ttx\t1", "no device matches name.*No such device"),
        (
            "ethtool\t-\t-K\tnone\tgro\toff",
            "error: ethtool - -K none gro off: none refuses: No such dev",
        ),
        ("ethtool\t-\t-K\ta\tlro\toff", "ethtool -K has no 'lro' here"),
        ("align\t0", "no time is a multiple of 0 ns"),
        ("align\tsoon", "NS must be a whole number, not 'soon'"),
        ("link\t-\tnone", "cannot tell whether none has a link: No such device"),
        ("link\t-\ta", "a has no link after 5 s"),
        ("link\t-\ta-name-of-16-byte", "no device has a name as long as 'a-name-of-16-byte'"),
    ],
)
def test_what_cannot_be_done_ends_the_guest_and_says_why(guest, line, why):
    with pytest.raises(GuestError, match=why):
        guest(
            "module\t/tsqlab/modules/wireline.ko",
            "run\t-\tip\tlink\tadd\tname\ta\ttype\twireline",
            line,
            CLOCK,
            "end",
        )


def test_a_program_takes_as_many_random_numbers_as_are_drawn_for_it(guest):
    """What is set up after an ethtool of the agent's has those that it had after the program."""
    left = {}
    for line in ("draw\t2", "draw\t4", "run\t-\tethtool\t--version"):
        out = guest(line, "run\t-\tsh\t-c\thead -c 32 /dev/urandom > /tsqlab/out/x", CLOCK, "end")
        left[line.split("\t")[-1]] = (out / "x").read_bytes()
        shutil.rmtree(out.parent)
    assert left["2"] == left["--version"]
    assert left["2"] != left["4"]


def test_what_programs_are_made_of_stays_open(guest):
    """Their libraries, too; each once, although it was run twice."""
    out = guest(
        *["run\t-\tip\tlink"] * 2,
        "run\t-\tsh\t-c\tls -l /proc/1/fd > /tsqlab/out/open",
        CLOCK,
        "end",
    )
    left = [line.rpartition("/")[2] for line in (out / "open").read_text().splitlines()]
    for name in ("ip", "libc.so.6", "ld-linux-x86-64.so.2"):
        real = Path(f"/lib64/{name}").resolve().name if name.startswith("ld") else name
        assert left.count(real) == 1


@pytest.mark.parametrize(
    ("script", "status"), [("exit 3", "0x300"), ("kill -9 $$", "0x9"), ("kill -USR1 $$", "0xa")]
)
def test_a_program_that_fails_at_once_is_an_error(guest, script, status):
    with pytest.raises(GuestError, match=rf"in node -: 'sh -c' failed \(wait status {status}\)"):
        guest(f"run\t-\tsh\t-c\t{script}", CLOCK, "end")
