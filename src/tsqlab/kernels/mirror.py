# SPDX-License-Identifier: GPL-2.0-or-later
"""A folder that is kept equal to what is wanted in it, with as few writes as can be.

make compiles what is newer than its object. So a file is written only when its content is
another, and then its time is that of the writing, whatever the time of the user's file: a
checkout of an older commit brings older times as well, which make would not notice.

Why not something else: an overlay needs privileges, a reflink a file system that has them, a git
worktree a repository, and does not know what is uncommitted. A folder of links to the user's files
would have what is compiled change while it is compiled, so that a kernel would not be what its key
says. Hard links would be worse: an editor that writes in place writes to both names, and one that
writes a new file to one only; and our patches would change the user's tree.

What is in the folder is remembered in a file beside it: each name with its digest, and its size
and time as they were after the writing. Whatever no longer has them, because somebody has edited
it there, is compared by its content. Before anything is written, the names of what is about to
change go to a second file, each with whether it was there, and if we are killed meanwhile, these
are compared, too.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tsqlab.kernels.progress import Progress
from tsqlab.kernels.tree import LINK, parents
from tsqlab.keys import key_of_bytes
from tsqlab.results.files import write_whole

_READ_ONLY = 0o555  # what is edited there would be lost: the tree is the place to edit


@dataclass(frozen=True)
class Wanted:
    """A file that is to be in the folder."""

    mode: int  # its permissions, or LINK
    digest: str | None = None  # of its content; None: as it is read
    link: str = ""  # where a link leads to


@dataclass(frozen=True)
class Have:
    """A file of the folder as it was after we wrote it."""

    mode: int
    digest: str
    size: int
    mtime_ns: int


class Mirror:
    """The folder, and what is known of it."""

    def __init__(self, folder: Path, memory: Path) -> None:
        """*memory* is the file that remembers; it need not be there yet."""
        self.folder, self._memory = folder, memory
        self._have, self._unsure = _remembered(memory, folder)
        self._safe: set[str] = set()

    def update(
        self,
        wanted: Mapping[str, Wanted],
        read: Callable[[str], bytes],
        progress: Progress,
        tell: Callable[[Collection[str]], None] = lambda _: None,
    ) -> None:
        """Make the folder hold what is *wanted*.

        *read* gives the content of a name, and is asked only for what may have changed. *tell* is
        told the names that came or went before they are remembered: wherever this is cut off, the
        next update tells them, too. Files that nobody ever wanted, as a build's, stay. Raises what
        *read* and *tell* raise, and OSError.
        """
        todo = [name for name, file in wanted.items() if not self._is(name, file)]
        gone = [name for name in {**self._have, **self._unsure} if name not in wanted]
        if not todo and not gone:
            return
        had = {name: self._have[name] for name in todo if self._is_whole(name)}
        self._forget([*todo, *gone])
        self._remove(gone)
        came = {name for name in todo if not self._unsure[name]}
        for count, name in enumerate(todo):
            if count % 200 == 0:
                progress.count(count, len(todo))
            self._have[name], new = self._put(name, wanted[name], read, had.get(name))
            if new:
                came.add(name)
        tell({*came, *gone})
        self._unsure = {}
        self._remember()

    def digest(self, name: str) -> str:
        """The digest of a file's content after update()."""
        return self._have[name].digest

    def _is(self, name: str, file: Wanted) -> bool:
        have = self._have.get(name)
        return (
            have is not None
            and (have.digest, have.mode) == (file.digest, file.mode)
            and self._is_whole(name)
        )

    def _is_whole(self, name: str) -> bool:
        """Whether a file is as we left it."""
        have = self._have.get(name)
        try:
            state = os.lstat(f"{self.folder}/{name}")
        except (FileNotFoundError, NotADirectoryError):
            return False
        return have is not None and (state.st_size, state.st_mtime_ns) == (have.size, have.mtime_ns)

    def _forget(self, names: Iterable[str]) -> None:
        for name in names:
            self._unsure.setdefault(name, name in self._have)
            self._have.pop(name, None)
        self._memory.parent.mkdir(parents=True, exist_ok=True)
        write_whole(_unsure(self._memory), json.dumps(self._unsure).encode())

    def _remember(self) -> None:
        have = {name: [*vars(one).values()] for name, one in self._have.items()}
        write_whole(self._memory, json.dumps(have).encode())
        _unsure(self._memory).unlink()

    def _remove(self, names: Iterable[str]) -> None:
        for name in names:
            path = self.folder / name
            # Below a link there is nothing of ours.
            if any((self.folder / folder).is_symlink() for folder in parents(name)):
                continue
            with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
                path.unlink()
            with suppress(OSError):  # a folder that is not empty, or is no folder any more
                for folder in parents(name):
                    (self.folder / folder).rmdir()

    def _put(
        self, name: str, file: Wanted, read: Callable[[str], bytes], had: Have | None
    ) -> tuple[Have, bool]:
        """Have a file there; returns what is there then, and whether there was nothing."""
        path = f"{self.folder}/{name}"
        if file.mode == LINK:
            new = self._make_room(name)
            Path(path).symlink_to(file.link)
            state, digest = os.lstat(path), key_of_bytes(os.fsencode(file.link))
            return Have(LINK, digest, state.st_size, state.st_mtime_ns), new
        content = read(name)
        digest = key_of_bytes(content)
        mode = file.mode & _READ_ONLY
        if (had is not None and had.mode != LINK and had.digest == digest) or _holds(path, content):
            Path(path).chmod(mode)
            state = os.lstat(path)
            return Have(file.mode, digest, state.st_size, state.st_mtime_ns), False
        new = self._make_room(name)
        # A new file, not new content of the old one, which may be open in a compiler.
        with open(path, "xb", opener=partial(os.open, mode=mode)) as out:
            out.write(content)
            out.flush()
            state = os.fstat(out.fileno())
        return Have(file.mode, digest, state.st_size, state.st_mtime_ns), new

    def _make_room(self, name: str) -> bool:
        """Take away what stands where a file or its folders are to be; was there nothing?"""
        folder = name.rpartition("/")[0]
        if folder not in self._safe:
            for above in (self.folder / one for one in parents(name)):
                if above.is_symlink() or (above.exists() and not above.is_dir()):
                    above.unlink()
            (self.folder / folder).mkdir(parents=True, exist_ok=True)
            self._safe.add(folder)
        path = f"{self.folder}/{name}"
        try:
            os.unlink(path)  # noqa: PTH108  (there are 87,000 of them)
        except FileNotFoundError:
            return True
        except IsADirectoryError:
            shutil.rmtree(path)
            self._safe.clear()
        return False


