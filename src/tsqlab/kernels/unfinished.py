# SPDX-License-Identifier: GPL-2.0-or-later
"""A folder in which a build was cut off: what make may trust there, and what not.

A make that fails, or that is interrupted, removes what it was writing. One that is killed at once,
as by a loss of power, does not: a file may be half written and look up to date. So there is a mark
in the folder while make runs. Where it is found, what was written last goes, and so does what is
empty: it may not have reached the disk. (The options that are set are empty files, and stay.) The
rest is good, and make goes on from it.

What was last is told by the times of the files. So whoever writes to the folder, or asks what is
there, before make runs again has it mended first (make_good): else what was written now would be
the last, and would go in place of what is damaged.

A module's folder is small, and holds its sources, too: there Kbuild's notes go (*.cmd), without
which it makes everything again. The kernel that a module is built against is not written to.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_MARK = ".tsqlab-builds"
_LAST_NS = 10_000_000_000
_OPTIONS = "include/config"
_SOURCES = frozenset({"Makefile", "Kbuild", "source"})


def forget(folder: Path) -> None:
    """Have Kbuild make all of *folder* again."""
    for path in folder.rglob("*.cmd"):
        path.unlink()


def mend(folder: Path) -> None:
    """Remove what may be damaged."""
    files: list[tuple[int, int, Path]] = []
    for way, _, names in os.walk(folder):
        for name in names:
            path = Path(way) / name
            if name != _MARK and name not in _SOURCES and not path.is_symlink():
                state = path.lstat()
                files.append((state.st_mtime_ns, state.st_size, path))
    last = max((mtime for mtime, _, _ in files), default=0) - _LAST_NS
    for mtime, size, path in files:
        if mtime >= last or not (size or path.is_relative_to(folder / _OPTIONS)):
            path.unlink()


def distrust(folder: Path) -> None:
    """Have the next make mend *folder*: one of those that worked in it was killed."""
    (folder / _MARK).touch()


def make_good(folder: Path, after_a_cut: Callable[[Path], None] = mend) -> None:
    """Mend *folder* if a make was cut off in it; it is then as if that make had come to its end."""
    mark = folder / _MARK
    if mark.exists():
        after_a_cut(folder)
        mark.unlink()


@contextmanager
def building(folder: Path, after_a_cut: Callable[[Path], None] = mend) -> Iterator[None]:
    """While make writes to *folder*, which is mended first if a make was cut off in it."""
    make_good(folder, after_a_cut)
    mark = folder / _MARK
    mark.touch()
    try:
        yield
    finally:  # whoever is killed at once does not come here
        mark.unlink(missing_ok=True)
