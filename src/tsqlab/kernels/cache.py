# SPDX-License-Identifier: GPL-2.0-or-later
"""Folders that are made once, safe when two processes build at the same time.

A folder's name holds a key of all that it is made from (tsqlab.keys).
"""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.results.files import write_whole

_WHOLE = ".whole"
"""The file that is made last. It has the size of each file that matters."""


def made(folder: Path, make: Callable[[Path], None], files: Sequence[str] = ()) -> Path:
    """The folder, made by *make* when it is not there.

    Who comes second waits for the first. A make that fails or is killed leaves nothing that
    would be taken for whole, and a folder is made again if one of *files* (patterns of names in
    it) no longer has the size that it was made with. Raises TsqlabError for what the file system
    refuses.
    """
    try:
        if _is_whole(folder):
            return folder
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder.parent / f".{folder.name}.lock"):
            if not _is_whole(folder):
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                sizes = {str(path.relative_to(folder)): path.stat().st_size for name in files
                         for path in folder.glob(name)}  # fmt: skip
                write_whole(folder / _WHOLE, json.dumps(sizes).encode())
    except OSError as error:
        raise TsqlabError(
            f"{folder}: {error.strerror or error}; TSQLAB_CACHE names another place for the cache"
        ) from error
    return folder


def _is_whole(folder: Path) -> bool:
    """Whether the folder has all that it was made with.

    Nothing notices a disk that was full, or a machine that lost its power, before its end.
    """
    try:
        text = (folder / _WHOLE).read_bytes()
        sizes = json.loads(text) if text else {}  # until 0.1.0 the file was empty
        return all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (FileNotFoundError, NotADirectoryError, ValueError, AttributeError):
        return False


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
