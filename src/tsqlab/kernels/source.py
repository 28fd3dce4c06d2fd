# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a kernel's source comes from: Debian's tarball, another tarball, or a tree.

A tarball is unpacked and patched once, in a folder of the cache that is named by both. A tree
changes, and has a workshop there (tsqlab.kernels.workshop).
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tsqlab.errors import TsqlabError, UsageError
from tsqlab.kernels.cache import made, ran
from tsqlab.kernels.digest import remembered_digest
from tsqlab.kernels.progress import Progress, Unwatched
from tsqlab.kernels.series import apply
from tsqlab.keys import key_of, key_of_files
from tsqlab.paths import KERNEL_PATCHES, cache

_DEBIAN = Path("/usr/src")
_VERSION = re.compile(r"\d+(\.\d+)*")
_SUBJECT = re.compile(r"^Subject: (?:\[[^]]*\] )?(.*(?:\n .*)*)", re.MULTILINE)
_BEFORE = re.compile(r"^Subject: .*(?:\n .*)*\bas\s+before\s+v(\d+\.\d+)$", re.MULTILINE)

SERIES = ("um", "tcp")
"""The patch series of a version, folders of kernel/patches/VERSION, in their order."""

ADDED = ("trace",)
"""The series that only a kernel has which has the fragment of that name, above all others."""


@dataclass(frozen=True)
class Source:
    """A kernel source, not yet patched."""

    path: Path  # a tarball or a tree
    version: str  # the version that chooses the patches, such as "6.12"
    key: str  # the key of a tarball's content; a tree's is found where it is copied

    @property
    def is_tree(self) -> bool:
        """Whether it is a tree, which may change at any time."""
        return self.path.is_dir()


def versions() -> list[str]:
    """The kernel versions that have patches in kernel/patches, newest first."""
    names = [path.name for path in KERNEL_PATCHES.iterdir() if _VERSION.fullmatch(path.name)]
    return sorted(names, key=_numbers, reverse=True)


def find_source(version: str | None, given: Path | None) -> Source:
    """The tarball of *version* that this machine has, or the tarball or tree *given*.

    Raises UsageError when it is not there.
    """
    if given is None:
        version = version or versions()[0]
        given = tarball_of(version)
        if given is None:
            raise UsageError(f"no source of Linux {version}; try: {how_to_get(version)}")
    if given.is_file():
        key = key_of_files([given], given.parent, remembered_digest)
        return Source(given, version or _version_in_name(given), key)
    if (given / "Makefile").is_file() and (given / "arch" / "um").is_dir():
        return Source(given, version or _version_of_tree(given), "")
    raise UsageError(f"{given}: neither a tarball nor a kernel source tree")


def tarball_of(version: str) -> Path | None:
    """Debian's tarball of a version, or kernel.org's in the cache; None if there is neither."""
    debian = _DEBIAN / f"linux-source-{version}.tar.xz"
    if debian.is_file():
        return debian
    name = re.compile(rf"linux-{re.escape(version)}(?:\.(\d+))?\.tar\.[a-z0-9]+")
    try:
        found = [
            (match, path) for path in cache().iterdir() if (match := name.fullmatch(path.name))
        ]
    except OSError:  # there is no cache yet
        return None
    newest = max(found, key=lambda one: int(one[0][1] or 0), default=None)
    return newest[1] if newest else None


def how_to_get(version: str) -> str:
    """What to do where there is no tarball of a version."""
    return (
        f"sudo apt-get install linux-source-{version}, or, where there is no such package, put "
        f"kernel.org's linux-{version}.N.tar.xz into {cache()}"
    )


def patches_of(version: str, given: Path | None, series: Sequence[str] = SERIES) -> list[Path]:
    """The patches of the *series* for *version*, or those in the folder *given*, in order.

    Raises UsageError for a version that is too old, and for a folder without patches.
    """
    if given is None:
        return [patch for name in series for patch in patches_in(name, version)]
    if patches := sorted(given.glob("*.patch")):
        return patches
    raise UsageError(f"{given}: no *.patch files in it")


