# SPDX-License-Identifier: GPL-2.0-or-later
"""Where in the source the code of a kernel or a module is, if it has debug information."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tsqlab.kernels.make import TREE

# Of objdump -t: the value, the section and the size of a function, and its name.
_FUNCTION = re.compile(r"^([0-9a-f]+) .{6}F (\S+)\t([0-9a-f]+) (?:\.hidden )?(\S+)$")
_PADDING_BYTES = 64
"""Between two functions there is less than a line of the cache."""


@dataclass(frozen=True)
class InModule:
    """Where a call in a module returns to, as a trace has it: "al_ppdu_close+0x28/0x70"."""

    function: str
    offset: int
    # Of the function, as several of a module may have its name; up to where the next one begins.
    length: int


def places(linux: Path, returns: Sequence[int]) -> dict[int, str]:
    """As "net/ipv4/tcp_output.c:2690", for each of the return addresses that has a place."""
    # Nobody needs to read in each line where the source is, or the link by which it was compiled.
    folders = [str(folder) for folder in (source_of(linux), linux.parent / TREE) if folder]
    return _lines_of([str(linux)], returns, folders)


def places_in_module(module: Path, name: str, returns: Sequence[InModule]) -> dict[InModule, str]:
    """As "radio/ppdu.c:310", for each call that has a place. *module* is the file of *name*."""
    sections: dict[str, dict[int, InModule]] = {}
    functions = filter(None, map(_FUNCTION.match, _said_by("objdump", "-t", str(module))))
    for value, section, size, symbol in (function.groups() for function in functions):
        for call in returns:
            padding = call.length - int(size, 16)
            if call.function == symbol and 0 <= padding < _PADDING_BYTES:
                sections.setdefault(section, {})[int(value, 16) + call.offset] = call
    # It was compiled in a folder that has its name, beside it or elsewhere.
    folder = re.compile(rf"^.*/{re.escape(name)}/")
    found: dict[InModule, str] = {}
    for section, calls in sections.items():
        lines = _lines_of(["-j", section, str(module)], list(calls))
        found |= {calls[address]: folder.sub("", line) for address, line in lines.items()}
    return found


def _lines_of(
    where: Sequence[str], returns: Sequence[int], folders: Sequence[str] = ()
) -> dict[int, str]:
    """What addr2line says of return addresses, without the one of *folders* that it is in."""
    if not returns:
        return {}
    # A call returns to the instruction behind it, which may be of the next line.
    addresses = [f"{address - 1:#x}" for address in returns]
    *options, file = where
    before = re.compile("|".join(f"^{re.escape(folder)}/" for folder in folders) or "^")
    lines = _said_by("addr2line", *options, "-e", file, *addresses)
    return {
        address: before.sub("", line.partition(" ")[0])
        for address, line in zip(returns, lines, strict=False)
        if not line.startswith("??") and not line.endswith(":?")
    }


def _said_by(*command: str) -> list[str]:
    """The lines that a program of binutils prints; none if it is not there."""
    with suppress(FileNotFoundError):
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False
        )
        return done.stdout.splitlines()
    return []


def source_of(linux: Path) -> Path | None:
    """The folder of the source that a kernel was built from, if it is known."""
    with suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
        return Path(json.loads((linux.parent / "tsqlab.json").read_bytes())["tree"])
    return None