def _holds(path: str, content: bytes) -> bool:
    """Whether there is a file with that content already."""
    try:
        state = os.lstat(path)
        return (
            stat.S_ISREG(state.st_mode)
            and state.st_size == len(content)
            and Path(path).read_bytes() == content
        )
    except (FileNotFoundError, NotADirectoryError):
        return False


def _unsure(memory: Path) -> Path:
    """The file of the names of which nobody knows what is there."""
    return memory.with_suffix(".unsure")


def _remembered(memory: Path, folder: Path) -> tuple[dict[str, Have], dict[str, bool]]:
    """What is in the folder, and the names of which nobody knows it: whether each was there."""
    try:
        text = memory.read_bytes() if memory.exists() else b"{}"
        have = {name: Have(*fields) for name, fields in json.loads(text).items()}
        if _unsure(memory).exists():
            names: dict[str, bool] = json.loads(_unsure(memory).read_bytes())
            unsure = {str(name): bool(there) for name, there in names.items()}
        else:
            unsure = {} if memory.exists() else _files(folder)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        have, unsure = {}, _files(folder)
    for name in unsure:
        have.pop(name, None)
    return have, unsure


def _files(folder: Path) -> dict[str, bool]:
    paths = (Path(way) / name for way, _, names in os.walk(folder) for name in names)
    return {str(path.relative_to(folder)): True for path in paths}
