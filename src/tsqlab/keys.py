# SPDX-License-Identifier: GPL-2.0-or-later
"""Short names for content: what has the same key is the same to the byte."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path


def key_of(*parts: str | bytes) -> str:
    """A short name for content: no two lists of parts share one."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()[:16]


def key_of_bytes(content: bytes) -> str:
    """A longer name for one file's content, of which a tree has many."""
    return hashlib.sha256(content).hexdigest()[:32]


def digest_of(path: Path) -> bytes:
    """What is in a file, as a hash."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def key_of_files(
    paths: Iterable[Path], root: Path, digest: Callable[[Path], bytes] = digest_of
) -> str:
    """A short name for files: their names below *root*, and what *digest* says is in them."""
    parts: list[str | bytes] = []
    for path in sorted(paths):
        parts.append(os.fsencode(path.relative_to(root)))
        parts.append(os.fsencode(path.readlink()) if path.is_symlink() else digest(path))
    return key_of(*parts)
