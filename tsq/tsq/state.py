# SPDX-License-Identifier: GPL-2.0-or-later
"""The file that keeps what a host was like before, and the order in which things are done.

    apply: the file, durably; then each change, in order
    undo:  each change, in reverse order, if it is still as we made it; then the file is removed

so that wherever either is killed, the file is there as long as anything is changed, and whoever
undoes it finds each change either made or not made. A change is one system call (a sysctl, a route)
or a rename.

What lasts until the host is booted again is in /run/tsq, with a file for each network namespace
(sysctls and routes are the namespace's own); what --persist made is in /var/lib/tsq.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tsq.changes import Change, read_change
from tsq.errors import TsqError
from tsq.host import Host, beside

_FORMAT = 1


@dataclass(frozen=True)
class State:
    """What was applied."""

    method: str
    ms: float
    token: str  # of --for: a timer undoes only what it was armed for
    changes: tuple[Change, ...]


@dataclass
class Undone:
    """What became of the changes: those put back, and those that others had changed meanwhile."""

    restored: list[Change] = field(default_factory=list)
    untouched: list[Change] = field(default_factory=list)  # were not made, or are back already
    overwritten: list[tuple[Change, str | None]] = field(default_factory=list)
    failed: list[tuple[Change, str]] = field(default_factory=list)  # and why


def path_of(host: Host, *, lasting: bool) -> Path:
    """Where the state is kept."""
    return host.kept / "state.json" if lasting else host.run / f"net-{host.namespace()}.json"


def load(host: Host, *, lasting: bool) -> State | None:
    """What is applied; None: nothing. TsqError if the file is not one of ours."""
    path = path_of(host, lasting=lasting)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise TsqError(f"{path}: cannot be read: {error}") from error
    try:
        document = json.loads(text)
        if document["format"] != _FORMAT:
            raise TsqError(f"{path}: is of another version of tsq; undo with that one")
        return State(
            str(document["method"]),
            float(document["ms"]),
            str(document["token"]),
            tuple(read_change(row) for row in document["changes"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise TsqError(f"{path}: is no state of tsq; look at it, then remove it") from error


def apply(host: Host, state: State, *, lasting: bool) -> None:
    """Write the state, then make the changes. If one fails, those before it are undone."""
    document = {
        "format": _FORMAT,
        "method": state.method,
        "ms": state.ms,
        "token": state.token,
        "changes": [change.written() for change in state.changes],
    }
    host.replace(path_of(host, lasting=lasting), json.dumps(document, indent=1) + "\n")
    try:
        for change in state.changes:
            change.make(host, change.after)
    except TsqError:
        undo(host, lasting=lasting)
        raise


def undo(host: Host, *, lasting: bool, token: str = "") -> Undone:
    """Put back what is still as we set it. With a *token*, only what was applied with it."""
    done = Undone()
    state = load(host, lasting=lasting)
    if state is None or (token and state.token != token):
        return done
    for change in reversed(state.changes):
        now = change.now(host)
        if now == change.before:
            done.untouched.append(change)
        elif now == change.after:
            try:
                change.make(host, change.before)
                done.restored.append(change)
            except TsqError as error:
                done.failed.append((change, str(error)))
        else:
            done.overwritten.append((change, now))
        change.tidy(host)
    if not done.failed:  # what failed can be tried again
        host.remove(path_of(host, lasting=lasting))
    return done


def tidy(host: Host, *, lasting: bool) -> None:
    """Remove what an apply leaves that was killed while it wrote the state."""
    path = path_of(host, lasting=lasting)
    if beside(path).exists():
        host.remove(beside(path))


@contextlib.contextmanager
def alone(host: Host) -> Iterator[None]:
    """Nobody else applies or undoes meanwhile: a timer, say."""
    try:
        host.run.mkdir(mode=0o755, parents=True, exist_ok=True)
        lock = os.open(host.run / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise TsqError(f"{host.run}: {error.strerror}; this takes root") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
