# SPDX-License-Identifier: GPL-2.0-or-later
"""Addresses as functions, and functions as parts of the system.

A guest's /proc/kallsyms has the functions of its kernel and of the modules that it has loaded,
where they are in that guest; the host's has those of the host's kernel. Which part of the kernel
a function belongs to is told by the object file that defines it.
"""

from __future__ import annotations

import re
import subprocess
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

HOST, UML, PROGRAMS, KERNEL = "host", "User-Mode Linux", "programs", "rest of the kernel"

_ROOMS = (
    (r"net/(mac80211|wireless)/", "mac80211"),
    (r"net/ipv4/(tcp|inet_)", "TCP"),
    (r"net/ipv[46]/", "IP, UDP"),
    (r"net/sched/", "qdiscs"),
    (r"net/", "net/core"),
    (r"arch/(um|x86/um)/", UML),
    (r"kernel/time/", "timers"),
    (r"kernel/", "sched, softirq, RCU"),
    (r"mm/", "memory"),
    (r"fs/", "files"),
    (r"(arch/x86/)?lib/", "lib: copies, checksums"),
)
"""The parts of the kernel, by the folders of its objects; the first that fits."""

_MODULE_BYTES_MAX = 1 << 20
"""How far behind the start of the last function of a range an address may still be in it."""

_LINE = re.compile(r"^([0-9a-f]+) ([tTwW]) (\S+)(?:\s+\[(\w+)\])?$", re.MULTILINE)


@dataclass(frozen=True)
class Function:
    """A function, and the part of the system that it belongs to."""

    name: str
    room: str


class Symbols:
    """The functions of a text in the format of /proc/kallsyms."""

    def __init__(self, text: str, rooms: Mapping[str, str], other: str = KERNEL) -> None:
        """*rooms* has the parts of functions; those of no module that it lacks are of *other*."""
        found: dict[int, Function] = {}
        for address, _, name, module in _LINE.findall(text):
            # Of several names for one place the first is kept.
            found.setdefault(int(address, 16), Function(name, module or rooms.get(name, other)))
        found.pop(0, None)  # what a kernel that hides its addresses says of all
        self._starts = sorted(found)
        self._functions = [found[start] for start in self._starts]

    def at(self, address: int) -> Function | None:
        """The function that *address* is in; None if it is in none."""
        place = bisect_right(self._starts, address) - 1
        if place < 0 or address - self._starts[place] > _MODULE_BYTES_MAX:
            return None
        return self._functions[place]


def room_of(path: str) -> str:
    """The part of the kernel that an object file belongs to, by its path in the build's folder."""
    return next((room for pattern, room in _ROOMS if re.match(pattern, path)), KERNEL)


def rooms_of(listed: Iterable[str]) -> dict[str, str]:
    """The part of each function that only one part defines, from lines of nm -A."""
    rooms: dict[str, str] = {}
    shared = set()
    for line in listed:
        path, _, symbol = line.partition(":")
        words = symbol.split()
        if len(words) == 3 and words[1] in "tTwW":
            name, room = words[2], room_of(path)
            if rooms.setdefault(name, room) != room:
                shared.add(name)
    return {name: room for name, room in rooms.items() if name not in shared}


def rooms_of_build(folder: Path) -> dict[str, str]:
    """The same, of the object files in the folder that a kernel was built in."""
    objects = sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*.o")
        if "scripts" not in path.parts and path.parent != folder
    )
    if not objects:
        return {}
    command = ["nm", "-A", "--defined-only", *objects]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return rooms_of(done.stdout.splitlines())
