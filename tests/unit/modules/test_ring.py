# SPDX-License-Identifier: GPL-2.0-or-later
"""The ring of what was in flight when a packet was sent, against a list of all marks."""

import ctypes

import pytest

from airlink_c import STUBS, compiled

MARKS = 256


class Mark(ctypes.Structure):
    """struct bbrs_mark."""

    _fields_ = tuple((name, ctypes.c_uint32) for name in ("delivered", "in_flight", "lost"))


class Ring(ctypes.Structure):
    """struct bbrs_ring."""

    _fields_ = (("marks", Mark * MARKS), ("count", ctypes.c_uint64))


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    made = compiled("../bbrs/ring", tmp_path_factory.mktemp("ring"), STUBS / "bbrs")
    made.bbrs_ring_add.argtypes = (ctypes.POINTER(Ring), Mark, ctypes.c_uint32)
    made.bbrs_ring_add.restype = None
    made.bbrs_ring_find.argtypes = (ctypes.POINTER(Ring), ctypes.c_uint32)
    made.bbrs_ring_find.restype = Mark
    return made


def filled(library, marks, cwnd=1):
    ring = Ring()
    for delivered, in_flight in marks:
        library.bbrs_ring_add(ring, Mark(delivered % 2**32, in_flight, 0), cwnd)
    return ring


def in_flight(library, ring, delivered):
    return library.bbrs_ring_find(ring, delivered % 2**32).in_flight


@pytest.mark.parametrize("start", [0, 2**31 - 100, 2**32 - 100])
@pytest.mark.parametrize("count", [1, 2, 255, 256, 257, 1000])
def test_a_packet_has_the_last_mark_with_no_more_delivered(library, start, count):
    """Two packets an ACK, and numbers that wrap."""
    marks = [(start + 2 * number, number + 1) for number in range(count)]
    ring = filled(library, marks)
    kept = marks[-MARKS:]
    for delivered, flight in kept:
        assert in_flight(library, ring, delivered) == flight
        assert in_flight(library, ring, delivered + 1) == flight
    assert in_flight(library, ring, kept[0][0] - 1) == kept[0][1], "older ones are as the oldest"


def test_an_empty_ring_knows_nothing(library):
    assert in_flight(library, Ring(), 5) == 0


def test_marks_are_so_far_apart_that_two_windows_fit(library):
    cwnd = 10_000
    ring = filled(library, [(number, number) for number in range(3 * cwnd)], cwnd)
    now = 3 * cwnd - 1
    for delivered in range(now - cwnd, now, 77):
        assert 0 <= delivered - in_flight(library, ring, delivered) < cwnd / 128
