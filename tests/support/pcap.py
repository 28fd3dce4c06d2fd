# SPDX-License-Identifier: GPL-2.0-or-later
"""What a guest's captures hold: pcap files of little endian, with nanoseconds."""

import struct
from collections.abc import Iterator
from pathlib import Path

_HEAD, _PACKET = 24, 16  # bytes of a file's header and of a packet's


def frames(pcap: Path) -> list[bytes]:
    """The frames of a capture, in order."""
    return [frame for _, frame in _packets(pcap)]


def instants_ns(pcap: Path, longer_than: int = 0) -> list[int]:
    """When each of them was captured, if it is longer than so many bytes."""
    return [at_ns for at_ns, frame in _packets(pcap) if len(frame) > longer_than]


def _packets(pcap: Path) -> Iterator[tuple[int, bytes]]:
    data, at = pcap.read_bytes(), _HEAD
    while at < len(data):
        seconds, nanoseconds, length = struct.unpack_from("<III4x", data, at)
        at += _PACKET
        yield seconds * 10**9 + nanoseconds, data[at : at + length]
        at += length
