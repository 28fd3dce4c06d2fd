# SPDX-License-Identifier: GPL-2.0-or-later
"""The digest of a tarball, remembered in the cache.

A tarball has 150 MB, and reading it all takes longer than anything else that a command does which
finds its kernel built. So its digest is kept beside what the file system says of the file: its
size, its inode and its times, of which ctime cannot be set back. A change within the granularity
of these times would not be seen; so nothing is remembered of a file that has just been changed.
What is remembered is for speed only: if it is damaged, or cannot be written, the file is read.
"""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.keys import digest_of, key_of
from tsqlab.paths import cache
from tsqlab.results.files import make_folder, read_regular, write_whole

_SETTLED_NS = 2_000_000_000
"""How old the last change has to be. FAT's times are the coarsest, two seconds apart."""

_BYTES_MAX = 10_000


def remembered_digest(path: Path) -> bytes:
    """What is in a file, as a hash; it is read only if it may have changed. Raises OSError."""
    now_ns = time.time_ns()
    before = _identity(path)
    memory = cache() / "digests" / f"{key_of(before[0])}.json"
    known = _recall(memory, before)
    if known is not None:
        return known
    digest = digest_of(path)
    settled = max(path.stat().st_mtime_ns, path.stat().st_ctime_ns) <= now_ns - _SETTLED_NS
    if settled and _identity(path) == before:
        _remember(memory, before, digest)
    return digest


def _identity(path: Path) -> list[str]:
    """The file's path, and what tells whether it is still the same and unchanged."""
    found = path.stat()
    numbers = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return [str(path.absolute()), *map(str, numbers)]


def _recall(memory: Path, identity: list[str]) -> bytes | None:
    """The digest of just this file, as it was written; None if there is none."""
    try:
        told = json.loads(read_regular(memory, _BYTES_MAX))
        digest = bytes.fromhex(told["sha256"])
        whole = told["key"] == key_of(*identity, digest)
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    return digest if whole else None


def _remember(memory: Path, identity: list[str], digest: bytes) -> None:
    told = {"file": identity, "sha256": digest.hex(), "key": key_of(*identity, digest)}
    with contextlib.suppress(TsqlabError):
        make_folder(memory.parent)
        write_whole(memory, json.dumps(told, indent=1).encode() + b"\n")
