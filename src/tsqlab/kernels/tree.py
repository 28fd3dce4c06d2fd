# SPDX-License-Identifier: GPL-2.0-or-later
"""What a kernel source tree holds, read again only where it has changed.

A tree has 87,000 files and 1.4 GB, of which an edit changes one. So a file's digest is remembered
with what lstat(2) says of it: size, mode, inode, time of its content and time of its change. As
long as all of them are the same, the file is taken for the same. A time of content can be set back
by hand, as rsync and tar do; a time of change cannot. What changed within two seconds before we
looked is not trusted, since a clock's tick is that long on some file systems and a second change
within one could not be told from the first. Not seen is thus only what somebody changed under a
clock that was set back to the very tick of the last change.

A tree is read, never written to, not even by git.
"""

from __future__ import annotations

import os
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tsqlab.errors import TsqlabError, UsageError
from tsqlab.keys import key_of_bytes

Stamp = list[int]
"""What lstat says of a file: size, mode, inode, mtime and ctime in ns."""

_NOT_TRUSTED_NS = 2_000_000_000

# An unpacked tarball in which somebody has built has its own .gitignore files, which say what a
# build leaves. Debian's say at the top that all is to be ignored: what is in the folder itself is
# not, therefore, but for what a build leaves there.
_LEFT_BY_A_BUILD = (
    *("!/*", "/.git", "/.config*", "/.*.cmd", "/.*.d", "/*.o", "/*.a", "/vmlinux*", "/.tmp_*"),
    *("/linux", "/System.map", "/Module.symvers", "/modules.*", "/tags", "/TAGS", "/cscope.*"),
    *("/include/config/", "/include/generated/", "/arch/*/include/generated/"),
    *("*.o", "*.ko", "*.a", ".*.cmd"),
)


LINK = -1
"""The mode of a symbolic link, whose permissions mean nothing."""


@dataclass(frozen=True)
class Found:
    """One file of a tree."""

    mode: int  # 0o755 or 0o644, or LINK
    link: str = ""  # where a link leads to
    digest: str | None = None  # of its content; None if it may have changed since we read it
    stamp: Stamp | None = None  # to know it again by; None if it is not to be trusted


Known = dict[str, tuple[Stamp, str]]
"""The files that were read before: what lstat said of them, and the digest of their content."""


def read_file(path: Path) -> bytes:
    """The content of a user's file. Raises TsqlabError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise TsqlabError(f"{path}: cannot be read: {error.strerror or error}") from error


def look(tree: Path, known: Known) -> dict[str, Found]:
    """All source files of *tree* by their names. Nothing is read."""
    trusted_ns = time.time_ns() - _NOT_TRUSTED_NS
    files = {}
    for name in names_of(tree):
        found = _lstat(tree, name)
        if found is None:
            continue
        path, state = found
        if stat.S_ISLNK(state.st_mode):
            link = _within(tree, path)
            files[name] = Found(LINK, link, key_of_bytes(os.fsencode(link)))
            continue
        mode = 0o755 if state.st_mode & 0o100 else 0o644
        stamp = [state.st_size, state.st_mode, state.st_ino, state.st_mtime_ns, state.st_ctime_ns]
        if name in known and known[name][0] == stamp:
            files[name] = Found(mode, digest=known[name][1], stamp=stamp)
        elif max(state.st_mtime_ns, state.st_ctime_ns) < trusted_ns:
            files[name] = Found(mode, stamp=stamp)
        else:
            files[name] = Found(mode)
    return files


def _lstat(tree: Path, name: str) -> tuple[str, os.stat_result] | None:
    """What is at a name: a file, or a link that stays in the tree; else nothing.

    A link that leaves the tree stands for the file that it leads to. Raises UsageError where that
    is a folder.
    """
    path = f"{tree}/{name}"
    try:
        state = os.lstat(path)
        if not stat.S_ISLNK(state.st_mode):
            # A submodule is a folder.
            return (path, state) if stat.S_ISREG(state.st_mode) else None
        target = os.path.realpath(path)
        if f"{target}/".startswith(f"{tree}/") or not Path(target).exists():
            return path, state
        if Path(target).is_dir():
            raise UsageError(f"{path}: a link to a folder outside of the tree; copy it there")
        return target, Path(target).stat()
    except (FileNotFoundError, NotADirectoryError):  # deleted, which nobody has told git
        return None


def _within(tree: Path, path: str) -> str:
    """Where a link leads to, in words that mean the same in a copy of the tree."""
    link, folder = str(Path(path).readlink()), str(Path(path).parent)
    if os.path.normpath(f"{folder}/{link}").startswith(f"{tree}/") and not link.startswith("/"):
        return link
    return os.path.relpath(os.path.realpath(path), folder)


def names_of(tree: Path) -> list[str]:
    """The names of a tree's source files: not of what building left there. Raises TsqlabError."""
    if (tree / ".git").exists():
        listed = _git(tree, ["-C", str(tree)], ["-c", "-o", "--exclude-standard"])
    else:
        with tempfile.TemporaryDirectory() as empty:
            _run(["git", "init", "-q", "--template=", empty], tree)
            where = [f"--git-dir={empty}/.git", f"--work-tree={tree}", "-C", str(tree)]
            patterns = [word for one in _LEFT_BY_A_BUILD for word in ("-x", one)]
            listed = _git(tree, where, ["-o", "--exclude-per-directory=.gitignore", *patterns])
    return sorted({os.fsdecode(name) for name in listed.split(b"\0") if name})


def _git(tree: Path, where: Sequence[str], what: Sequence[str]) -> bytes:
    return _run(["git", "-c", "core.fsmonitor=false", *where, "ls-files", "-z", *what], tree)


def _run(command: Sequence[str], tree: Path) -> bytes:
    # As a hook's child we would have another repository's variables.
    environment = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    environment["GIT_OPTIONAL_LOCKS"] = "0"
    try:
        done = subprocess.run(command, env=environment, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise TsqlabError("no git; try: tsqlab doctor") from error
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip()
        raise TsqlabError(f"{tree}: git {' '.join(command[-4:])[:60]}: {words}")
    return done.stdout


def parents(name: str) -> Iterator[str]:
    """The folders that a file is in, the nearest first."""
    while "/" in name:
        name = name.rpartition("/")[0]
        yield name
