# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine: all that tsq reads of it and changes in it goes through here.

Folders are fields, so that a test has a tree of its own; whatever changes something is a method, so
that a test can end the process between any two changes.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tsq.errors import TsqError

_COMMAND_S = 30  # what waits longer waits for something that does not come
_SO_NETNS_COOKIE = 71  # since Linux 5.14; include/uapi/asm-generic/socket.h
_LOOKS_MAX = 5
_INTERRUPTED = "Dump was interrupted"
"""What ip and tc say, with status 0, of a list that changed while it was read."""


@dataclass(frozen=True)
class Host:
    """Where things are."""

    proc: Path = Path("/proc")
    sys: Path = Path("/sys")
    run: Path = Path("/run/tsq")
    units: Path = Path("/etc/systemd/system")
    kept: Path = Path("/var/lib/tsq")

    # What is read.

    def text(self, path: Path) -> str | None:
        """A file's text without the space around it; None if it is not there or not for us."""
        try:
            return path.read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return None

    def names(self, folder: Path) -> list[str]:
        """What is in a folder, sorted; nothing if it is not there."""
        try:
            return sorted(entry.name for entry in folder.iterdir())
        except OSError:
            return []

    def target(self, link: Path) -> str | None:
        """The last part of what a link leads to; None if there is none."""
        try:
            return link.readlink().name
        except OSError:
            return None

    def leads_to(self, link: Path) -> str | None:
        """Where a link leads, "" if there is none; None if something else is there."""
        try:
            return str(link.readlink())
        except FileNotFoundError:
            return ""
        except OSError:
            return None

    def sysctl_path(self, name: str) -> Path:
        """net.ipv4.tcp_x as the file that it is."""
        return self.proc / "sys" / name.replace(".", "/")

    def sysctl(self, name: str) -> str | None:
        """A sysctl's value; None where the kernel has none of that name."""
        return self.text(self.sysctl_path(name))

    def number(self, name: str) -> int | None:
        """A sysctl's value if it is a number."""
        value = self.sysctl(name)
        try:
            return None if value is None else int(value)
        except ValueError:
            return None

    def namespace(self) -> str:
        """A name of the network namespace that we are in, which no other has until the next boot.

        Its inode would not do: the next namespace has the number of one that has ended.
        """
        try:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
                told = own.getsockopt(socket.SOL_SOCKET, _SO_NETNS_COOKIE, 8)
                return str(struct.unpack("=Q", told)[0])
        except (OSError, struct.error):
            return "host"

    def is_first_namespace(self) -> bool:
        """Whether our network namespace is that of the first process; False if nobody tells."""
        try:
            own, first = ((self.proc / pid / "ns" / "net").stat().st_ino for pid in ("self", "1"))
        except OSError:
            return False
        return own == first

    def device_name(self, index: int) -> str | None:
        """What the network device of that index is called now; None: it is gone."""
        try:
            return socket.if_indextoname(index)
        except OSError:
            return None

    def asked(self, words: Sequence[str]) -> str:
        """What a program prints that only looks. TsqError if it cannot."""
        for _ in range(_LOOKS_MAX):
            done = _run(words)
            if _INTERRUPTED not in done.stderr:
                return done.stdout
        raise TsqError(f"{' '.join(words)}: what it lists changed {_LOOKS_MAX} times meanwhile")

    def controls_has(self, name: str) -> bool:
        """Whether a congestion control of that name is registered."""
        return name in (self.sysctl("net.ipv4.tcp_available_congestion_control") or "").split()

    # What is changed.

    def told(self, words: Sequence[str]) -> str:
        """What a program prints that changes something. TsqError if it cannot."""
        return _run(words).stdout

    def write(self, path: Path, value: str) -> None:
        """Write a file of the kernel's: at once or not at all."""
        try:
            path.write_text(value, encoding="utf-8")
        except OSError as error:
            raise TsqError(f"{path}: {error.strerror}; writing {value!r} takes root") from error

    def control_register(self, name: str, microseconds: int) -> None:
        """Register the BPF congestion control, with that limit."""
        # ctypes and libbpf are for those only who use them.
        from tsq.bpf import register  # noqa: PLC0415

        register(name, microseconds)

    def control_unregister(self, name: str) -> None:
        """Take it out again."""
        from tsq.bpf import unregister  # noqa: PLC0415

        unregister(name)
        if self.controls_has(name):
            raise TsqError(f"{name}: is still registered; taking it out takes root (CAP_SYS_ADMIN)")

    def later(self, seconds: int, words: Sequence[str]) -> None:
        """Have a program run in so many seconds, whatever becomes of us."""
        from tsq.timer import wait_and_run  # noqa: PLC0415  (it uses Host)

        wait_and_run(seconds, words)

    def disarm(self, unit: str) -> None:
        """Stop a timer of systemd's; it may have run already, or never have been there."""
        with contextlib.suppress(TsqError):
            _run(["systemctl", "--quiet", "stop", unit])

    def replace(self, path: Path, text: str) -> None:
        """Make a file have that text, durably: however we end, it is the old one or the new."""
        new = beside(path)
        try:
            # Whatever the umask is: who could write here could have root undo what they like.
            path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            new.unlink(missing_ok=True)
            opened = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
            with os.fdopen(opened, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            new.replace(path)
            _sync_folder(path.parent)
        except OSError as error:
            raise TsqError(f"{path}: {error.strerror}; this takes root") from error

    def link(self, path: Path, to: str) -> None:
        """Make a symbolic link, durably."""
        try:
            path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            path.symlink_to(to)
            _sync_folder(path.parent)
        except OSError as error:
            raise TsqError(f"{path}: {error.strerror}; this takes root") from error

    def remove(self, path: Path) -> None:
        """Remove a file if it is there, and what a replace() left that was killed, durably."""
        try:
            beside(path).unlink(missing_ok=True)
            path.unlink(missing_ok=True)
            with contextlib.suppress(FileNotFoundError):
                _sync_folder(path.parent)
        except OSError as error:
            raise TsqError(f"{path}: {error.strerror}; this takes root") from error


def beside(path: Path) -> Path:
    """Where replace() has a file's new text until it is whole."""
    return path.with_name(f"{path.name}.new")


def _sync_folder(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _run(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "LC_ALL": "C",
        "PATH": f"{os.environ.get('PATH', '/usr/bin:/bin')}:/usr/sbin:/sbin",
    }
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            env=environment,
            timeout=_COMMAND_S,
            check=False,
        )
    except FileNotFoundError as error:
        package = {"ip": "iproute2", "tc": "iproute2"}.get(words[0], words[0])
        raise TsqError(f"no {words[0]} here; try: sudo apt-get install {package}") from error
    except subprocess.TimeoutExpired as error:
        raise TsqError(f"{' '.join(words)}: nothing for {_COMMAND_S} s") from error
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        raise TsqError(f"{' '.join(words)}: {said[-1]}")
    return done
