# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes that do not outlive the one that started them, however it ends."""

from __future__ import annotations

import ctypes
import os
import signal

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_libc = ctypes.CDLL(None)


def die_with(parent: int) -> None:
    """Called in a child: be killed when *parent*, its parent, ends; at once if it has.

    It holds across exec.
    """
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before we asked
        os._exit(1)
