# SPDX-License-Identifier: GPL-2.0-or-later
"""``--for``: an undo that is armed before anything is changed.

With systemd it is a transient timer, which outlives the terminal, the login and tsq itself, and
is in the journal. Without it, and in a network namespace of its own (a unit would run in the
first one), it is a process that waits: it has no terminal to lose, but a kill ends it, and then
the setting stays. Neither counts the time for which the machine sleeps. Either runs `tsq undo`
with the token of this one apply: what is applied later is none of its business.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tsq.errors import TsqError
from tsq.host import Host

_UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_MOST_S = 30 * 86400


def seconds_of(text: str) -> int:
    """90s, 10m, 2h, 1d as seconds. TsqError for anything else."""
    match = re.fullmatch(r"([0-9]{1,7})([smhd])", text)
    seconds = int(match[1]) * _UNITS_S[match[2]] if match else 0
    if not 1 <= seconds <= _MOST_S:
        raise TsqError(f"--for {text}: is no time such as 90s, 10m, 2h, up to 30d")
    return seconds


def program() -> list[str]:
    """This very tsq, whoever runs it and wherever."""
    return [sys.executable, str(Path(__file__).parent)]


def arm(host: Host, seconds: int, token: str) -> str:
    """Have it undone in so many seconds; returns the words for that."""
    words = [*program(), "undo", "--token", token]
    if by_systemd(host):
        unit = _unit(token)
        host.told([
            "systemd-run", "--quiet", "--collect", f"--unit={unit}", f"--on-active={seconds}",
            "--timer-property=AccuracySec=1s", "--description=puts TSQ's limit back", *words,
        ])  # fmt: skip
        return f"undone in {seconds} s by {unit}.timer, whatever happens until then"
    host.later(seconds, words)
    return f"undone in {seconds} s by a process that waits; if it is killed, try: tsq undo"


def disarm(host: Host, token: str) -> None:
    """Stop systemd's timer of an apply that is undone already; a process that waits does nothing
    then."""
    if by_systemd(host):
        host.disarm(f"{_unit(token)}.timer")


def _unit(token: str) -> str:
    return f"tsq-undo-{token}"


def by_systemd(host: Host) -> bool:
    """Whether systemd is there and would run the undo in our network namespace."""
    return (host.proc.parent / "run" / "systemd" / "system").is_dir() and host.is_first_namespace()


def wait_and_run(seconds: int, words: Sequence[str]) -> None:
    """Leave a process behind that runs *words* in so many seconds, and return."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    # Nobody's child, of no terminal: neither the end of tsq nor that of the login ends it.
    os.setsid()
    if os.fork():
        os._exit(0)
    try:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        nothing = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(nothing, fd)
        os.closerange(3, 1024)  # the lock, above all
        os.chdir("/")  # a file system that nobody else uses can be unmounted
        time.sleep(seconds)
        os.execv(words[0], list(words))
    finally:
        os._exit(1)
