# SPDX-License-Identifier: GPL-2.0-or-later
"""What of the host a guest may see because an experiment's file says so, and what it contains.

A guest sees the host's programs, and nothing of its users. What ``see`` names is one file or one
folder more, read-only, and what a program prints of it ends in the results. An experiment may be
somebody else's. So what is nobody's business is refused by where it really is, symbolic links
followed: the system's own folders, a home as a whole, what is hidden in it. A folder's links lead
no further than the guest's own files. Sockets, pipes and devices are refused, since a read-only
mount does not keep anybody from writing to them.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tsqlab.guest.sandbox import becomes_nobody
from tsqlab.keys import key_of

_OF_THE_SYSTEM = ("/boot", "/dev", "/etc", "/proc", "/run", "/sys", "/var")
_OF_ETC = ("/etc/ssl/certs", "/etc/ca-certificates")
"""What of the system's everybody may know."""

_HOMES = (Path("/home"), Path("/root"))

_HIDDEN = (".cargo/bin", ".local/bin", ".local/lib", ".venv", ".pyenv/versions", ".rustup")
"""Hidden folders that hold programs and no secrets."""

FILES_MAX = 20_000
BYTES_MAX = 2 << 30
_CHUNK_BYTES = 1 << 20


class SeenError(ValueError):
    """What guests cannot be shown; *there* is where they were to see it."""

    def __init__(self, there: str, message: str) -> None:
        """Remember the place."""
        super().__init__(message)
        self.there = there


@dataclass(frozen=True)
class Seen:
    """What guests see, by where, and a key of all that it contains."""

    shown: Mapping[str, Path] = field(default_factory=dict)
    key: str = ""


def look(see: Mapping[str, str], home: Path) -> Seen:
    """What there is of the files and folders of *see*, whose paths start at *home*.

    Raises SeenError.
    """
    shown, digests = {}, []
    for there, written in sorted(see.items()):
        try:
            shown[there] = _checked(home, written)
            digests += [there, _digest(shown[there])]
        except (OSError, RuntimeError) as error:  # a RuntimeError is a home that nobody knows
            said = getattr(error, "strerror", None) or error
            raise SeenError(there, f'"{written}" cannot be seen: {said}') from None
        except ValueError as error:
            raise SeenError(there, f'"{written}" cannot be seen: {error}') from None
    return Seen(shown, key_of(*digests) if digests else "")


def _checked(home: Path, written: str) -> Path:
    """The path of what is meant, links followed. Raises OSError and ValueError."""
    home = home.resolve()
    path = (home / Path(written).expanduser()).resolve(strict=True)
    if _within(path, _OF_THE_SYSTEM) and not _within(path, _OF_ETC):
        raise ValueError(f"{path} is of the system")
    user = Path.home().resolve()
    if path in (user, *user.parents, *_HOMES) or path.parent in _HOMES[:1]:
        raise ValueError(f"{path} is a home, or has homes in it; name a folder that is for this")
    for part in (path, *path.parents):
        known = _within(path, [str(part.parent / name) for name in _HIDDEN])
        if part.name.startswith(".") and not known and not home.is_relative_to(part):
            raise ValueError(f"{part} is hidden, as what is private is")
    return path


def _within(path: Path, folders: Sequence[str]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _digest(path: Path) -> str:
    """A digest of a file, or of all in a folder, by names. Raises OSError and ValueError."""
    total = hashlib.sha256()
    read = 0
    for files, (name, entry) in enumerate(_entries(path)):
        mode = entry.lstat().st_mode
        kind = f"{stat.S_IFMT(mode):o} {bool(mode & stat.S_IXUSR)}"
        total.update(f"{name}\0{kind}\0".encode(errors="surrogateescape"))
        if stat.S_ISLNK(mode):
            total.update(os.fsencode(entry.readlink()))
        elif stat.S_ISREG(mode):
            _check_readable(entry, mode)
            read += _add(total, entry, BYTES_MAX - read)
        elif stat.S_ISDIR(mode):
            _check_readable(entry, mode)
        else:
            raise ValueError(f"{entry} is a socket, a pipe or a device")
        if files > FILES_MAX or read >= BYTES_MAX:
            raise ValueError(f"it has more than {FILES_MAX} files or {BYTES_MAX >> 30} GiB")
    return total.hexdigest()


def _entries(path: Path) -> Iterator[tuple[str, Path]]:
    """The path itself and, in the order of their names, all that is below it."""
    yield "", path
    if not path.is_dir():
        return
    for folder, folders, names in os.walk(path, onerror=_refuse):
        folders.sort()
        for name in sorted((*folders, *names)):
            entry = Path(folder) / name
            yield str(entry.relative_to(path)), entry


def _refuse(error: OSError) -> None:
    raise error


def _check_readable(path: Path, mode: int) -> None:
    """A guest that root starts reads as nobody (tsqlab.guest.sandbox)."""
    needed = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(mode) else 0)
    if becomes_nobody() and mode & needed != needed:
        raise ValueError(f"a guest may not read {path}; chmod -R o+rX would let it")


def _add(total: hashlib._Hash, path: Path, bytes_max: int) -> int:
    """Add a file's content; how many bytes it has, up to a limit."""
    read = 0
    with path.open("rb") as file:
        while read < bytes_max and (chunk := file.read(_CHUNK_BYTES)):
            total.update(chunk)
            read += len(chunk)
    return read
