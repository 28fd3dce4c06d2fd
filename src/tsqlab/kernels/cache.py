# SPDX-License-Identifier: GPL-2.0-or-later
"""Folders that are made once, safe when two processes build at the same time.

A folder's name holds a key of all that it is made from (tsqlab.keys).
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tsqlab.errors import TsqlabError

_WHOLE = ".whole"


def made(folder: Path, make: Callable[[Path], None]) -> Path:
    """The folder, made by *make* when it is not there.

    Who comes second waits for the first. A make that fails or is killed leaves nothing that
    would be taken for whole. Raises TsqlabError for what the file system refuses.
    """
    if (folder / _WHOLE).exists():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder.parent / f".{folder.name}.lock"):
            if not (folder / _WHOLE).exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                (folder / _WHOLE).touch()
    except OSError as error:
        raise TsqlabError(
            f"{folder}: {error.strerror or error}; TSQLAB_CACHE names another place for the cache"
        ) from error
    return folder


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
