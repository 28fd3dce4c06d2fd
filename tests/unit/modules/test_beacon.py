# SPDX-License-Identifier: GPL-2.0-or-later
"""The timer of beacons, when another CPU sets the TSF: simulated, since a guest has one CPU."""

import ctypes

import pytest

from airlink_c import STUBS, compiled

TU_NS = 1_024_000
INTERVAL_TU = 100
NEVER, BEFORE_THE_LOCK, AFTER_THE_LOCK = range(3)


class Beacons:
    """softmac/beacon.c over a timer that the test lets expire."""

    def __init__(self, library):
        self.library = library
        library.test_expire.restype = ctypes.c_uint64
        library.test_start(INTERVAL_TU)

    def variable(self, name):
        kind = ctypes.c_uint64 if name.endswith(("_ns", "_us")) else ctypes.c_uint32
        return kind.in_dll(self.library, f"test_{name}")

    @property
    def errors(self):
        """How often the timer was changed while it was queued, or started without the lock."""
        return self.variable("errors").value

    def expire(self):
        return self.library.test_expire()


@pytest.fixture
def beacons(tmp_path):
    return Beacons(compiled("softmac/beacon", tmp_path, STUBS / "beacon"))


def test_beacons_come_with_each_interval(beacons):
    due = [beacons.expire() for _ in range(5)]
    assert due == [number * INTERVAL_TU * TU_NS for number in range(2, 7)]
    assert (beacons.variable("beacons").value, beacons.errors) == (5, 0)


@pytest.mark.parametrize("instant", [BEFORE_THE_LOCK, AFTER_THE_LOCK])
def test_another_cpu_may_set_the_tsf_while_the_timer_expires(beacons, instant):
    """It is 30 TU after a beacon by the new TSF, so the next one is due in 70, and not in 100."""
    beacons.expire()
    beacons.variable("other_cpu_at").value = instant
    beacons.variable("tsf_us").value = 1030 * 1024
    due_ns = beacons.expire()
    assert due_ns - beacons.variable("now_ns").value == 70 * TU_NS
    assert beacons.expire() - due_ns == INTERVAL_TU * TU_NS
    assert beacons.errors == 0
