# SPDX-License-Identifier: GPL-2.0-or-later
"""The source of a user's own module: what is in its folder, and the Kbuild that it may lack.

A folder is one module. It is read once, whole, and what was read is what is compiled and what the
cell's key is of. Read are C, assembly, and make's files, in subfolders too; a note or what an
earlier build left there changes nothing. A folder without a Kbuild or Makefile gets one: of a
single .c file, a module of its name; of several, one that is called as the folder is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tsqlab.errors import UsageError, one_line
from tsqlab.keys import key_of
from tsqlab.results.files import read_regular

BYTES_MAX = 16 << 20
"""Of all files together."""

FILES_MAX, ENTRIES_MAX = 1000, 10_000
"""How many files are read, and how many entries are looked at."""

_SUFFIXES = (".c", ".h", ".S", ".inc", ".mk")
_FOR_MAKE = ("Kbuild", "Makefile")
_MADE = ".mod.c"  # modpost writes it
_FILE_NAME = re.compile(r"[\w.+/-]+", re.ASCII)
"""What make takes as a name as it is."""


@dataclass(frozen=True)
class Source:
    """A module's source as it was read."""

    name: str  # its folder's
    said: str  # the folder as the user wrote it
    files: Mapping[str, bytes]  # by their names below the folder, with a Kbuild

    @property
    def key(self) -> str:
        """A hash of all of it."""
        return key_of(self.name, *(part for item in self.files.items() for part in item))


def read_source(folder: Path, name: str, said: str) -> Source:
    """What is in *folder*, of a module that is called *name*. Raises UsageError."""
    try:
        if not folder.is_dir():
            raise UsageError(f'no folder "{one_line(said)}" ({one_line(str(folder.absolute()))})')
        files = dict(sorted(_read(folder)))
    except (OSError, ValueError) as error:  # a path with a NUL in it is a ValueError
        said_by_system = getattr(error, "strerror", None) or error
        where = getattr(error, "filename", None) or folder
        raise UsageError(f"{where}: cannot be read: {said_by_system}") from None
    if not any(known in files for known in _FOR_MAKE):
        files["Kbuild"] = kbuild(name, list(files)).encode()
    return Source(name, said, files)


def _read(folder: Path) -> Iterator[tuple[str, bytes]]:
    total = count = 0
    for path in _found(folder):
        content = read_regular(path, BYTES_MAX)
        total, count = total + len(content), count + 1
        if total > BYTES_MAX or count > FILES_MAX:
            raise UsageError(
                f"{folder}: more than {BYTES_MAX >> 20} MiB or {FILES_MAX} files of source; "
                "expected a module's folder"
            )
        yield str(path.relative_to(folder)), content


def _found(folder: Path) -> Iterator[Path]:
    """The files that are read. A link is one only to what is in the folder, too."""
    entries, inside = 0, os.path.realpath(folder)
    for way, folders, names in os.walk(folder, onerror=_raise):
        folders[:] = [name for name in folders if not name.startswith(".")]
        entries += len(folders) + len(names)
        if entries > ENTRIES_MAX:
            raise UsageError(f"{folder}: more than {ENTRIES_MAX} files; expected a module's folder")
        for name in names:
            path = Path(way) / name
            if not _is_source(name):
                continue
            if not _FILE_NAME.fullmatch(str(path.relative_to(folder))):
                raise UsageError(f"{one_line(str(path))}: make takes no file of that name")
            if not os.path.realpath(path).startswith(f"{inside}/"):
                raise UsageError(f"{path}: a link that leaves the folder; copy the file there")
            yield path


def _raise(error: OSError) -> None:
    raise error


def _is_source(name: str) -> bool:
    if name.startswith(".") or name.endswith(_MADE):
        return False
    return name in _FOR_MAKE or name.endswith(_SUFFIXES)


def kbuild(name: str, files: Sequence[str]) -> str:
    """The Kbuild of a module's folder that has none. Raises UsageError."""
    stems = [file.removesuffix(".c") for file in files if file.endswith(".c") and "/" not in file]
    if not stems:
        raise UsageError(f"{name}: no .c file in it, and no Kbuild")
    if len(stems) == 1:
        return f"obj-m := {stems[0]}.o\n"
    if name in stems:
        raise UsageError(
            f"{name}: of several .c files none can be called as the module, {name}.c; rename it, "
            "or write a Kbuild"
        )
    objects = " ".join(f"{stem}.o" for stem in stems)
    return f"obj-m := {name}.o\n{name}-y := {objects}\n"
