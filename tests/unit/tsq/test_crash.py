# SPDX-License-Identifier: GPL-2.0-or-later
"""Killed between any two steps of apply or undo, the next undo leaves a host as it was."""

import os

import pytest

import tsq_host
from tsq import setting
from tsq.devices import read_devices
from tsq.methods import device_of
from tsq.setting import Wanted

pytestmark = pytest.mark.usefixtures("built")

WAYS = {
    "sysctl": Wanted(6, "sysctl", host_wide=True),
    "bpf": Wanted(6, "bpf"),
    "bpf for 10 minutes": Wanted(6, "bpf", for_s=600),
    "sysctl at each boot": Wanted(6, "sysctl", persist=True, host_wide=True),
    "cotsq": Wanted(6, "cotsq", host_wide=True),
}


WHEN = ({}, {"after": True}, {"halfway": True})
"""Before the operation, after it, and in the middle of it."""


def host_for(root, name, **options):
    host = tsq_host.made(root, **options)
    if name == "cotsq":
        (root / "proc/sys/net/ipv4/tcp_tsq_us").write_text("0\n")
    if "boot" in name:
        (root / "run/systemd/system").mkdir(parents=True)
    return host


def apply(host, wanted):
    devices = read_devices(host)
    return list(setting.apply(host, devices, device_of(host, devices, "wlan0"), wanted, _takes))


def _takes(microseconds):
    assert microseconds == 6000


def in_a_process(do):
    """Its exit status: 137 if it died as it was told to."""
    child = os.fork()
    if not child:
        try:
            do()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def operations(root):
    return int((root / "operations").read_text())


@pytest.mark.parametrize("name", WAYS)
def test_killed_while_applying(name, tmp_path):
    whole = tmp_path / "whole"
    apply(host_for(whole, name), WAYS[name])
    steps = operations(whole)
    assert steps >= 2, "the state, and a change"
    for step in range(steps):
        for count, when in enumerate(WHEN):
            root = tmp_path / f"{step}-{count}"
            host = host_for(root, name, die_at=step, **when)
            before = tsq_host.snapshot(root)
            assert in_a_process(lambda host=host: apply(host, WAYS[name])) == 137
            list(setting.undo(tsq_host.at(root)))
            assert tsq_host.snapshot(root) == before, f"step {step}, {when}"


@pytest.mark.parametrize("name", WAYS)
def test_killed_while_undoing(name, tmp_path):
    whole = tmp_path / "whole"
    apply(host_for(whole, name), WAYS[name])
    applied = operations(whole)
    list(setting.undo(tsq_host.at(whole)))
    steps = operations(whole) - applied
    assert steps >= 2
    for step in range(steps):
        for count, when in enumerate(WHEN):
            root = tmp_path / f"{step}-{count}"
            host = host_for(root, name)
            before = tsq_host.snapshot(root)
            apply(host, WAYS[name])
            assert tsq_host.snapshot(root) != before
            dying = tsq_host.at(root, die_at=operations(root) + step, **when)
            assert in_a_process(lambda dying=dying: list(setting.undo(dying))) == 137
            list(setting.undo(tsq_host.at(root)))
            assert tsq_host.snapshot(root) == before, f"step {step}, {when}"


@pytest.mark.parametrize("name", WAYS)
def test_killed_while_applying_again(name, tmp_path):
    """An apply over another one undoes that first: it is the same promise."""
    again = Wanted(4, WAYS[name].method, WAYS[name].for_s, WAYS[name].persist, WAYS[name].host_wide)

    def both(host):
        devices = read_devices(host)
        device = device_of(host, devices, "wlan0")
        return list(setting.apply(host, devices, device, again, lambda _: None))

    whole = tmp_path / "whole"
    host = host_for(whole, name)
    apply(host, WAYS[name])
    first = operations(whole)
    both(host)
    for step in range(first, operations(whole)):
        root = tmp_path / f"{step}"
        host = host_for(root, name)
        before = tsq_host.snapshot(root)
        apply(host, WAYS[name])
        dying = tsq_host.at(root, die_at=step)
        assert in_a_process(lambda dying=dying: both(dying)) == 137
        list(setting.undo(tsq_host.at(root)))
        assert tsq_host.snapshot(root) == before, f"step {step}"