def added_patches(version: str, fragments: Sequence[str]) -> list[Path]:
    """The patches that a kernel with further *fragments* has besides. Raises UsageError."""
    return [patch for name in ADDED if name in fragments for patch in patches_in(name, version)]


def patches_in(name: str, version: str) -> list[Path]:
    """The patches of one of SERIES or ADDED for *version*, in order. Raises UsageError."""
    return sorted((_nearest(version) / name).glob("*.patch"))


def history(version: str | None = None) -> dict[str, Path]:
    """The patches that take an upstream change back, by name.

    Of a *version* those of the changes that it has. Raises TsqlabError.
    """
    paths = sorted((KERNEL_PATCHES / "history").glob("*.patch"))
    return {
        path.stem: path
        for path in paths
        if version is None or _numbers(release_of(path)) <= _numbers(version)
    }


def subject_of(patch: Path) -> str:
    """What a patch's message says that it does, on one line; the file's name if it has none."""
    found = _SUBJECT.search(patch.read_text("utf-8", "replace"))
    return " ".join(found[1].split()) if found else patch.name


def release_of(patch: Path) -> str:
    """The first release with the change that a patch of history() takes back: "5.6".

    Its subject says it. Raises TsqlabError.
    """
    head = patch.read_text("utf-8", "replace").partition("\n\n")[0]
    found = _BEFORE.search(head)
    if found is None:
        raise TsqlabError(f'{patch}: its subject does not end with "as before v5.6" or the like')
    return found[1]


def changes(patches: Sequence[Path]) -> bytes:
    """The patches without their messages, since a new message is no reason to build again."""
    texts = (patch.read_bytes() for patch in patches)
    return b"".join(text[max(0, text.find(b"\ndiff --git")) :] for text in texts)


def patched_tree(source: Source, patches: Sequence[Path], progress: Progress | None = None) -> Path:
    """The tarball *source* unpacked in the cache, *patches* applied. Raises TsqlabError."""
    key = key_of(source.key, changes(patches))

    def make(folder: Path) -> None:
        (progress or Unwatched()).part(f"unpacking {source.path}")
        _run(["tar", "-xf", str(source.path), "-C", str(folder), "--strip-components=1"],
             str(source.path))  # fmt: skip
        with tempfile.TemporaryDirectory() as rejects:
            for patch in patches:
                if why := apply(patch, folder, Path(rejects) / "rejected"):
                    raise TsqlabError(f"{patch.name} does not apply to {source.path}:\n{why}")

    return made(cache() / "src" / f"{source.version}-{key}", make, progress=progress)


def _nearest(version: str) -> Path:
    """The folder of the version itself, or of the newest one that is not newer."""
    if not _VERSION.fullmatch(version):
        raise UsageError(f'"{version}" is no kernel version; there are {_known()}')
    for name in versions():
        if _numbers(name) <= _numbers(version):
            return KERNEL_PATCHES / name
    raise UsageError(f"no patches in kernel/patches for {version}; there are {_known()}")


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _known() -> str:
    return ", ".join(versions())


def _version_in_name(path: Path) -> str:
    match = re.search(r"(\d+\.\d+)", path.name)
    if match is None:
        raise UsageError(f"{path}: no version in its name; say it with --version")
    return match[1]


def _version_of_tree(tree: Path) -> str:
    head = (tree / "Makefile").read_text("utf-8", "replace")[:400]
    found = dict(re.findall(r"^(VERSION|PATCHLEVEL) = (\d+)$", head, re.MULTILINE))
    if len(found) < 2:
        raise UsageError(f"{tree}/Makefile: no VERSION and PATCHLEVEL in its first lines")
    return f"{found['VERSION']}.{found['PATCHLEVEL']}"


def _run(command: list[str], what: str) -> None:
    done = ran(command)
    if done.returncode:
        raise TsqlabError(f"{what}: {(done.stdout + done.stderr).strip()[-2000:]}")
