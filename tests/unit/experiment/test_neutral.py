# SPDX-License-Identifier: GPL-2.0-or-later
"""What a radio's profile leaves out, and which of its values do not go together."""

import re

import pytest

from tsqlab.errors import FileError
from tsqlab.experiment.neutral import NEUTRAL
from tsqlab.experiment.profile import _KEYS, Airlink, load_profile
from tsqlab.experiment.stored import _PROFILE, plain
from tsqlab.paths import KERNEL_MODULES
from tsqlab.units import BASE_UNITS

CODE = (KERNEL_MODULES / "airlink" / "radio" / "profile.c").read_text()
RADIO = (
    'title = "x"\nkind = "airlink"\nfront = "fullmac"\nband = "5 GHz"\nrate = "HT40 MCS7 SGI"\n{}\n'
)


def test_what_a_profile_leaves_out_is_what_the_module_has():
    names = {"U32_MAX": (1 << 32) - 1, "AL_NO_RTS_BYTES": (1 << 32) - 1}
    block = CODE[CODE.index("al_profile_neutral = {") :].partition("};")[0]
    fields = dict(re.findall(r"\.(\w+) = (\w+),", block))
    module = {}
    for attribute, (key, unit) in _KEYS.items():
        value = fields.pop(attribute.name.lower(), "0")
        module[key] = int(names.get(value, value)) * unit
    assert fields == {}
    assert NEUTRAL["device_queues"] == "pull"
    assert dict(NEUTRAL) | {"device_queues": 0} == module
    assert list(NEUTRAL) == [key for key in Airlink.model_fields if key in NEUTRAL]


def test_the_module_refuses_nothing_together_that_is_not_known_here():
    fields = re.findall(r"profile->(\w+)", CODE[CODE.index("int al_profile_check") :])
    assert set(fields) == {
        *("bus_frames", "bus_bytes", "bus_mbps", "bus_transfers"),
        *("resume_frames", "host_frames", "receive_wait_ns", "receive_wait_max_ns"),
    }, "check_together() has to know what else is refused"


@pytest.mark.parametrize(
    ("lines", "key", "message"),
    [
        ("aggregate_frames = 128", "aggregate_frames",
         "aggregate_frames is 128, window_frames 64 where it is left out; expected"),
        ("aggregate_frames = 32\nwindow_frames = 16", "aggregate_frames",
         "aggregate_frames is 32, window_frames 16; expected aggregate_frames to be window_fra"),
        ("resume_frames = 2000", "resume_frames", "host_frames 1000 where it is left out"),
        ("host_frames = 246", "host_frames", "resume_frames is 1000 where it is left out"),
        ('receive_wait = "1 ms"', "receive_wait",
         "receive_wait is 1 ms, receive_wait_max 0 ns where it is left out"),
        ("bus_frames = 3", "bus_frames", "a bus needs bus_bytes and bus_transfers and bus_rate"),
        ('bus_rate = "1 Gbit/s"', "bus_rate", "there is no bus without bus_frames"),
    ],
)  # fmt: skip
def test_values_that_do_not_go_together_have_key_and_line(lines, key, message, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(RADIO.format(lines))
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        load_profile(str(path))
    assert (caught.value.key, caught.value.line) == (key, 6)


@pytest.mark.parametrize("lines", ["window_frames = 16", "aggregate_frames = 64", "bus_frames = 0"])
def test_what_is_not_said_cannot_be_wrong(lines, tmp_path):
    path = tmp_path / "good.toml"
    path.write_text(RADIO.format(lines))
    assert load_profile(str(path))


def test_a_result_of_a_radio_that_was_run_is_still_read():
    stored = plain(load_profile("ideal")) | {"aggregate_frames": 128}
    assert _PROFILE.validate_python(stored, context={BASE_UNITS: True}).aggregate_frames == 128


@pytest.mark.parametrize(
    ("lines", "key", "message"),
    [
        ("edca.BE = { cw_min = 2047 }", "edca.BE.cw_min",
         "cw_min is 2047, cw_max 1023 where it is left out; expected cw_min to be cw_max at most"),
        ("edca.VO = { cw_max = 1 }", "edca.VO.cw_max", "cw_min is 3 where it is left out"),
        ("edca.VI = { cw_min = 31, cw_max = 15 }", "edca.VI.cw_min", "cw_min is 31, cw_max 15;"),
        # An access point's own queue of BE ends at 63, and this profile is of both.
        ("edca.BE = { cw_min = 127 }", "edca.BE.cw_min", "cw_max 63 where it is left out"),
    ],
)  # fmt: skip
def test_a_window_that_the_module_refuses_has_key_and_line(lines, key, message, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(RADIO.format(lines))
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        load_profile(str(path))
    assert (caught.value.key, caught.value.line) == (key, 6)


def test_a_stations_window_is_not_held_against_the_access_points(tmp_path):
    path = tmp_path / "station.toml"
    path.write_text(RADIO.format('access_point = "ath9k"\nedca.BE = { cw_min = 127 }'))
    assert load_profile(str(path)).edca["BE"].cw_min == 127
