# SPDX-License-Identifier: GPL-2.0-or-later
"""The messages that tests/guest/test_fuzz.py sends: the same each time, and of every kind."""

import struct

import pytest

import fuzz
from bss import ACCESS_POINT, address
from tsqlab.airlink.uapi import Attribute, Command


@pytest.fixture(scope="module")
def lines():
    return fuzz.lines(1, 20_000)


def attributes_of(message):
    at = 4
    while at + 4 <= len(message):
        length, kind = struct.unpack_from("=HH", message, at)
        if length < 4 or at + length > len(message):
            return
        yield kind, message[at + 4 : at + length]
        at += -(-length // 4) * 4


def test_a_seed_gives_the_same_messages_each_time(lines):
    assert fuzz.lines(1, 1000) == lines[:1000]
    assert fuzz.lines(2, 1000) != lines[:1000]


def test_every_command_and_every_attribute_is_there(lines):
    messages = [bytes.fromhex(line.split(" ")[1]) for line in lines]
    commands = {message[0] for message in messages if message}
    attributes = {kind for message in messages for kind, _ in attributes_of(message)}
    assert commands >= set(Command)
    assert attributes >= set(Attribute)
    assert any(len(message) < 4 for message in messages), "half a header"


def test_what_carries_traffic_is_not_removed(lines):
    stays = {bytes.fromhex(address(number).replace(":", "")) for number in (1, ACCESS_POINT)}
    for line in lines:
        message = bytes.fromhex(line.split(" ")[1])
        if not message or message[0] not in (Command.DEL_MEDIUM, Command.DEL_RADIO):
            continue
        values = dict(attributes_of(message))
        assert values.get(Attribute.ADDRESS) not in stays
        if message[0] == Command.DEL_MEDIUM:
            assert values.get(Attribute.MEDIUM) != struct.pack("=I", 1)
