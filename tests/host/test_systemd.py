# SPDX-License-Identifier: GPL-2.0-or-later
"""--for and --persist on a machine with systemd, which is killed, and booted again."""

import pytest

import container
from conftest import Said

STOCK, SIX_MS = [120, 200], [737, 1000]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    if missing := container.missing():
        pytest.skip(missing)
    return Said(*container.boots(tmp_path_factory.mktemp("systemd")))


def test_a_timer_of_systemd_undoes_what_a_kill_has_left_halfway(told):
    killed = told("boot 0", "killed")
    assert killed["killed"], killed
    assert killed["ratios"] == [737, 200], "one of both was set"
    (timer,) = killed["units"]
    assert ".timer loaded active waiting" in timer
    assert told("boot 0", "killed, later") == {"ratios": STOCK, "units": []}


def test_an_undo_leaves_no_timer(told):
    armed = told("boot 0", "for an hour")
    assert armed["status"] == 0, armed
    assert [unit.split(".")[1] for unit in armed["units"]] == ["timer loaded active waiting"]
    undone = told("boot 0", "undone")
    assert (undone["status"], undone["ratios"], undone["units"]) == (0, STOCK, [])


def test_persist_is_a_unit_that_systemd_takes(told):
    kept = told("boot 0", "persist")
    assert (kept["status"], kept["ratios"], kept["enabled"]) == (0, SIX_MS, "enabled"), kept
    assert kept["verified"]["status"] == 0, kept["verified"]
    assert "tsq.service" not in kept["verified"]["err"], kept["verified"]


def test_it_is_set_after_a_boot_though_the_device_comes_late(told):
    before = told("boot 1", "without the device")
    assert before["ratios"] == STOCK
    after = told("boot 1", "with it")
    assert after["ratios"] == SIX_MS, before
    assert after["units"] == ["tsq.service loaded active exited"]


def test_an_undo_is_for_all_boots(told):
    undone = told("boot 1", "undone at last")
    assert (undone["status"], undone["ratios"], undone["files"]) == (0, STOCK, [])
    after = told("boot 2", "nothing")
    assert (after["ratios"], after["units"]) == (STOCK, [])
    assert "applied" not in after["doctor"]
