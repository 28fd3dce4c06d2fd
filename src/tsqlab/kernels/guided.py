# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel that is compiled by a profile of itself: what runs often is laid out for it.

A compiler that knows how often each branch is taken puts what is likely in a row, inlines what is
called often, and keeps what never happens out of the way. gcc counts that itself: objects that are
compiled with -fprofile-generate have a counter for each branch, which the program writes to files
when it ends, and -fprofile-use reads them. User-Mode Linux is a program, and its guests run in
virtual time, so a kernel that counts does the same as one that does not, only slower.

So a kernel is built twice: once to count, in the cells of a training that take seconds, and once
by the counts. The second build takes over what the first has made, and compiles anew only the
objects that are hot, which kernel/config/hot.txt names. What the training does not reach is
compiled as without a profile. Results are the same bytes, since no instruction says what time it
is.

The profile of a version stays in the cache, and the next kernel of that version is compiled by it,
whatever its patches: what they change has no counts, and is compiled as without.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tsqlab.keys import key_of, key_of_files
from tsqlab.paths import KERNEL_CONFIG, cache
from tsqlab.results.files import write_whole

if TYPE_CHECKING:
    from tsqlab.kernels.recipe import Kernel

_HOT = KERNEL_CONFIG / "hot.txt"
_ABOUT = "tsqlab.json"

_USE = "-fprofile-use -fprofile-partial-training -fprofile-correction -fno-profile-values"
"""How counts are used. gcc looks for them beside the object, with the suffix gcda. The correction
is of a function that a patch has changed: it has no counts, and those who call it have."""


class Training(Protocol):
    """What a kernel does while it counts."""

    @property
    def key(self) -> str:
        """The key of all that it does."""

    @property
    def folder(self) -> str:
        """Where guests are to write their counts, as they see it."""

    def run(self, kernel: Kernel, work: Path) -> Path:
        """Do it, in the folder *work*; returns the folder of the counts. Raises TsqlabError."""


@dataclass(frozen=True)
class Profile:
    """The counts of a training: NAME.gcda for each hot NAME.o, in the folders that it is in."""

    folder: Path  # its name is the key of what is in it
    source: str  # the key of the source that was trained
    training: str  # the key of the training

    @property
    def key(self) -> str:
        """The key of the counts: the same profile makes the same kernel."""
        return self.folder.name


def hot() -> tuple[str, ...]:
    """The names of the objects that are compiled by counts, without folder and suffix."""
    lines = _HOT.read_text("utf-8").splitlines()
    return tuple(word for line in lines for word in line.partition("#")[0].split())


def counting(training: Training) -> tuple[str, ...]:
    """What make is told so that hot objects count."""
    # Without a seed of the compiler's own, the files would have the time of the build in them.
    flags = f"-fprofile-generate={training.folder}/$(@D) -fno-profile-values -frandom-seed=$@"
    return (*_flags(flags), "KLDFLAGS=-fprofile-generate")


def guided(profile: Profile) -> tuple[str, ...]:
    """What make is told so that hot objects are compiled by *profile*, which lies in its output."""
    # The seed has objects made anew when the profile is another. What a patch has changed has
    # other counts, or none, which is nothing to warn of.
    quiet = "-Wno-coverage-mismatch -Wno-missing-profile"
    return _flags(f"{_USE} -frandom-seed={profile.key} {quiet}")


def guided_by(profile: Profile) -> str:
    """A name for all that guided() does."""
    return f"{profile.key} {_USE}"


def lay_out(profile: Profile, output: Path) -> None:
    """Put the counts where the compiler looks for them."""
    shutil.copytree(profile.folder, output, copy_function=_copy, dirs_exist_ok=True)


def _copy(source: str, target: str) -> None:
    """With a time that none takes for that of an interrupted make (tsqlab.kernels.unfinished)."""
    shutil.copyfile(source, target)
    os.utime(target, (0, 0))


def _flags(flags: str) -> tuple[str, ...]:
    return tuple(f"CFLAGS_{name}.o={flags}" for name in hot())


def place_of(version: str, compiler: str) -> Path:
    """The folder of the profiles of a version, of which the last counts."""
    return cache() / "profiles" / f"{version}-{key_of(compiler, _HOT.read_bytes())}"


def profile_in(place: Path) -> Profile | None:
    """The last profile, if there is one."""
    try:
        about = json.loads((place / _ABOUT).read_text("utf-8"))
        profile = Profile(place / about["key"], about["source"], about["training"])
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return None  # none yet, or it is made again
    return profile if profile.folder.is_dir() else None


def remember(place: Path, counts: Path, source: str, training: Training) -> Profile:
    """Make *counts*, as a training has left them, the last profile."""
    # The compiler names a file by the whole path of its object, with # between the folders.
    names = {path: path.with_name(path.name.rpartition("#")[2]) for path in counts.rglob("*.gcda")}
    for path, name in names.items():
        path.rename(name)
    key = key_of_files(names.values(), counts)
    if not (place / key).exists():
        # A profile that was copied in part must not have the name of the whole.
        new = place / "new"
        shutil.rmtree(new, ignore_errors=True)
        shutil.copytree(counts, new)
        new.rename(place / key)
    about = {"key": key, "source": source, "training": training.key}
    write_whole(place / _ABOUT, json.dumps(about).encode())
    return Profile(place / key, source, training.key)
