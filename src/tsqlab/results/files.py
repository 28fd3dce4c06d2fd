# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that appear whole or not at all.

The content goes to a temporary file beside the final one, reaches the disk, and only then
takes the final name; whatever happens before that leaves the final name as it was.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from tsqlab.errors import TsqlabError

_MODE = 0o666  # less the umask, as open() gives it


def write_whole(path: Path, content: bytes) -> None:
    """Make *content* the file at *path*. Raises TsqlabError, as when the disk is full."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    except OSError as error:
        raise _cannot_write(path, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(file.fileno(), _MODE & ~_umask())
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        if isinstance(error, OSError):
            raise _cannot_write(path, error) from error
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _cannot_write(path: Path, error: OSError) -> TsqlabError:
    return TsqlabError(f"{path}: cannot be written: {error.strerror or error}")
