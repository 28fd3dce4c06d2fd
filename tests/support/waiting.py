# SPDX-License-Identifier: GPL-2.0-or-later
"""Waiting for what other processes do."""

import time


def wait_until(true, limit_s=60):
    deadline = time.monotonic() + limit_s
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)
