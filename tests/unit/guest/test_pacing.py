# SPDX-License-Identifier: GPL-2.0-or-later
"""Virtual time in step with the real clock: which instant is due when, and how a guest is told."""

import os
import socket
import struct

import pytest

from tsqlab.errors import TsqlabError
from tsqlab.guest.pacing import Pacer, Schedule

S = 10**9
ACK, START, REQUEST, WAIT, GET, RUN, FREE_UNTIL = 0, 1, 2, 3, 4, 6, 7


def test_set_up_is_as_fast_as_it_can_be():
    schedule = Schedule(1.0, 10 * S)
    assert schedule.due_s(9 * S, 100.0) == 100.0
    assert schedule.free_until_ns(9 * S) == 10 * S


@pytest.mark.parametrize("speed", [0.01, 1.0, 50.0])
def test_time_goes_at_its_speed_from_where_it_starts(speed):
    schedule = Schedule(speed, 10 * S)
    assert schedule.due_s(10 * S, 100.0) == 100.0
    assert schedule.due_s(13 * S, 100.0) == pytest.approx(100.0 + 3 / speed)
    # 10 ms of the real clock
    assert schedule.free_until_ns(13 * S) == 13 * S + 10_000_000 * speed


def test_a_guest_that_is_late_is_not_hurried():
    schedule = Schedule(1.0, 0)
    schedule.due_s(0, 100.0)
    # a little late: it may catch up
    assert schedule.due_s(1 * S, 101.05) == pytest.approx(101.0)
    # two seconds late: from here on as before
    assert schedule.due_s(2 * S, 104.0) == 104.0
    assert schedule.due_s(3 * S, 104.0) == pytest.approx(105.0)


@pytest.fixture
def folder(tmp_path):
    """One whose name is longer than that of a socket may be."""
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    return folder


@pytest.fixture
def pacer(folder):
    pacer = Pacer(folder / "clock", Schedule(1.0, 10 * S))
    yield pacer
    pacer.close()


@pytest.fixture
def guest(folder, pacer, monkeypatch):
    """The other end of the socket, which has said that it starts."""
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as end:
        end.settimeout(5)
        end.connect("clock")
        pacer.turn(readable=True)
        yield end


def say(guest, pacer, *message):
    guest.sendall(struct.pack("=IIQ", *message))
    pacer.turn(readable=True)


def hear(guest):
    return struct.unpack("=IIQ", guest.recv(16, socket.MSG_WAITALL))


def test_a_guest_that_starts_is_sent_two_files(guest, pacer):
    """6.12 would close a file of its own if it were sent none, and share memory if it could."""
    say(guest, pacer, START, 1, 0)
    message, files, _, _ = socket.recv_fds(guest, 16, 8)
    assert struct.unpack("=IIQ", message) == (ACK, 1, 0)
    assert [os.read(file, 4097) for file in files[:1]] == [bytes(4096)]
    assert len(files) == 2
    for file in files:
        os.close(file)


def test_a_guest_asks_waits_and_goes_on(guest, pacer):
    say(guest, pacer, REQUEST, 7, 3 * S)
    assert hear(guest) == (ACK, 7, 0)
    assert pacer.wait_s() is None, "it still runs"
    say(guest, pacer, WAIT, 8, (1 << 64) - 1)
    assert [hear(guest) for _ in range(3)] == [
        (ACK, 8, 0),
        (FREE_UNTIL, 1, 10 * S),
        (RUN, 2, 3 * S),
    ]
    assert pacer.wait_s() is None


def test_a_guest_that_is_early_waits(guest, pacer):
    for at_ns in (10 * S, 20 * S):
        say(guest, pacer, REQUEST, 1, at_ns)
        say(guest, pacer, WAIT, 2, 0)
    assert 9 < pacer.wait_s() <= 10
    assert [hear(guest)[0] for _ in range(6)] == [ACK, ACK, FREE_UNTIL, RUN, ACK, ACK]
    pacer.turn(readable=False)
    guest.setblocking(False)
    with pytest.raises(BlockingIOError):
        guest.recv(1)


@pytest.mark.parametrize("words", [(GET, 1, 0), (99, 1, 0), (WAIT, 1, 0)])
def test_a_guest_that_says_what_makes_no_sense_is_refused(guest, pacer, words):
    with pytest.raises(TsqlabError, match="words that are none"):
        say(guest, pacer, *words)


def test_a_guest_that_ends_is_let_go(guest, pacer):
    guest.sendall(b"half of it")
    pacer.turn(readable=True)
    guest.close()
    pacer.turn(readable=True)
    assert pacer.wait_s() is None
