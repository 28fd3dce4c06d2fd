# SPDX-License-Identifier: GPL-2.0-or-later
"""What a guest's captures hold: pcap files of little endian, with nanoseconds."""

import struct
from pathlib import Path

_HEAD, _PACKET = 24, 16  # bytes of a file's header and of a packet's


def frames(pcap: Path) -> list[bytes]:
    """The frames of a capture, in order."""
    data, at, found = pcap.read_bytes(), _HEAD, []
    while at < len(data):
        (length,) = struct.unpack_from("<8xI4x", data, at)
        at += _PACKET
        found.append(data[at : at + length])
        at += length
    return found
