# SPDX-License-Identifier: GPL-2.0-or-later
"""The radio module's messages: the mirror of its header, and bytes where these are known."""

import re
import struct

import pytest

from tsqlab.airlink import uapi
from tsqlab.airlink.messages import (
    Edca,
    Link,
    PhyRate,
    Radio,
    get_radio,
    new_medium,
    new_radio,
    payload,
    radio_stats,
    set_link,
    set_radio,
)
from tsqlab.airlink.uapi import COUNTERS, Front, Phy, ProfileAttribute, Role, StatsAttribute
from tsqlab.paths import KERNEL_MODULES

HEADER = KERNEL_MODULES / "airlink" / "netlink" / "uapi.h"
NESTED = 0x8000
ADDRESS = "02:00:00:00:00:01"

MIRROR = {
    "airlink_command": (uapi.Command, "AIRLINK_CMD_"),
    "airlink_attribute": (uapi.Attribute, "AIRLINK_ATTR_"),
    "airlink_front": (uapi.Front, "AIRLINK_"),
    "airlink_role": (uapi.Role, "AIRLINK_ROLE_"),
    "airlink_phy": (uapi.Phy, "AIRLINK_"),
    "airlink_rate_attribute": (uapi.RateAttribute, "AIRLINK_RATE_"),
    "airlink_profile_attribute": (uapi.ProfileAttribute, "AIRLINK_PROFILE_"),
    "airlink_edca_attribute": (uapi.EdcaAttribute, "AIRLINK_EDCA_"),
    "airlink_stats_attribute": (uapi.StatsAttribute, "AIRLINK_STATS_"),
    "airlink_link_attribute": (uapi.LinkAttribute, "AIRLINK_LINK_"),
}


def header_enums():
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL)
    for name, body in re.findall(r"enum (\w+) \{(.*?)\};", text, re.DOTALL):
        yield name, [word for word in re.findall(r"\w+", body) if not word.endswith("_COUNT")]


def test_the_mirror_is_the_header():
    found = dict(header_enums())
    assert set(found) == set(MIRROR)
    for name, (members, prefix) in MIRROR.items():
        assert [prefix + one.name for one in members] == found[name]
        assert [int(one) for one in members] == list(range(len(members)))


def test_the_family_is_the_header_s():
    text = HEADER.read_text()
    assert f'AIRLINK_GENL_NAME\t"{uapi.FAMILY}"' in text
    assert f"AIRLINK_GENL_VERSION\t{uapi.VERSION}" in text


def test_the_kernel_s_own_shift_has_the_header_s_number():
    (number,) = re.findall(r"#define AIRLINK_KERNEL_SHIFT\s+(\w+)", HEADER.read_text())
    assert int(number, 16) == uapi.KERNEL_SHIFT


def test_a_profile_s_fields_are_the_module_s():
    text = (KERNEL_MODULES / "airlink" / "radio" / "profile.h").read_text()
    body = re.search(r"struct al_profile \{(.*?)\};", text, re.DOTALL)[1]
    fields = re.findall(r"u32 (\w+);", body)
    assert fields == [one.name.lower() for one in ProfileAttribute if one]


def attributes(data):
    """A flat reading of attributes: number and flags to bytes."""
    found = {}
    while data:
        length, kind = struct.unpack_from("=HH", data)
        found[kind] = data[4:length]
        data = data[-(-length // 4) * 4 :]
    return found


def test_a_medium():
    made = payload(new_medium(1, band=2, seed=7))
    assert made[:4] == bytes([1, 1, 0, 0])
    assert attributes(made[4:]) == {
        1: struct.pack("=I", 1),
        2: b"\2",
        3: struct.pack("=Q", 7),
    }


def test_a_message_can_be_encoded_twice():
    made = get_radio(1, ADDRESS)
    assert payload(made) == payload(made)


def test_a_radio():
    rate = PhyRate(Phy.HT, 7, 1, 40, 400)
    radio = Radio(1, ADDRESS, "wlan0", Front.FULLMAC, "02:00:00:00:00:02", rate, None,
                  {ProfileAttribute.PACING_SHIFT: 10})  # fmt: skip
    got = attributes(payload(new_radio(radio))[4:])
    assert got[4] == bytes.fromhex("020000000001")
    assert got[5] == b"wlan0\0"
    assert got[6] == b"\0"
    assert got[7] == bytes.fromhex("020000000002")
    assert attributes(got[8 | NESTED]) == {
        1: b"\1", 2: b"\7", 3: b"\1", 4: b"\x28", 5: struct.pack("=H", 400),
    }  # fmt: skip
    assert attributes(got[11 | NESTED]) == {29: struct.pack("=I", 10)}
    assert set(got) == {1, 4, 5, 6, 7, 8 | NESTED, 11 | NESTED}


def test_a_role_is_said_only_if_it_is_given():
    assert attributes(payload(new_radio(Radio(1, ADDRESS, role=Role.PEER)))[4:])[19] == b"\2"
    assert 19 not in attributes(payload(new_radio(Radio(1, ADDRESS)))[4:])


def test_edca_and_links():
    got = attributes(payload(set_radio(1, ADDRESS, edca=Edca(2, cw_min=7)))[4:])
    assert attributes(got[12 | NESTED]) == {1: b"\2", 3: struct.pack("=H", 7)}
    got = attributes(payload(set_link(Link(1, ADDRESS, ADDRESS, snr_cdb=-150, hears=False)))[4:])
    assert got[15] == struct.pack("=i", -150)
    assert got[16] == b"\0"
    assert 14 not in got


def attribute(kind, data):
    return struct.pack("=HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def reply():
    """An answer as the kernel gives it, with padding before the 64-bit values."""
    counters = b"".join(
        attribute(StatsAttribute.PAD, b"") + attribute(one, struct.pack("=Q", 10 * one))
        for one in COUNTERS
    )
    histogram = attribute(StatsAttribute.SUBFRAMES_OF, struct.pack("=256Q", *range(256)))
    links = b"".join(
        attribute(
            number | NESTED,
            attribute(1, bytes([2, 0, 0, 0, 0, number])) + attribute(2, struct.pack("=Q", 99)),
        )
        for number in (1, 2)
    )
    stats = counters + histogram + attribute(StatsAttribute.LINKS | NESTED, links)
    return bytes([6, 1, 0, 0]) + attribute(1, struct.pack("=I", 1)) + attribute(17 | NESTED, stats)


def test_statistics():
    stats = radio_stats(reply())
    assert stats.counters == {one: 10 * one for one in COUNTERS}
    assert stats.subframes_of == tuple(range(256))
    assert stats.airtime_ns == {"02:00:00:00:00:01": 99, "02:00:00:00:00:02": 99}
    assert stats.aggregate_mean == pytest.approx(30 / 10)


@pytest.mark.parametrize("data", [b"", b"\6\1\0\0"])
def test_what_is_no_answer(data):
    with pytest.raises(ValueError, match="not an answer of airlink"):
        radio_stats(data)
