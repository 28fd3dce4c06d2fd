# SPDX-License-Identifier: GPL-2.0-or-later
"""The frames that tests/guest/test_injection.py sends: the same each time, and of every kind."""

import struct
from collections import Counter

import pytest

import frames
from bss import address

PARTIES = [address(number) for number in range(1, 9)]


def frame(line):
    """Without its radiotap header; nothing if that is broken."""
    packet = bytes.fromhex(line)
    version, _, length = struct.unpack_from("<BBH", packet)
    return packet[length:] if not version and 8 <= length <= len(packet) else b""


@pytest.fixture(scope="module")
def lines():
    return frames.lines(1, 20_000, PARTIES)


@pytest.fixture(scope="module")
def sent(lines):
    return [frame(line) for line in lines]


def test_a_seed_gives_the_same_frames_each_time(lines):
    assert frames.lines(1, 1000, PARTIES) == lines[:1000]
    assert frames.lines(2, 1000, PARTIES) != lines[:1000]


def test_every_type_and_subtype_is_there(sent):
    controls = Counter(one[0] for one in sent if one)
    assert set(controls) == set(range(256)), "with each version, too"
    usual = [number for number in range(256) if number & 15 in (0, 4, 8)]
    assert min(controls[number] for number in usual) > 50


def test_frames_are_of_every_length(sent):
    lengths = Counter(len(one) for one in sent)
    assert all(lengths[length] for length in range(64)), "headers that are cut anywhere"
    assert max(lengths) == frames.FRAME_MAX


def test_who_is_there_gets_most_of_them(sent):
    known = {bytes.fromhex(one.replace(":", "")) for one in PARTIES}
    whole = [one for one in sent if len(one) >= 16]
    assert sum(one[4:10] in known for one in whole) > len(whole) / 2
    assert sum(one[10:16] in known for one in whole) > len(whole) / 2
