# SPDX-License-Identifier: GPL-2.0-or-later
"""A cache of folders keyed by content, safe when two processes build at once."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tsqlab.errors import TsqlabError

_WHOLE = ".whole"


def key_of(*parts: str | bytes) -> str:
    """A short name for content: no two lists of parts share one."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()[:16]


def key_of_files(paths: Iterable[Path], root: Path) -> str:
    """A short name for files: their names below *root* and what is in them."""
    parts: list[str | bytes] = []
    for path in sorted(paths):
        parts.append(os.fsencode(path.relative_to(root)))
        parts.append(os.fsencode(path.readlink()) if path.is_symlink() else _digest(path))
    return key_of(*parts)


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


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
