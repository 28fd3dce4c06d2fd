# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a user's tree is built again and again: one folder for each tree.

The cache's other folders are named by what they are made from, and made once. A tree that is
edited would give a new one, with a copy of 1.4 GB and 800 objects, for each line. So a tree has a
workshop, trees/NAME-NUMBER, which follows it:

    workshop.json   whose it is
    seen.json       what the tree held when we looked last (tsqlab.kernels.tree)
    copy/           the tree with the patches, kept by its content (tsqlab.kernels.mirror)
    copy.json       what is in it
    build-KEY/      what make has made of it, by configuration and compiler
    modules-KEY/    our modules, built against it

What it makes is copied out of it, into a folder that is named by the content of all that went in,
as any other kernel; so a kernel that was built is there, and stays as it is, whatever becomes of
the tree. The same folder serves a tree with the CoTSQ series and without it: to change over
compiles what its headers touch, where a second folder would compile everything, and hold 1.8 GB.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tsqlab.kernels.cache import discard, locked
from tsqlab.kernels.mirror import Mirror, Wanted
from tsqlab.kernels.progress import Progress
from tsqlab.kernels.series import patched
from tsqlab.kernels.tree import LINK, Found, Known, look, read_file
from tsqlab.keys import key_of, key_of_bytes
from tsqlab.paths import cache
from tsqlab.results.files import forget_unfinished, write_whole

ABOUT = "workshop.json"
"""The file that says whose a workshop is; its time is that of the last use."""
INDEX = "index"
"""What whoever looks for a workshop locks, among the workshops."""


@dataclass(frozen=True)
class Content:
    """What a workshop's copy holds: the digest of each file, and which of them patches made."""

    digests: Mapping[str, str]
    patched: frozenset[str]

    @property
    def key(self) -> str:
        """The key of all of it."""
        lines = (f"{name}\0{digest}\n" for name, digest in self.digests.items())
        return key_of(os.fsencode("".join(lines)))

    @property
    def options_key(self) -> str:
        """The key of what says which options there are."""
        lines = (
            f"{name}\0{digest}\n"
            for name, digest in self.digests.items()
            if name.rpartition("/")[2].startswith("Kconfig")
        )
        return key_of(os.fsencode("".join(lines)))


@dataclass(frozen=True)
class Look:
    """What a tree holds now, and what a workshop's copy is to hold for it."""

    found: Mapping[str, Found]
    changed: Mapping[str, bytes | None]  # by the patches
    wanted: Mapping[str, Wanted]
    known: Known  # what was known before

    @property
    def content(self) -> Content | None:
        """The content of the copy, if it is known without reading what is new in the tree."""
        digests = {name: one.digest for name, one in self.wanted.items() if one.digest}
        return self.with_digests(digests) if len(digests) == len(self.wanted) else None

    def with_digests(self, digests: Mapping[str, str]) -> Content:
        """The content of the copy, whose files have these digests."""
        more = {
            name: f"{digests[name]}{'+x' if one.mode != LINK and one.mode & 0o100 else ''}"
            for name, one in self.wanted.items()
        }
        return Content(more, frozenset(self.changed))


