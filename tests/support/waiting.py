# SPDX-License-Identifier: GPL-2.0-or-later
"""Waiting for what other processes do."""

import fcntl
import time


def wait_until(true, limit_s=60):
    deadline = time.monotonic() + limit_s
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_free(path):
    """Whether nobody has the lock, a file."""
    with path.open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
