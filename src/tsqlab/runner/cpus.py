# SPDX-License-Identifier: GPL-2.0-or-later
"""Which CPU a process runs its guests on, when several runs share a machine.

Two guests on one CPU take twice as long each. Who runs guests claims a CPU by a name that one
process of the machine can have: an abstract Unix socket, which the kernel takes back however the
process ends, and which no home that several machines share can mix up. A CPU has several places.
The first places of all CPUs are taken first, then the second ones, and so on, so that where there
are more processes than CPUs, whosever they are, no CPU has two more than another.

Names are those of a network namespace. Containers have their own, and do not see each other's.
"""

from __future__ import annotations

import os
import re
import socket
from dataclasses import dataclass
from pathlib import Path

_PLACES = 64
_NAME = "tsqlab/cpu/{}/{}"
_TAKEN = re.compile(rf"@{_NAME.format('([0-9]+)', '0')}$", re.MULTILINE)


@dataclass
class _Claim:
    """The CPU of this process, and the place that it has there."""

    cpu: int
    place: int
    name: socket.socket | None  # what holds it


_claims: list[_Claim] = []  # one at the most


def claim_cpu() -> int:
    """The CPU for this process's next guest, which no other process gets while there are others.

    It stays the same until this process ends, unless a CPU that fewer use has become free.
    """
    held = _claims[0] if _claims else None
    if held is None or held.place > 0:
        better = _claim(_PLACES if held is None else held.place)
        if better is not None:
            _claims[:] = [better]
            if held is not None and held.name is not None:
                held.name.close()
        elif held is None:
            allowed = _allowed()
            _claims[:] = [_Claim(allowed[os.getpid() % len(allowed)], _PLACES, None)]
    return _claims[0].cpu


def free_cpus() -> int:
    """How many of the CPUs that this process may use nobody has claimed."""
    try:
        names = Path("/proc/net/unix").read_text("utf-8", "replace")
    except OSError:
        return len(_allowed())
    return len({*_allowed()} - {int(cpu) for cpu in _TAKEN.findall(names)})


def _claim(places: int) -> _Claim | None:
    """Take the best place that is free of the first so many."""
    for place in range(places):
        for cpu in _allowed():
            name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                name.bind(f"\0{_NAME.format(cpu, place)}")
            except OSError:  # somebody has it
                name.close()
            else:
                return _Claim(cpu, place, name)
    return None


def _allowed() -> list[int]:
    return sorted(os.sched_getaffinity(0))