class Workshop:
    """The workshop of a tree, which only its owner uses at a time."""

    def __init__(self, folder: Path, tree: Path) -> None:
        """See opened()."""
        self.folder, self.tree = folder, tree
        self.copy = folder / "copy"
        self._seen = folder / "seen.json"

    def look(self, patches: Sequence[Path], progress: Progress) -> Look:
        """What the tree holds now, and what *patches* make of it. Raises TsqlabError.

        This takes a second or two, and nothing is copied.
        """
        progress.part(f"looking for what has changed in {self.tree}")
        known = _known(self._seen)
        found = look(self.tree, known)
        progress.part("trying the patches")
        changed = patched(
            self.tree, lambda name: read_file(self.tree / name) if name in found else None, patches
        )
        return Look(found, changed, dict(sorted(_wanted(found, changed).items())), known)

    def update(self, seen: Look, progress: Progress) -> Content:
        """Make the copy hold what was seen; returns what it holds then. Raises TsqlabError."""
        progress.part(f"copying what has changed in {self.tree}")
        mirror = Mirror(self.copy, self.folder / "copy.json")

        def tell(names: Collection[str]) -> None:
            if _shadows(names, seen.wanted):
                # make knows which header an object was compiled with, not which it would find now.
                for build in self.folder.glob("build-*"):
                    discard(build)

        mirror.update(seen.wanted, self._reader(seen.changed), progress, tell)
        known = {name: (one.stamp, one.digest or mirror.digest(name))
                 for name, one in seen.found.items()
                 if one.stamp and (one.digest or name not in seen.changed)}  # fmt: skip
        if known != seen.known:
            write_whole(self._seen, json.dumps(known).encode())
        return seen.with_digests({name: mirror.digest(name) for name in seen.wanted})

    def _reader(self, changed: Mapping[str, bytes | None]) -> Callable[[str], bytes]:
        def read(name: str) -> bytes:
            made = changed.get(name)
            return read_file(self.tree / name) if made is None else made

        return read

    def own_words(self, message: str, content: Content) -> str:
        """What a compiler says of the copy, as said of the tree, where the lines are the same."""
        for name in content.patched:
            message = message.replace(f"{self.copy}/{name}:", f"\0{name}:")
        own = message.replace(f"{self.copy}/", f"{self.tree}/")
        return own.replace("\0", f"{self.copy}/")


def _wanted(found: Mapping[str, Found], changed: Mapping[str, bytes | None]) -> dict[str, Wanted]:
    """The tree's files, and in place of those that the patches change what becomes of them."""
    wanted = {name: Wanted(one.mode, one.digest, one.link) for name, one in found.items()}
    for name, content in changed.items():
        if content is None:
            wanted.pop(name, None)
        else:
            mode = wanted[name].mode if name in wanted else 0o644
            wanted[name] = Wanted(mode, key_of_bytes(content))
    return wanted


def _shadows(names: Collection[str], files: Mapping[str, Wanted]) -> bool:
    """Whether one of *names*, which came or went, is a header that another may be taken for."""
    headers = {name.rpartition("/")[2] for name in names if name.endswith(".h")}
    return bool(headers) and any(
        name.rpartition("/")[2] in headers and name not in names
        for name in files
        if name.startswith(("include/", "arch/um/", "arch/x86/"))
    )


@contextmanager
def opened(tree: Path, progress: Progress) -> Iterator[Workshop]:
    """The workshop of *tree*, for nobody else meanwhile."""
    while True:
        with locked(trees() / INDEX, progress):
            workshop = _of(tree, progress)
        with locked(workshop.folder, progress):
            about = workshop.folder / ABOUT
            if about.exists():  # it may have been pruned meanwhile
                os.utime(about)
                forget_unfinished(workshop.folder)
                yield workshop
                return


def _of(tree: Path, progress: Progress) -> Workshop:
    """It is found by what it says of itself, so that a tree that was moved finds its own again: the
    one whose tree is not there any more. It would have to begin anew otherwise, since objects
    name the files of the copy by their whole path.
    """
    orphan = None
    for about in sorted(trees().glob(f"*/{ABOUT}")):
        own = _about(about)
        if own.get("tree") == str(tree):
            return Workshop(about.parent, tree)
        if not Path(own.get("tree", "/")).exists() and orphan is None:
            orphan = about.parent
    folder = orphan or _new_folder(tree)
    if orphan:
        progress.part(f"taking over {orphan}, whose tree is gone")
    folder.mkdir(exist_ok=True)
    write_whole(folder / ABOUT, json.dumps({"tree": str(tree)}, indent=1).encode())
    return Workshop(folder, tree)


def _new_folder(tree: Path) -> Path:
    """A name that no workshop has: that of this very path may be with a tree that was moved."""
    word = re.sub(r"[^\w.+-]", "_", tree.name)  # Kbuild refuses a space and a colon
    names = (f"{word}-{number}" for number in itertools.count(1))
    return next(trees() / name for name in names if not (trees() / name).exists())


def trees() -> Path:
    """Where the workshops are."""
    return cache() / "trees"


def _about(path: Path) -> dict[str, str]:
    try:
        data = json.loads(path.read_bytes())
        return {str(key): str(value) for key, value in data.items()}
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}


def _known(path: Path) -> Known:
    try:
        data: Any = json.loads(path.read_bytes())
        return {name: (stamp, digest) for name, (stamp, digest) in data.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}
