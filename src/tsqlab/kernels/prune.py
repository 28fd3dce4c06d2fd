# SPDX-License-Identifier: GPL-2.0-or-later
"""What the cache holds, and what of it can go: all of it can be made again.

An entry is a folder. Some need others: a kernel needs the tree that it was built from, which has
1.7 GB and often serves several kernels, and a tree of links needs the one that it leads to. What
was used longest ago goes first, and a tree when nothing is left that needs it. Two things stay:
what somebody uses, who holds it (tsqlab.kernels.cache), and the kernel that a plain ``tsqlab run``
would use.

A folder is given another name before anything in it is removed. So whoever looks for it finds all
of it or nothing, wherever a removal is cut off; what was cut off goes with the next.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tsqlab.errors import TsqlabError, UsageError
from tsqlab.kernels.build import default_folders
from tsqlab.kernels.cache import REMOVED, WHOLE, set_aside
from tsqlab.kernels.make import TREE
from tsqlab.kernels.workshop import ABOUT, INDEX, trees
from tsqlab.paths import cache
from tsqlab.results.files import write_whole
from tsqlab.units import Size

BYTES, UNBOUND = "TSQLAB_CACHE_BYTES", "none"
BYTES_DEFAULT = "20 GiB"

KERNEL, MODULES, SOURCE, WORKSHOP = "kernel", "modules", "source", "workshop"
_ROOMS = {
    "linux": KERNEL,
    "modules": MODULES,
    "src": SOURCE,
    "trees": WORKSHOP,
    "own": "own module",
    "agent": "agent",
    "fetched": "kernel of a cluster",
    "wqm": "wqm",
}
"""The folders of the cache whose entries can go, and what these are."""
_SIZES = "sizes.json"


@dataclass(frozen=True)
class Entry:
    """A folder of the cache."""

    path: Path
    kind: str
    size_bytes: int  # what it takes of the disk
    used_s: float  # when it was last used, since 1970
    needs: Path | None = None  # the entry without which it is of no use

    @property
    def name(self) -> str:
        """Its name in the cache."""
        return f"{self.path.parent.name}/{self.path.name}"


def bytes_max() -> int | None:
    """How much the cache may hold when a kernel has been built; None: any. Raises UsageError."""
    return bytes_of(os.environ.get(BYTES) or BYTES_DEFAULT, BYTES)


def bytes_of(text: str, what: str) -> int | None:
    """A bound as it is written. Raises UsageError."""
    if text == UNBOUND:
        return None
    if text.isascii() and text.isdecimal():
        return int(text[:20])
    try:
        return int(Size.of(text))
    except ValueError as error:
        raise UsageError(f'{what}: {error}; or "{UNBOUND}"') from error


def entries() -> list[Entry]:
    """All that the cache holds, what was used last first."""
    known, sizes = _remembered(), dict[str, int]()
    found = []
    for room, kind in _ROOMS.items():
        for path in _folders(cache() / room):
            with suppress(FileNotFoundError):  # somebody else removes it
                stamp = _stamp(path)
                size_bytes = known[stamp] if stamp in known else _size(path)
                sizes |= {stamp: size_bytes} if stamp else {}
                found.append(Entry(path, kind, size_bytes, _used_s(path), _needed_by(path)))
    if sizes != known:
        with suppress(OSError, TsqlabError):  # the cache may be somebody else's
            write_whole(cache() / _SIZES, json.dumps(sizes).encode())
    return sorted(_used_as_needed(found), key=lambda entry: (-entry.used_s, entry.name))


def whole_kernels() -> set[Path]:
    """The folders of the kernels that are built."""
    return {mark.parent for mark in (cache() / "linux").glob(f"*/{WHOLE}")}


def _used_as_needed(found: Sequence[Entry]) -> Iterator[Entry]:
    """The entries, each used when it or what needs it was."""
    used = {entry.path: entry.used_s for entry in found}
    for _ in range(2):  # a kernel needs a tree of links, which needs another
        for entry in found:
            if entry.needs in used:
                used[entry.needs] = max(used[entry.needs], used[entry.path])
    for entry in found:
        yield Entry(entry.path, entry.kind, entry.size_bytes, used[entry.path], entry.needs)


def chosen(found: Sequence[Entry], bound_bytes: int, stays: Collection[Path]) -> list[Entry]:
    """What is to go so that no more than a bound is left, in the order in which it can.

    What *stays* does, and so does what it needs. Nothing goes before what needs it.
    """
    total = sum(entry.size_bytes for entry in found)
    left = {entry.path: entry for entry in found}
    gone: list[Entry] = []

    def remove(entry: Entry) -> None:
        nonlocal total
        del left[entry.path]
        gone.append(entry)
        total -= entry.size_bytes
        needed = left.get(entry.needs) if entry.needs else None
        if needed and _can_go(needed, left.values(), stays):
            remove(needed)

    for entry in sorted(found, key=lambda entry: (entry.used_s, entry.name)):
        if total <= bound_bytes:
            break
        if entry.path in left and _can_go(entry, left.values(), stays):
            remove(entry)
    return gone


def _can_go(entry: Entry, left: Iterable[Entry], stays: Collection[Path]) -> bool:
    return entry.path not in stays and all(other.needs != entry.path for other in left)


def kept(found: Iterable[Entry]) -> set[Path]:
    """What stays, whatever the bound: what is in use, and the kernel of a plain run."""
    stays = {entry.path for entry in found if in_use(entry)}
    with suppress(TsqlabError):  # no source of it, or no compiler
        stays.update(default_folders())
    return stays


def prune(bound_bytes: int) -> list[Entry]:
    """Have the cache hold no more than a bound, if that can be; returns what is gone."""
    found = entries()
    if sum(entry.size_bytes for entry in found) <= bound_bytes:
        return remove([])
    return remove(chosen(found, bound_bytes, kept(found)))


def remove(going: Sequence[Entry]) -> list[Entry]:
    """Remove entries, and what a removal that was cut off has left; returns those that are gone.

    What somebody uses by now stays.
    """
    gone = [entry for entry in going if _set_aside(entry)]
    for path in _folders(cache() / REMOVED):
        shutil.rmtree(path, ignore_errors=True)
    return gone


def in_use(entry: Entry) -> bool:
    """Whether somebody uses or makes an entry."""
    with _alone(entry.path) as alone:
        return not alone


def _set_aside(entry: Entry) -> bool:
    """Take an entry out of the cache in one step, if nobody uses it or needs it."""
    with _alone(entry.path) as alone:
        if not alone or not entry.path.is_dir() or _is_needed(entry.path):
            return False
        set_aside(entry.path)
    return True


def _is_needed(path: Path) -> bool:
    """Whether anything needs an entry, as it is now."""
    if path.parent.name != "src":
        return False
    others = [*_folders(cache() / "linux"), *_folders(cache() / "src")]
    return any(_needed_by(other) == path for other in others)


@contextmanager
def _alone(path: Path) -> Iterator[bool]:
    """While nobody else makes an entry or begins to use it; False if somebody does."""
    with ExitStack() as stack:
        locks = [path.parent / f".{path.name}.lock"]
        if path.parent == trees():
            locks.insert(0, trees() / f".{INDEX}.lock")
        try:
            for lock in locks:
                _lock(stack, lock, os.O_CREAT | os.O_RDWR)
            with suppress(FileNotFoundError):
                _lock(stack, path / WHOLE, os.O_RDONLY)
        except OSError:  # it is locked, or somebody else's
            yield False
        else:
            yield True


def _lock(stack: ExitStack, path: Path, flags: int) -> None:
    fd = os.open(path, flags | os.O_CLOEXEC, 0o666)
    stack.callback(os.close, fd)
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _folders(room: Path) -> list[Path]:
    try:
        return sorted(path for path in room.iterdir() if path.is_dir() and not path.is_symlink())
    except OSError:
        return []


def _needed_by(path: Path) -> Path | None:
    """The entry that an entry needs."""
    room, source = path.parent.name, cache() / "src"
    leads: list[str] = []
    with suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
        if room == "linux":
            # The link is there before the kernel is.
            leads = [os.readlink(path / TREE)] if (path / TREE).is_symlink() else []  # noqa: PTH115
            leads += [json.loads((path / "tsqlab.json").read_bytes())["tree"]]
        elif room == "src":
            leads = [os.readlink(entry) for entry in os.scandir(path) if entry.is_symlink()]  # noqa: PTH115
    for lead in leads:
        if Path(lead).is_relative_to(source) and Path(lead) != source:
            return source / Path(lead).relative_to(source).parts[0]
    return None


def _used_s(path: Path) -> float:
    """When an entry was last used, or made if nobody knows."""
    for mark in (path / WHOLE, path / ABOUT, path):
        with suppress(FileNotFoundError):
            return mark.stat().st_mtime
    raise FileNotFoundError(path)


def _stamp(path: Path) -> str:
    """What tells an entry, which does not change, from another of its name; "" of one that may."""
    try:
        state = (path / WHOLE).stat()
    except FileNotFoundError:
        return ""
    return f"{path.parent.name}/{path.name} {state.st_ino}"


def _size(path: Path) -> int:
    total = 0
    for way, _, names in os.walk(path):
        for name in (".", *names):
            with suppress(FileNotFoundError):
                total += os.lstat(f"{way}/{name}").st_blocks * 512
    return total


def _remembered() -> dict[str, int]:
    """The sizes of entries that do not change, by what tells each."""
    try:
        data = json.loads((cache() / _SIZES).read_bytes())
        return {str(stamp): int(size) for stamp, size in data.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}
