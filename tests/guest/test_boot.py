# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest's life: what it may touch, and how it ends when it goes wrong."""

import os
import re
import signal
import subprocess
import sys

import pytest

from tsqlab.guest.boot import GuestError
from waiting import wait_until

CLOCK = "clock\t10000000000\t100000000\t10500000000"


def sh(script):
    return f"run\t-\tsh\t-c\t{script}"


def test_comes_back_with_its_results(guest):
    out = guest(sh("echo hello > /tsqlab/out/file"), CLOCK, "end")
    assert (out / "file").read_text() == "hello\n"
    assert "measuring" in (out.parent / "console").read_text()


def test_tells_its_virtual_seconds(guest):
    seconds = []
    guest("clock\t10000000000\t100000000\t15000000000", "end", on_second=seconds.append)
    assert seconds[-1] == 5


@pytest.mark.parametrize("place", ["/etc/x", "/usr/x", "/x", "/tsqlab/plan/x", "/tsqlab/x"])
def test_cannot_write_to_the_host(guest, place):
    """Not even as the guest's root, after it has remounted everything."""
    attempt = f"mount -o remount,rw /; mount -t hostfs none /mnt; touch {place} /mnt{place}"
    out = guest(sh(f"{attempt}; test ! -e {place} && test ! -e /mnt{place}"), CLOCK, "end")
    console = (out.parent / "console").read_text()
    assert re.search("Read-only file system|Permission denied", console)  # as root, as nobody


def test_sees_no_home_and_no_network_of_the_host(guest):
    guest(sh("test ! -e /home && test ! -e /root && test ! -e /etc/passwd"), CLOCK, "end")


def test_a_failure_shows_the_last_words(guest):
    with pytest.raises(GuestError, match=r"(?s)last words:.*no such place.*'sh -c' failed"):
        guest(sh("echo no such place >&2; exit 3"), CLOCK, "end")


def test_a_plan_cut_short_is_an_error(guest):
    with pytest.raises(GuestError, match="cut short"):
        guest(CLOCK)


def test_a_panic_is_an_error_at_once(guest):
    exhaust = "mount -o remount,size=1G /run; dd if=/dev/zero of=/run/x bs=1M"
    exhaust = f"echo 2 > /proc/sys/vm/panic_on_oom; {exhaust}"
    with pytest.raises(GuestError, match="Kernel panic.*Out of memory"):
        guest(sh(exhaust), CLOCK, "end")


def test_a_guest_that_spins_is_ended(guest):
    with pytest.raises(GuestError, match="virtual time has stood still for 3 s"):
        guest(sh("while :; do :; done"), CLOCK, "end", stuck_after_s=3)


def test_set_up_that_runs_into_the_measurement_is_an_error(guest):
    with pytest.raises(GuestError, match="past the start of the measurement"):
        guest(sh("sleep 11"), CLOCK, "end")


@pytest.mark.usefixtures("kernel")
def test_no_guest_outlives_its_host(tmp_path, processes):
    """kill -9 of the process that runs it takes the guest along."""
    marker = f"mem={123456 + os.getpid() % 1000}K"
    program = (
        "import sys; from pathlib import Path\n"
        "from tsqlab.guest.boot import Machine\n"
        "from tsqlab.guest.plan import Plan\n"
        "from tsqlab.guest.run import run_plan\n"
        "from tsqlab.kernels import Recipe, build\n"
        "machine = Machine(build(Recipe()), int(sys.argv[2]) * 1024, 1)\n"
        "for_ever = ['run', '-', 'sh', '-c', 'while :; do :; done']\n"
        "run_plan(machine, Plan((for_ever,), ()), Path(sys.argv[1]))\n"
    )
    folder = tmp_path / "guest"
    memory = marker.removeprefix("mem=").removesuffix("K")
    host = subprocess.Popen([sys.executable, "-c", program, str(folder), memory])
    console = folder / "console"
    wait_until(lambda: console.exists() and "Linux version" in console.read_text())
    assert processes(f"/tsqlab/linux {marker}")
    host.send_signal(signal.SIGKILL)
    host.wait()
    wait_until(lambda: not processes(f"/tsqlab/linux {marker}"))
