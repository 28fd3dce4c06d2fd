# SPDX-License-Identifier: GPL-2.0-or-later
"""What a program asks the loader for: its interpreter, its libraries, and where to look for them.

ldd(1) would say it by running the loader, and with it what a hostile program has it run. So the
few bytes that say it are read: the program headers of an ELF file and its dynamic section, or a
script's first line. Of a file that is neither, or is damaged, nothing is known, and nothing is
raised.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

_HEADER, _PROGRAM_HEADER, _DYNAMIC = "<HHIQQQIHHHHHH", "<IIQQQQQQ", "<qQ"
_IDENTITY = b"\x7fELF\x02\x01"  # of 64 bits, and little-endian, as are all hosts of guests
_IDENTITY_BYTES = 16
_PT_LOAD, _PT_DYNAMIC, _PT_INTERP = 1, 2, 3
_DT_NEEDED, _DT_STRTAB, _DT_STRSZ, _DT_RPATH, _DT_RUNPATH = 1, 5, 10, 15, 29
_PART_BYTES_MAX = 1 << 20  # of a table in a file; those of the largest programs have a tenth
_FILE_BYTES_MAX = 1 << 40
_LINE_BYTES_MAX = 256  # of a script's first line, as the kernel reads it


@dataclass(frozen=True)
class Asked:
    """What a program asks for."""

    runs: tuple[str, ...] = ()  # paths, or names of programs, that the kernel starts it by
    libraries: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()  # where its libraries are looked for before the usual places


def asked(file: BinaryIO) -> Asked:
    """What the program in *file* asks for."""
    try:
        head = _part(file, 0, _LINE_BYTES_MAX)
        if head.startswith(b"#!"):
            return Asked(runs=_interpreters(head))
        return _of_elf(file) if head.startswith(_IDENTITY) else Asked()
    except (struct.error, ValueError, LookupError):
        return Asked()


def _interpreters(line: bytes) -> tuple[str, ...]:
    """The interpreter of a script's first line, and the program that env(1) looks for."""
    words = os.fsdecode(line[2:].partition(b"\n")[0]).split()
    by_env = words[:1] and words[0].rpartition("/")[2] == "env"
    named = [word for word in words[1:] if "=" not in word and not word.startswith("-")]
    return (*words[:1], *(named[:1] if by_env else ()))


def _of_elf(file: BinaryIO) -> Asked:
    header = struct.unpack(_HEADER, _part(file, _IDENTITY_BYTES, struct.calcsize(_HEADER)))
    table_at, count = header[4], header[9]
    table = _part(file, table_at, count * struct.calcsize(_PROGRAM_HEADER))
    rows = struct.iter_unpack(_PROGRAM_HEADER, table)
    parts = [_Part(kind, offset, vaddr, size) for kind, _, offset, vaddr, _, size, *_ in rows]
    runs = [_text(_part(file, part.offset, part.size), 0) for part in parts
            if part.kind == _PT_INTERP]  # fmt: skip
    dynamic = b"".join(_part(file, part.offset, part.size) for part in parts
                       if part.kind == _PT_DYNAMIC)  # fmt: skip
    entries = list(struct.iter_unpack(_DYNAMIC, dynamic))
    strings = _strings(file, parts, dict(entries)) if entries else b""

    def texts(*kinds: int) -> list[str]:
        return [_text(strings, value) for kind, value in entries if kind in kinds]

    folders = [folder for text in texts(_DT_RPATH, _DT_RUNPATH) for folder in text.split(":")]
    return Asked(tuple(runs), tuple(texts(_DT_NEEDED)), tuple(filter(None, folders)))


@dataclass(frozen=True)
class _Part:
    """A program header: a part of the file, and where it is in memory."""

    kind: int
    offset: int
    vaddr: int
    size: int


def _strings(file: BinaryIO, parts: Sequence[_Part], value_of: Mapping[int, int]) -> bytes:
    """The table of the dynamic section's names, of which it has the place in memory."""
    vaddr = value_of[_DT_STRTAB]
    for part in parts:
        if part.kind == _PT_LOAD and part.vaddr <= vaddr < part.vaddr + part.size:
            return _part(file, part.offset + vaddr - part.vaddr, value_of[_DT_STRSZ])
    raise ValueError("no names")


def _text(data: bytes, at: int) -> str:
    return os.fsdecode(data[at : data.index(b"\0", at)])


def _part(file: BinaryIO, at: int, size: int) -> bytes:
    """So many bytes of a file, or as many as it has. Raises ValueError where none has them."""
    if size > _PART_BYTES_MAX or at > _FILE_BYTES_MAX:
        raise ValueError("no such part")
    file.seek(at)
    return file.read(size)
