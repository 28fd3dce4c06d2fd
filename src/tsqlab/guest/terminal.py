# SPDX-License-Identifier: GPL-2.0-or-later
"""The user's terminal, and one of a guest's own that it is joined to by copying bytes.

Nothing in a sandbox has the user's terminal: what has it can type into it (TIOCSTI), and so into
the user's own shell. It has one end of a pair instead, and we are at the other. Keys go through as
they are, so that Ctrl-C is for what runs in there. Since that may hang, three times Ctrl-] within
a second is for us, as in systemd-nspawn.
"""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import termios
import time
import tty
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, Self

from tsqlab.errors import TsqlabError

ESCAPE, _ESCAPES, _WITHIN_S = 0x1D, 3, 1.0  # Ctrl-]
_READ_BYTES = 65536
_SIZE_BYTES = struct.calcsize("HHHH")


class LeftError(TsqlabError):
    """The user has left what was run, which may have hung."""


class Terminal:
    """A context: a terminal for a guest, *inner*, joined to the user's, which is restored."""

    def __init__(self, keyboard: int, screen: int) -> None:
        """Join the user's terminal, of which these are the two ends."""
        self._keyboard, self._screen = keyboard, screen
        self._before = termios.tcgetattr(keyboard)
        self._outer, self.inner = os.openpty()
        os.set_blocking(self._outer, False)  # what nobody takes in there must not hold us up
        self._is_raw = False
        self._escapes: list[float] = []
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        """Give the inner terminal the size of the outer, now and from now on."""
        self._take_size()
        self._handlers = {
            number: signal.signal(number, handler)
            for number, handler in (
                (signal.SIGWINCH, self._resized),
                # Their default would leave the terminal as it is.
                (signal.SIGTERM, _end),
                (signal.SIGHUP, _end),
            )
        }
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Show what is left to show, and restore the user's terminal."""
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        with suppress(OSError):  # there is nobody to show it to
            while self._show():
                pass
        if self._is_raw:
            # What has been typed since, or what the terminal was made to answer, is for nobody.
            with suppress(OSError, termios.error):
                termios.tcsetattr(self._keyboard, termios.TCSAFLUSH, self._before)
        os.close(self._outer)
        os.close(self.inner)

    @property
    def fds(self) -> tuple[int, ...]:
        """What is to be read when there is something to read."""
        return (self._outer, self._keyboard)

    def turn(self, readable: Sequence[int]) -> None:
        """Copy what there is. Raises LeftError."""
        if self._outer in readable:
            self._show()
        if self._keyboard in readable:
            self._type()

    def pass_keys(self) -> None:
        """From now on the user's terminal does nothing by itself, and each key goes through.

        Until then, Ctrl-C is for us.
        """
        if not self._is_raw:
            self._is_raw = True
            tty.setraw(self._keyboard, termios.TCSADRAIN)

    def _show(self) -> bool:
        try:
            shown = os.read(self._outer, _READ_BYTES)
        except BlockingIOError:
            return False
        self.pass_keys()
        _write_all(self._screen, shown)
        return bool(shown)

    def _type(self) -> None:
        keys = os.read(self._keyboard, _READ_BYTES)
        if not keys:
            raise LeftError("the terminal has gone")
        for key in keys:
            self._count_escapes(key)
        with suppress(BlockingIOError):  # it has more to read than there is room for
            os.write(self._outer, keys)

    def _count_escapes(self, key: int) -> None:
        now_s = time.monotonic()
        self._escapes = [*self._escapes, now_s][-_ESCAPES:] if key == ESCAPE else []
        if len(self._escapes) == _ESCAPES and now_s - self._escapes[0] < _WITHIN_S:
            raise LeftError("left by three times Ctrl-]")

    def _resized(self, _signal: int, _frame: FrameType | None) -> None:
        self._take_size()

    def _take_size(self) -> None:
        with suppress(OSError):
            size = fcntl.ioctl(self._screen, termios.TIOCGWINSZ, bytes(_SIZE_BYTES))
            fcntl.ioctl(self._outer, termios.TIOCSWINSZ, size)


def _end(number: int, _frame: FrameType | None) -> None:
    raise LeftError(f"ended by {signal.Signals(number).name}")


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
