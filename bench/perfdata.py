# SPDX-License-Identifier: GPL-2.0-or-later
"""The samples in a file of perf record: whose they are, and the stack of each.

The records are the kernel's own, described in perf_event_open(2); what is around them in
tools/perf/Documentation/perf.data-file-format.txt. perf script would print addresses as offsets in
the file that they were mapped from, by which a module's code cannot be found: the guest's memory
is one such file, and where in it a module lies only the guest knows.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_MAGIC = b"PERFILE2"
_COMM, _FORK, _SAMPLE = 3, 7, 9  # PERF_RECORD_...
# PERF_SAMPLE_...: each says that a sample has a field, in this order, before its stack.
_IDENTIFIER, _TID, _CALLCHAIN = 1 << 16, 1 << 1, 1 << 5
_BEFORE_STACK = (_IDENTIFIER, 1 << 0, _TID, 1 << 2, 1 << 3, 1 << 6, 1 << 9, 1 << 7, 1 << 8)
_READ = 1 << 4  # this one would have a length of its own
# Values in a stack that say of which side the addresses after them are.
_CONTEXT_HOST, _CONTEXT_USER, _CONTEXT_MAX = (2**64 - number for number in (128, 512, 4095))


class PerfDataError(Exception):
    """A file that perf record does not write when it is asked as flame.py asks."""


@dataclass(frozen=True)
class Sample:
    """An instant at which a process was running, and what it was in: innermost first."""

    pid: int
    program: str  # the name of what the process, or the one that it was forked from, ran
    host: tuple[int, ...]  # addresses in the host's kernel
    user: tuple[int, ...]  # addresses in the process
    forked: bool  # whether it has run no program of its own since it was forked


def read_samples(path: Path) -> list[Sample]:
    """All samples, in the order of the file. Raises PerfDataError."""
    data = path.read_bytes()
    if data[: len(_MAGIC)] != _MAGIC:
        raise PerfDataError(f"{path}: no file of perf record")
    _, _, attributes_at, _, records_at, records_size = struct.unpack_from("<6Q", data, 8)
    # struct perf_event_attr: type, size, config, period, sample_type.
    (sample_type,) = struct.unpack_from("<Q", data, attributes_at + 24)
    if sample_type & _READ or not (sample_type & _TID and sample_type & _CALLCHAIN):
        raise PerfDataError(f"{path}: samples without processes and stacks (type {sample_type:#x})")
    samples = []
    programs: dict[int, str] = {}
    forked: set[int] = set()
    for kind, body in _records(data, records_at, records_at + records_size):
        if kind == _COMM:
            (pid,) = struct.unpack_from("<I", body)
            programs[pid] = _text(body[8:])
            forked.discard(pid)
        elif kind == _FORK:
            pid, parent = struct.unpack_from("<2I", body)
            if pid != parent:  # a thread otherwise
                programs[pid] = programs.get(parent, "")
                forked.add(pid)
        elif kind == _SAMPLE:
            pid, host, user = _sample(body, sample_type)
            samples.append(Sample(pid, programs.get(pid, ""), host, user, pid in forked))
    return samples


def _records(data: bytes, at: int, end: int) -> Iterator[tuple[int, bytes]]:
    while at < end:
        kind, size = struct.unpack_from("<I2xH", data, at)
        yield kind, data[at + 8 : at + size]
        at += size


def _sample(body: bytes, sample_type: int) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Whose a sample is, and both parts of its stack."""
    at = pid = 0
    for field in _BEFORE_STACK:
        if sample_type & field:
            if field == _TID:
                (pid,) = struct.unpack_from("<I", body, at)
            at += 8
    (depth,) = struct.unpack_from("<Q", body, at)
    sides: dict[int, list[int]] = {_CONTEXT_HOST: [], _CONTEXT_USER: []}
    side: list[int] = []
    for address in struct.unpack_from(f"<{depth}Q", body, at + 8):
        if address >= _CONTEXT_MAX:
            side = sides.setdefault(address, [])
        else:
            side.append(address)
    return pid, tuple(sides[_CONTEXT_HOST]), tuple(sides[_CONTEXT_USER])


def _text(data: bytes) -> str:
    return data.partition(b"\0")[0].decode(errors="replace")
