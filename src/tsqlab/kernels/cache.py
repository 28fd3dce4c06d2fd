# SPDX-License-Identifier: GPL-2.0-or-later
"""Folders that are made once, safe when two processes build at the same time.

A folder's name holds a key of all that it is made from (tsqlab.keys). Whoever was given one holds
it to the end of the process: its mark, the file that is made last, is locked, shared with others,
and has the time of the last use. So what is in use is not pruned (tsqlab.kernels.prune).
"""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.kernels.progress import Progress, Unwatched
from tsqlab.paths import cache
from tsqlab.results.files import write_whole

WHOLE = ".whole"
"""The file that is made last. It has the size of each file that matters."""
REMOVED = "removed"
"""The folder of the cache in which folders are removed."""


def made(
    folder: Path,
    make: Callable[[Path], None],
    files: Sequence[str] = (),
    *,
    goes_on: bool = False,
    progress: Progress | None = None,
) -> Path:
    """The folder, made by *make* when it is not there.

    Who comes second waits for the first. A make that fails or is killed leaves nothing that
    would be taken for whole, and a folder is made again if one of *files* (patterns of names in
    it) no longer has the size that it was made with. A make that *goes_on* is given what an
    earlier one left that did not come to its end. Raises TsqlabError for what the file system
    refuses.
    """
    try:
        if _is_whole(folder) and _hold(folder):
            return folder
        with locked(folder, progress):
            if not (_is_whole(folder) and _hold(folder)):
                # What was whole once and is not any more may be damaged anywhere.
                if not goes_on or (folder / WHOLE).exists():
                    discard(folder)
                folder.mkdir(exist_ok=True)
                make(folder)
                sizes = {str(path.relative_to(folder)): path.stat().st_size for name in files
                         for path in folder.glob(name)}  # fmt: skip
                write_whole(folder / WHOLE, json.dumps(sizes).encode())
                _hold(folder)
    except OSError as error:
        raise TsqlabError(
            f"{folder}: {error.strerror or error}; TSQLAB_CACHE names another place for the cache"
        ) from error
    return folder


def discard(folder: Path) -> None:
    """Remove a folder, if it is there: it is gone in one step, wherever this is cut off."""
    with suppress(FileNotFoundError):
        shutil.rmtree(set_aside(folder), ignore_errors=True)


def set_aside(folder: Path) -> Path:
    """Take a folder out of the cache in one step; returns where it is then.

    What is left there by whoever was cut off goes when the cache is pruned. Raises
    FileNotFoundError.
    """
    place = cache() / REMOVED
    place.mkdir(parents=True, exist_ok=True)
    names = (place / f"{folder.parent.name}-{folder.name}-{n}" for n in itertools.count(1))
    aside = next(name for name in names if not name.exists())
    return folder.rename(aside)


def is_made(folder: Path) -> bool:
    """Whether the folder is there, with all that it was made with. If so, it is held."""
    try:
        return _is_whole(folder) and _hold(folder)
    except OSError:
        return False


def _hold(folder: Path) -> bool:
    """Have nobody remove the folder while this process lives; whether it is still there."""
    mark = folder / WHOLE
    if folder in _USED and _is_file(mark, _USED[folder]):
        return True
    try:
        fd = os.open(mark, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    # Who removes it has it alone, for no longer than it takes to give it another name.
    fcntl.flock(fd, fcntl.LOCK_SH)
    if not _is_file(mark, fd):
        os.close(fd)
        return False
    if (before := _USED.pop(folder, None)) is not None:
        os.close(before)
    _USED[folder] = fd
    with suppress(OSError):  # a cache may be somebody else's
        os.utime(mark)
    return True


def _is_file(path: Path, fd: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(fd))
    except FileNotFoundError:
        return False


_USED: dict[Path, int] = {}
"""The marks that this process holds."""


def _is_whole(folder: Path) -> bool:
    """Whether the folder has all that it was made with.

    Nothing notices a disk that was full, or a machine that lost its power, before its end.
    """
    try:
        text = (folder / WHOLE).read_bytes()
        sizes = json.loads(text) if text else {}  # until 0.1.0 the file was empty
        return all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (FileNotFoundError, NotADirectoryError, ValueError, AttributeError):
        return False


@contextmanager
def locked(folder: Path, progress: Progress | None = None) -> Iterator[None]:
    """Be the only one who makes *folder*, beside which the lock is.

    Programs that are started meanwhile inherit the lock: should we be killed, who comes next waits
    for a make of ours, too, that still writes.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f".{folder.name}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            (progress or Unwatched()).part(f"waiting for another tsqlab, which makes {folder}")
            fcntl.flock(file, fcntl.LOCK_EX)
        _HELD.append(file.fileno())
        try:
            yield
        finally:
            _HELD.remove(file.fileno())


def held() -> tuple[int, ...]:
    """The file descriptors of the locks that this process has, for its children to keep."""
    return tuple(_HELD)


def ran(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """A program that has done its part of what is made, with all that it said; it keeps the locks.

    Raises FileNotFoundError where there is no such program.
    """
    return subprocess.run(
        command, capture_output=True, text=True, errors="replace", check=False, pass_fds=held()
    )


_HELD: list[int] = []
