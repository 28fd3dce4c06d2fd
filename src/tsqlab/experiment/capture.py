# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets beside a result: which captures an experiment may ask for, and how large.

A cell with captures is one of its own, and so are its results. The process that writes a pcap runs
when packets are there, and what else the kernel does at that instant is then in another order: a
receiver reads and acknowledges before the packets behind, and not after them. A capture of the air
needs a network device, too, for which the kernel draws random numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BeforeValidator

from tsqlab.experiment.bounds import KeyedError
from tsqlab.topology import AIR, sender_of
from tsqlab.units import Size

CAPTURED = frozenset({"lab.capture", "lab.snap_length"})
"""The keys that say what is captured. They cannot vary."""

SNAP_LENGTH = Size.of("192 B")
"""All headers down to TCP's options: radiotap's have 48 bytes at most, 802.11's 26, those of an
A-MSDU's subframe 22, IP's and TCP's 80."""

FILES_BYTES_MAX = 4 << 30
"""The captures of a cell, together. A guest may write twice as much in all."""

FILE_BYTES_MAX = 1 << 30


def file_bytes_max(captures: int) -> int:
    """How large each of so many captures may be."""
    return min(FILE_BYTES_MAX, FILES_BYTES_MAX // captures)


def listed(value: object) -> object:
    """Names in a text, with commas between, as a list."""
    if isinstance(value, str):
        return [name.strip() for name in value.split(",")]
    return value


Captures = Annotated[tuple[str, ...], BeforeValidator(listed)]


def check_captures(
    captures: Sequence[str], layout: str, egresses: Sequence[str], channels: Sequence[str]
) -> None:
    """Raises KeyedError for what is no egress of a testbed, nor a radio channel of it."""
    where = ["lab", "capture"]
    known = [*egresses, *channels]
    for name in captures:
        if name == AIR and AIR not in channels:
            raise KeyedError(where, f'layout = "{layout}" has no {AIR}; there are {_words(known)}')
        if name not in known:
            # A shell takes > for itself, and what stands before it is left.
            quote = any(name == sender_of(one) for one in egresses)
            hint = f"; a shell needs them quoted, as '{egresses[0]}'" if quote else ""
            raise KeyedError(where, f'no egress "{name}"; there are {_words(known)}{hint}')
    if len(set(captures)) < len(captures):
        raise KeyedError(where, "the same capture twice")


def _words(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
