# SPDX-License-Identifier: GPL-2.0-or-later
"""Virtual time in step with the real clock, for a guest that somebody looks at.

A guest that idles jumps to its next timer, so a minute of it is over before a command is typed.
User-Mode Linux can ask somebody else for its time instead (time-travel=ext), and is as exact then:
computing still takes none. It asks over a socket, in messages of 16 bytes (linux/um_timetravel.h):

    guest: REQUEST t, WAIT                    all of it sleeps until t
    we:    FREE_UNTIL t + slice, RUN t        sent when the real clock has come to t

In a slice, 10 ms by the real clock, it jumps as usual. So an idle guest takes a hundredth of the
questions that its timer ticks would ask. A guest that computes for longer than its time lasts is
late, and is not hurried to make up for it: its time goes more slowly then.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tsqlab.errors import TsqlabError

_ACK, _START, _REQUEST, _WAIT, _RUN, _FREE_UNTIL = 0, 1, 2, 3, 6, 7
_MESSAGE = struct.Struct("=IIQ")  # the operation, the number that an answer repeats, ns
_SLICE_REAL_S = 0.010
_LATE_S = 0.1  # one that is later than this starts from where it is
_READ_BYTES = 4096
_PAGE_BYTES = 4096


class Schedule:
    """Which virtual time is due when."""

    def __init__(self, speed: float, from_ns: int) -> None:
        """So many virtual seconds a real one from *from_ns* on; as fast as it can be before."""
        self._speed, self._from_ns = speed, from_ns
        self._origin: tuple[float, int] | None = None  # a real instant in s, and a virtual one

    def due_s(self, asked_ns: int, now_s: float) -> float:
        """When the guest may be at *asked_ns*, by the clock that says *now_s*."""
        if asked_ns < self._from_ns:
            return now_s
        if self._origin is None:
            self._origin = now_s, asked_ns
        real_s, virtual_ns = self._origin
        due_s = real_s + (asked_ns - virtual_ns) / (self._speed * 1e9)
        if due_s < now_s - _LATE_S:
            self._origin = now_s, asked_ns
            return now_s
        return due_s

    def free_until_ns(self, asked_ns: int) -> int:
        """Up to when a guest that is let go at *asked_ns* need not ask again."""
        if asked_ns < self._from_ns:
            return self._from_ns
        return asked_ns + max(1, int(_SLICE_REAL_S * self._speed * 1e9))


class Pacer:
    """The socket that a guest asks for its time, and who answers there."""

    def __init__(self, path: Path, schedule: Schedule) -> None:
        """Listen at *path*, which a guest is shown."""
        self._schedule = schedule
        self._listener: socket.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # The name of a socket has 107 bytes at most, and that of a folder may have more.
        folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
        try:
            self._listener.bind(f"/proc/self/fd/{folder}/{path.name}")
        finally:
            os.close(folder)
        path.chmod(0o666)  # the guest is nobody
        self._listener.listen(1)
        self._guest: socket.socket | None = None
        self._read = b""
        self._asked_ns: int | None = None
        self._waits = False
        self._number = 0

    def close(self) -> None:
        """Answer no more."""
        for end in (self._listener, self._guest):
            if end is not None:
                end.close()

    @property
    def fds(self) -> tuple[int, ...]:
        """What is to be read when there is something to read."""
        return ((self._guest or self._listener).fileno(),)

    def wait_s(self) -> float | None:
        """In how long turn() is to be called, even if nothing is to be read; None: not at all."""
        if not self._waits or self._asked_ns is None:
            return None
        now_s = time.monotonic()
        return max(0.0, self._schedule.due_s(self._asked_ns, now_s) - now_s)

    def turn(self, readable: bool) -> None:
        """Read what there is, and let the guest go on if it is time. Raises TsqlabError."""
        if readable and self._guest is None:
            self._guest, _ = self._listener.accept()
        elif readable:
            self._take(self._receive())
        if self.wait_s() == 0.0:
            self._let_go()

    def _receive(self) -> bytes:
        assert self._guest is not None
        with suppress(ConnectionResetError):
            return self._guest.recv(_READ_BYTES)
        return b""

    def _take(self, got: bytes) -> None:
        if not got:  # it has ended; what it asked for is of no interest
            assert self._guest is not None
            self._guest.close()
            self._guest, self._waits = None, False
            return
        for operation, number, asked_ns in self._messages(got):
            self._answer(operation, number, asked_ns)

    def _messages(self, got: bytes) -> Iterator[tuple[int, int, int]]:
        self._read += got
        whole = len(self._read) // _MESSAGE.size * _MESSAGE.size
        messages, self._read = self._read[:whole], self._read[whole:]
        yield from _MESSAGE.iter_unpack(messages)

    def _answer(self, operation: int, number: int, asked_ns: int) -> None:
        if operation == _ACK:
            return
        if operation == _REQUEST:
            self._asked_ns = asked_ns
        elif operation == _WAIT and self._asked_ns is not None:
            self._waits = True
        elif operation != _START:
            raise TsqlabError("the guest asks for its time in words that are none")
        self._say(_ACK, number, 0, with_page=operation == _START)

    def _let_go(self) -> None:
        assert self._asked_ns is not None
        asked_ns, self._asked_ns, self._waits = self._asked_ns, None, False
        for operation, at_ns in (
            (_FREE_UNTIL, self._schedule.free_until_ns(asked_ns)),
            (_RUN, asked_ns),
        ):
            self._number += 1
            self._say(operation, self._number, at_ns)

    def _say(self, operation: int, number: int, at_ns: int, *, with_page: bool = False) -> None:
        assert self._guest is not None
        message = _MESSAGE.pack(operation, number & 0xFFFFFFFF, at_ns)
        with suppress(BrokenPipeError, ConnectionResetError):  # it has ended
            if with_page:
                _send_with_page(self._guest, message)
            else:
                self._guest.sendall(message)


def _send_with_page(guest: socket.socket, message: bytes) -> None:
    """Send the answer to START with two files, as 6.12 takes for granted.

    They are for sharing memory with whoever answers. In a page of zeroes it finds a version of
    that which it does not know, and goes on with messages. Given none, it would take whatever
    number is on its stack for a file, and close that. Older kernels ignore both.
    """
    page = os.memfd_create("clock", os.MFD_CLOEXEC)
    try:
        os.truncate(page, _PAGE_BYTES)
        socket.send_fds(guest, [message], [page, page])
    finally:
        os.close(page)
