# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel that differs from a built one in a few files: they are compiled, and it is linked.

A whole build takes 400 s of CPU time and 1.8 GB, and a kernel of an earlier time (kernel/patches/
history) is the same but for five files. make could know that, by its rule that what is older than
its sources is made again; but it compares command lines, too, and these name the tree by its whole
path. So the tree is made of links to the other's files, what was built is copied with its times,
and in the notes that make keeps (*.cmd) the folders' names are exchanged. Where anything is left
of them after all, make compiles what it need not: that costs time, and nothing else.

make tells by times alone that a file was changed, and the tree is kept: the next kernel of it may
be made of one that was built after it, by a newer profile. So its own files are given the time of
the copying; else make would take what was built of the others' for built of them.

A folder in which a file is changed is a real one in the new tree, and so are those above it; all
others are links. A source that named a changed header by a path with ".." that leaves such a link
would get the header as it was: of headers in include/ there is no such path, and the patches in
kernel/patches/history change no others.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.kernels.cache import WHOLE, made, ran
from tsqlab.kernels.progress import Progress
from tsqlab.kernels.series import patched
from tsqlab.kernels.source import changes
from tsqlab.kernels.tree import parents, read_file
from tsqlab.keys import key_of

_COPIES, _COPIED = "copying", "copied-from"
"""The files that are there while what was built is copied, and from then on. make goes on from
what is copied, and not from half of it: half an object is as new as a whole one."""

_NOTES = ("*.cmd", "*.d", "*.mod", "modules.order", "Makefile")
"""Where make and Kbuild note the folders that they worked in."""

_OF_ONE_BUILD = ("*.log", "tsqlab.json", WHOLE, _COPIED)
"""What tells of the build that the copy is of. None of it is ever in the copy: a folder with the
other's marks would be taken for whole, and for the other's kernel."""

WAY = "made of another 3"
"""For keys of kernels that are made so. The first way, without new times, made some wrong ones; the
second made some where it was cut off, with the marks of the other in the copy."""


def linked_tree(base: Path, patches: Sequence[Path], progress: Progress) -> Path:
    """The tree *base* of the cache with *patches* applied, of links. Raises TsqlabError."""

    def read(name: str) -> bytes | None:
        return read_file(base / name) if (base / name).is_file() else None

    def make(folder: Path) -> None:
        changed = patched(base, read, patches)
        real = {""} | {folder for name in changed for folder in parents(name)}
        for name in sorted(real):
            (folder / name).mkdir(exist_ok=True)
            for entry in os.scandir(base / name):
                own = f"{name}/{entry.name}".lstrip("/")
                if own not in real and own not in changed and entry.name not in _OF_ONE_BUILD:
                    (folder / own).symlink_to(entry.path)
        for name, content in changed.items():
            if content is not None:
                (folder / name).write_bytes(content)

    version, _, key = base.name.partition("-")
    own_key = key_of(key, changes(patches))
    return made(base.parent / f"{version}-{own_key}", make, progress=progress)


def copy_built(base: Path, folder: Path, renamed: Mapping[Path, Path], linked: Path | None) -> None:
    """Make *folder* what make left in *base*, as if it had been told the names *renamed*.

    The files that the tree *linked* has of its own are newer then than all that was copied. What is
    there is removed, unless it was copied, with what make has done there since.
    """
    mark = folder / _COPIED
    if mark.exists():
        return
    _empty(folder)
    (folder / _COPIES).touch()
    own = {name for pattern in _OF_ONE_BUILD for name in base.glob(pattern)}
    taken = [str(path) for path in sorted(base.iterdir()) if path not in own]
    command = ["cp", "--archive", "--reflink=auto", f"--target-directory={folder}", "--", *taken]
    done = ran(command)
    if done.returncode:
        raise TsqlabError(f"{folder}: {done.stderr.strip()[-2000:]}")
    for pattern in _OF_ONE_BUILD:
        for path in folder.rglob(pattern):
            path.unlink()
    names = {**renamed, base: folder}
    for pattern in _NOTES:
        for path in folder.rglob(pattern):
            _rename_in(path, names)
    if linked:
        _renew(linked)
    mark.write_text(f"{base}\n", "utf-8")
    (folder / _COPIES).unlink()


def forget_half_copied(folder: Path) -> None:
    """Empty a folder in which a copy was cut off."""
    if (folder / _COPIES).exists() and not (folder / _COPIED).exists():
        _empty(folder)


def _empty(folder: Path) -> None:
    """Remove all that is in it, what says that half of it was copied last."""
    for path in sorted(folder.iterdir(), key=lambda path: path.name == _COPIES):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _renew(tree: Path) -> None:
    """Give the files that a linked tree has of its own the time that it is."""
    for way, _, names in os.walk(tree):
        for path in (Path(way, name) for name in names):
            if not path.is_symlink():
                path.touch()


def _rename_in(path: Path, names: Mapping[Path, Path]) -> None:
    """Exchange names of folders in a file, whose time stays what it is."""
    before = after = path.read_bytes()
    for old, new in names.items():
        after = after.replace(os.fsencode(old), os.fsencode(new))
    if after != before:
        state = path.stat()
        path.write_bytes(after)
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
