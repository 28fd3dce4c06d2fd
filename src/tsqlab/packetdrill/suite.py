# SPDX-License-Identifier: GPL-2.0-or-later
"""What is run: the user's scripts, the folder that they lie in, and the user's packetdrill."""

from __future__ import annotations

import os
import shutil
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from tsqlab.errors import UsageError
from tsqlab.guest.sandbox import becomes_nobody
from tsqlab.packetdrill.version import Version

_GOOGLES = ("gtests", "net")
"""The folder of packetdrill's checkout that has the scripts, what they call, and packetdrill."""

_HOW_TO_BUILD = (
    "a checkout of github.com/google/packetdrill has it in gtests/net/packetdrill, once built "
    "there by ./configure && make (sudo apt-get install bison flex)"
)


@dataclass(frozen=True)
class Script:
    """A script over one version of IP."""

    path: PurePath  # below the suite's root
    version: Version

    def __str__(self) -> str:
        """The name by which it is reported."""
        return f"{self.path} ({self.version.value})"


@dataclass(frozen=True)
class Suite:
    """Scripts, and what they need of the host."""

    root: Path  # the folder that guests see: scripts call others with "../common/..."
    packetdrill: Path
    scripts: tuple[Script, ...]


def find_suite(
    path: Path, versions: Sequence[Version], root: Path | None, packetdrill: Path | None
) -> Suite:
    """The scripts at *path*, a file or a folder. Raises UsageError for what is not there."""
    if not _exists(path):
        raise UsageError(f"{str(path)[:200]!r}: no such script or folder")
    path = path.resolve()
    root = root.resolve() if root else _root_of(path)
    if not path.is_relative_to(root):
        raise UsageError(f"--root {root}: {path} is not in it")
    scripts = tuple(_scripts(path, root, versions))
    if not scripts:
        wanted = ", ".join(version.value for version in versions)
        raise UsageError(f"{path}: no script (*.pkt) for {wanted}")
    program = _checked(packetdrill or _packetdrill_of(root))
    for script in scripts:
        _check_readable(root / script.path)
    return Suite(root, program, scripts)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # what can be no name of a file
        return False


def _root_of(path: Path) -> Path:
    """gtests/net of the checkout that *path* is in, or the folder itself."""
    folder = path if path.is_dir() else path.parent
    for parent in (folder, *folder.parents):
        if parent.parts[-2:] == _GOOGLES:
            return parent
    return folder


def _scripts(path: Path, root: Path, versions: Sequence[Version]) -> Iterator[Script]:
    """In the order of run_all.py, which is by name, and then by version."""
    files = sorted(path.rglob("*.pkt")) if path.is_dir() else [path]
    for file in files:
        if not file.is_file():
            continue
        if not str(file).isprintable():
            raise UsageError(f"{str(file)!r}: a name that cannot be printed, and so not reported")
        for version in versions:
            if version.takes(file.name):
                yield Script(file.relative_to(root), version)


def _packetdrill_of(root: Path) -> Path:
    built = root / "packetdrill" / "packetdrill"
    if built.is_file():
        return built
    if found := shutil.which("packetdrill"):
        return Path(found)
    if built.parent.is_dir():
        raise UsageError(
            f"{built}: not built yet; cd {built.parent} && ./configure && make "
            "(sudo apt-get install bison flex)"
        )
    raise UsageError(f"no packetdrill, and --packetdrill names none: {_HOW_TO_BUILD}")


def _checked(program: Path) -> Path:
    """The absolute path of a program that guests can run. Raises UsageError."""
    if not program.is_file() or not os.access(program, os.X_OK):
        raise UsageError(f"--packetdrill {program}: no such program; {_HOW_TO_BUILD}")
    _check_readable(program)
    if _is_static(program):
        raise UsageError(
            f"{program}: linked statically; it waits in ways that end in virtual time only with "
            "a library beside it, so link it dynamically, as its Makefile does"
        )
    return program.resolve()


def _check_readable(path: Path) -> None:
    """A guest that root starts reads as nobody (tsqlab.guest.sandbox)."""
    readable = path.stat().st_mode & 0o004 if becomes_nobody() else os.access(path, os.R_OK)
    if not readable:
        raise UsageError(f"{path}: a guest may not read it; chmod -R o+rX would let it")


_ELF64_HEADER = struct.Struct("<16xHHIQQQIHHHHHH")
_ELF64_PROGRAM_HEADER_TYPE = struct.Struct("<I")
_PT_INTERP = 3  # elf.h: names the dynamic linker


def _is_static(program: Path) -> bool:
    """Whether this is an executable of 64 bits that no dynamic linker loads."""
    content = program.read_bytes()
    if content[:5] != b"\x7fELF\x02":  # a script, say
        return False
    try:
        fields = _ELF64_HEADER.unpack_from(content)
        offset, size, count = fields[4], fields[8], fields[9]
        types = [
            _ELF64_PROGRAM_HEADER_TYPE.unpack_from(content, offset + number * size)[0]
            for number in range(count)
        ]
    except struct.error:  # cut short: the guest will say what is wrong with it
        return False
    return _PT_INTERP not in types
