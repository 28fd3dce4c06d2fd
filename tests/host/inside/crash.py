# SPDX-License-Identifier: GPL-2.0-or-later
"""kill -9 between any two steps of apply and of undo, on a kernel: what is different after an
undo?"""

import os
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tsq"))
from tsq import setting  # (after the path)
from tsq.devices import read_devices
from tsq.host import Host
from tsq.methods import device_of
from tsq.setting import Wanted

STEPS = ("write", "replace", "remove", "link", "told", "later", "control_register",
         "control_unregister")  # fmt: skip


TCP = "/proc/sys/net/ipv4"


class Dying(Host):
    """A host whose user is killed before the n-th change, counted from 0; -1: not at all."""

    count = 0
    at = -1


def _counted(name):
    plain = getattr(Host, name)

    def step(self, *words):
        if Dying.count == Dying.at:
            os.kill(os.getpid(), signal.SIGKILL)
        Dying.count += 1
        return plain(self, *words)

    return step


for _name in STEPS:
    setattr(Dying, _name, _counted(_name))


def _asked(*words):
    return subprocess.run(words, capture_output=True, text=True).stdout


def snapshot(top="/proc/sys"):
    """Every sysctl that can be read, every route, qdisc and link."""
    found = {}
    for path in sorted(Path(top).rglob("*")):
        try:
            if path.is_file():
                found[str(path)] = path.read_text(errors="replace")
        except OSError:
            continue
    for words in (["tc", "-details", "qdisc", "show"], ["ip", "-details", "link", "show"]):
        found[" ".join(words)] = _asked(*words)
    return found | routes()


def routes():
    """All there are, by what was asked."""
    return {
        f"routes of IPv{family}": _asked("ip", f"-{family}", "-details", "route", "show", "table",
                                         "all")
        for family in "46"
    }  # fmt: skip


def different(before, after):
    """The names of what is not the same."""
    return sorted(
        name for name in before.keys() | after.keys() if before.get(name) != after.get(name)
    )


def _step_by_step(at, what, wanted):
    Dying.count, Dying.at = 0, at
    host = Dying()
    if what == "apply":
        devices = read_devices(host)
        list(setting.apply(host, devices, device_of(host, devices, "va"), wanted))
    else:
        list(setting.undo(host))


def do(at, what, wanted):
    """In a process of its own that is killed before its step *at*; returns how many steps it
    made."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        try:
            _step_by_step(at, what, wanted)
            os.write(writing, str(Dying.count).encode())
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as file:
        told = file.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {"steps": int(told or 0), "killed": status == -signal.SIGKILL, "status": status}


def matrix():
    """Each method, and what is not as it was after each kill and the undo that follows.

    After each kill the sysctls of TCP are compared, and all there are at the end: to read them is
    slow on an emulated processor.
    """
    before, few = snapshot(), snapshot(TCP)
    moving = set(different(before, snapshot())) | set(different(before, snapshot()))
    ways = {"sysctl": Wanted(6, "sysctl", host_wide=True), "bpf": Wanted(6, "bpf"),
            "sysctl for an hour": Wanted(6, "sysctl", for_s=3600, host_wide=True)}  # fmt: skip
    yield "moving", sorted(moving)
    for name, wanted in ways.items():
        whole = do(-1, "apply", wanted)
        applied = sorted(set(different(few, snapshot(TCP))) - moving)
        undone = do(-1, "undo", wanted)
        cases = [{"at": "whole", "changed": applied, "left": _left(few), "status": whole}]
        for what, steps in (("apply", whole["steps"]), ("undo", undone["steps"])):
            for at in range(steps):
                if what == "undo":
                    do(-1, "apply", wanted)
                died = do(at, what, wanted)
                do(-1, "undo", wanted)
                cases.append({"at": f"{what} {at}", "killed": died["killed"], "left": _left(few)})
        yield name, cases
    yield "left of all", sorted(set(different(before, snapshot())) - moving)


def two_at_once():
    """Some who apply and undo without regard to each other: what is left after one more undo."""
    before = snapshot(TCP)
    several = [_again_and_again() for _ in range(3)]
    statuses = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in several]
    do(-1, "undo", None)
    return {"statuses": statuses, "left": _left(before)}


def _again_and_again():
    child = os.fork()
    if not child:
        try:
            for ms in (2, 4, 6):
                _step_by_step(-1, "apply", Wanted(ms, "sysctl", host_wide=True))
                _step_by_step(-1, "undo", None)
            os._exit(0)
        finally:
            os._exit(1)
    return child


def _left(few):
    return different(few, snapshot(TCP))
