# SPDX-License-Identifier: GPL-2.0-or-later
"""The user's terminal: who has it, what keys do, and that it is restored whatever happens."""

import signal
import sys
import time

import pytest

from user import User

# What is run has the inner terminal, as a guest does; the outer one is the user's.
SESSION = """
import os, select, subprocess, sys
from tsqlab.guest.terminal import LeftError, Terminal
what, = sys.argv[1:]
try:
    with Terminal(0, 1) as terminal:
        inner = [terminal.inner] * 3
        run = subprocess.Popen(["sh", "-c", what], stdin=inner[0], stdout=inner[1],
                               stderr=inner[2], start_new_session=True)
        try:
            while run.poll() is None:
                terminal.turn(select.select(terminal.fds, [], [], 0.02)[0])
        finally:
            run.kill()
            run.wait()
except LeftError as error:
    sys.exit(f"left: {error}")
"""


@pytest.fixture
def session():
    users = []

    def begin(what, **options):
        users.append(User([sys.executable, "-c", SESSION, what], **options))
        return users[-1]

    yield begin
    for user in users:
        user.close()


def test_what_is_said_at_the_end_is_shown_and_the_terminal_is_as_it_was(session):
    user = session("seq 2000")
    assert user.status() == 0
    assert "\r\n2000\r\n" in user.sees("2000\r\n")
    assert user.is_cooked


def test_keys_go_through_as_they_are(session):
    user = session("stty raw -echo; echo ready; head -c 3 | od -An -tx1")
    user.sees("ready")
    assert not user.is_cooked
    user.types("\x03\x1aq")  # Ctrl-C, Ctrl-Z
    assert user.sees(r"03 1a 71")
    assert user.status() == 0


def test_it_has_the_size_of_the_user_s_and_follows_it(session):
    user = session("stty size; read line; stty size", rows=33, columns=101)
    user.sees("33 101")
    user.resize(40, 120)
    time.sleep(0.2)
    user.types("\r")
    user.sees("40 120")
    assert user.status() == 0


def test_what_runs_has_another_terminal_than_the_user_s(session):
    user = session("tty")
    ours = user.name
    shown = user.sees(r"/dev/pts/\d+")
    assert ours.startswith("/dev/pts/")
    assert shown.split()[-1] != ours


def test_what_hangs_is_left_by_three_keys(session):
    user = session("stty raw; echo begun; sleep 100")
    user.sees("begun")
    user.types("\x1d\x1d\x1d")
    user.sees("left: left by three times Ctrl-]")
    assert user.status() == 1
    assert user.is_cooked


def test_fewer_or_slow_ones_are_keys(session):
    user = session("stty raw -echo; echo begun; head -c 5 | od -An -tx1")
    user.sees("begun")
    user.types("\x1d\x1dx\x1d\x1d")
    assert user.sees("1d 1d 78 1d 1d")
    assert user.status() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_it_is_restored_when_a_signal_ends_it(session, number):
    user = session("echo begun; sleep 100")
    user.sees("begun")
    assert not user.is_cooked
    user.ends(number)
    assert user.status() != 0
    assert user.is_cooked


def test_a_flood_of_keys_that_nobody_reads_holds_nothing_up(session):
    user = session("stty raw -echo; echo begun; sleep 100")
    user.sees("begun")
    for _ in range(20):
        user.types("x" * 1000)
        time.sleep(0.01)
    user.types("\x1d\x1d\x1d")
    assert user.status() == 1
