# SPDX-License-Identifier: GPL-2.0-or-later
"""What the host's files contain and what they ask a loader for, remembered from run to run.

A file is taken for the same as long as its inode and its times are, as tsqlab.kernels.digest says
of a tarball. They are many and small, so one file of the cache remembers them all. That is for
speed only: if it is damaged, or cannot be written, the files are read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any

from tsqlab.errors import TsqlabError
from tsqlab.guest.elf import Asked, asked
from tsqlab.keys import key_of
from tsqlab.paths import cache
from tsqlab.results.files import make_folder, read_regular, write_whole

_SETTLED_NS = 2_000_000_000
"""How old the last change has to be to be trusted, as the coarsest clock of a file system ticks."""

_MEMORY_BYTES_MAX = 4 << 20


@dataclass(frozen=True)
class FileRead:
    """What was read of a file."""

    stamp: tuple[int, ...]  # what stat says of it, to know it again by
    sha256: str
    asked: Asked


@dataclass
class KnownFiles:
    """What is in files, by their paths."""

    remembered: dict[str, FileRead] = field(default_factory=dict)
    looked: dict[str, FileRead] = field(default_factory=dict)

    def of(self, path: str) -> FileRead:
        """What a file contains. Raises OSError."""
        if (read := self.looked.get(path)) is None:
            read = self.remembered.get(path)
            if read is None or read.stamp != _stamp(os.stat(path)):  # noqa: PTH116 - half as long
                read = _read(path)
            self.looked[path] = read
        return read

    def remember(self) -> None:
        """Keep what was read, but for files that somebody has just changed."""
        if all(read == self.remembered.get(path) for path, read in self.looked.items()):
            return
        settled_ns = time.time_ns() - _SETTLED_NS
        files = {
            path: [list(read.stamp), read.sha256, [list(part) for part in astuple(read.asked)]]
            for path, read in (self.remembered | self.looked).items()
            if max(read.stamp[-2:]) <= settled_ns
        }
        text = json.dumps({"files": files, "key": _key_of(files)}, indent=1)
        with contextlib.suppress(TsqlabError):
            make_folder(_memory().parent)
            write_whole(_memory(), text.encode() + b"\n")


def recall() -> KnownFiles:
    """What was remembered, as it was written; nothing if that is damaged."""
    try:
        told = json.loads(read_regular(_memory(), _MEMORY_BYTES_MAX))
        if told["key"] != _key_of(told["files"]):
            return KnownFiles()
        return KnownFiles({path: _again(*words) for path, words in told["files"].items()})
    except (OSError, TsqlabError, ValueError, LookupError, TypeError, AttributeError,
            RecursionError):  # fmt: skip
        return KnownFiles()


def _again(stamp: list[int], sha256: str, words: list[list[str]]) -> FileRead:
    return FileRead(tuple(stamp), sha256, Asked(*map(tuple, words)))


def _read(path: str) -> FileRead:
    with Path(path).open("rb") as file:
        stamp = _stamp(os.fstat(file.fileno()))
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        return FileRead(stamp, sha256, asked(file))


def _stamp(state: os.stat_result) -> tuple[int, ...]:
    return (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)


def _memory() -> Path:
    return cache() / "digests" / "host-programs.json"


def _key_of(files: Mapping[str, Any]) -> str:
    return key_of(json.dumps(files, sort_keys=True))
