# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that appear whole or not at all, and files of others that are safe to read.

The content goes to a temporary file beside the final one, reaches the disk, and only then
takes the final name; whatever happens before that leaves the final name as it was. Who is killed
meanwhile leaves the temporary file, whose name says what it is (forget_unfinished).
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TextIO

from tsqlab.errors import TsqlabError

_UNFINISHED = ".unfinished"
_MODE = 0o666  # the umask is taken off, as open() does


def is_regular(path: Path) -> bool:
    """Whether there is a regular file at *path* itself: no link, no pipe, no device."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return False


def open_regular(path: Path, bytes_max: int, errors: str = "strict") -> TextIO:
    """Open a text file that somebody else wrote. Raises OSError when it is not one to read.

    It has to be a regular file of at most *bytes_max*: opening a link would read another file,
    and opening a pipe would wait for ever. *errors* says, as to open(), what happens to bytes
    that are no text.
    """
    handle = _regular(path, os.O_NOFOLLOW)
    if os.fstat(handle).st_size > bytes_max:
        os.close(handle)
        raise _too_long(bytes_max)
    return os.fdopen(handle, encoding="utf-8", errors=errors)


def handle_of_regular(path: Path) -> int:
    """A handle of a file that somebody else writes, to be read as it grows. Raises OSError."""
    return _regular(path, os.O_NOFOLLOW)


def read_regular(path: Path, bytes_max: int) -> bytes:
    """What is in a file of a user's folder, perhaps through a link. Raises OSError.

    It has to be a regular file of at most *bytes_max*: a pipe would have us wait for ever.
    """
    with os.fdopen(_regular(path), "rb") as file:
        content = file.read(bytes_max + 1)
    if len(content) > bytes_max:
        raise _too_long(bytes_max)
    return content


def _regular(path: Path, flags: int = 0) -> int:
    """A handle of a regular file; opening it waits for nobody. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "expected a regular file")
    return handle


def _too_long(bytes_max: int) -> OSError:
    return OSError(errno.EFBIG, f"expected {bytes_max >> 20} MiB at most")


def make_folder(path: Path) -> None:
    """Make a folder if it is not there. Raises TsqlabError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_write(path, error) from error


def write_whole(path: Path, content: bytes) -> None:
    """Make *content* the file at *path*. Raises TsqlabError, as when the disk is full."""
    with _made_whole(path) as file:
        file.write(content)


def copy_whole(source: Path, path: Path) -> None:
    """Make what is in somebody else's file the file at *path*. Raises TsqlabError.

    It has to be a regular file: a link would have us copy what it leads to.
    """
    try:
        handle = handle_of_regular(source)
    except OSError as error:
        raise TsqlabError(f"{source}: cannot be read: {error.strerror or error}") from error
    with os.fdopen(handle, "rb") as content, _made_whole(path) as file:
        shutil.copyfileobj(content, file)


@contextlib.contextmanager
def _made_whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which is then at *path*. Raises TsqlabError."""
    try:
        handle, name = tempfile.mkstemp(_UNFINISHED, f".{path.name[:100]}.", path.parent)
    except OSError as error:
        raise _cannot_write(path, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(file.fileno(), _MODE & ~_umask())
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        if isinstance(error, OSError):
            raise _cannot_write(path, error) from error
        raise


def forget_unfinished(folder: Path) -> None:
    """Remove what those have left in *folder* who were killed as they wrote: nobody writes now."""
    for path in folder.glob(f".*{_UNFINISHED}"):
        path.unlink(missing_ok=True)


def append(path: Path, content: bytes) -> None:
    """Add *content* to the end of a file, which need not be there. Raises TsqlabError.

    Whoever is killed meanwhile has added a part of it at the most.
    """
    try:
        with path.open("ab", buffering=0) as file:
            left = memoryview(content)
            while left:
                left = left[file.write(left) :]
    except OSError as error:
        raise _cannot_write(path, error) from error


def remove(path: Path) -> None:
    """Take a file away if it is there. Raises TsqlabError."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise _cannot_write(path, error) from error


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _cannot_write(path: Path, error: OSError) -> TsqlabError:
    return TsqlabError(f"{path}: cannot be written: {error.strerror or error}")
