# SPDX-License-Identifier: GPL-2.0-or-later
"""A user at a terminal: a command in a pty, what it shows, and what is typed."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time


class User:
    """Runs a command, on a terminal of its own, which outlives it."""

    def __init__(self, command, rows=24, columns=80, **environment):
        self.shown, self._status = "", None
        self._end, self.terminal = pty.openpty()
        self.resize(rows, columns)
        self.before = termios.tcgetattr(self.terminal)
        self.pid = os.fork()
        if not self.pid:
            os.close(self._end)
            os.login_tty(self.terminal)
            os.execvpe(command[0], command, {**os.environ, "TERM": "xterm", **environment})

    def resize(self, rows, columns):
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._end, termios.TIOCSWINSZ, size)

    def sees(self, pattern, within_s=60):
        """Wait until a pattern is shown that was not before; what it is, and was before it."""
        until = time.monotonic() + within_s
        while not (found := re.search(pattern, self.shown)):
            left = until - time.monotonic()
            assert left > 0, f"no {pattern!r} in {self.shown!r}"
            if select.select([self._end], [], [], left)[0]:
                self.shown += os.read(self._end, 65536).decode(errors="replace")
        before, self.shown = self.shown[: found.end()], self.shown[found.end() :]
        return before

    def types(self, text):
        os.write(self._end, text.encode())

    @property
    def name(self):
        return os.ttyname(self.terminal)

    @property
    def is_cooked(self):
        """Whether the terminal is as it was."""
        return termios.tcgetattr(self.terminal) == self.before

    def status(self, within_s=60):
        """Wait for the command's end; its exit status."""
        until = time.monotonic() + within_s
        while time.monotonic() < until:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
                return self._status
            if select.select([self._end], [], [], 0.02)[0]:
                self.shown += os.read(self._end, 65536).decode(errors="replace")
        raise AssertionError(f"it has not ended: {self.shown!r}")

    def close(self):
        """End what has not ended."""
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._end)
        os.close(self.terminal)

    def ends(self, number):
        os.kill(self.pid, number)
