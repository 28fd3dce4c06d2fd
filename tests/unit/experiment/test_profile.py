# SPDX-License-Identifier: GPL-2.0-or-later
"""Device profiles, and the rates and layouts that go with radios."""

import re

import pytest
from pydantic import ValidationError

from tsqlab.airlink.messages import PhyRate
from tsqlab.airlink.rates import kbps, parse_rate
from tsqlab.airlink.uapi import Phy, ProfileAttribute
from tsqlab.errors import FileError
from tsqlab.experiment.bundled import bundled_profiles
from tsqlab.experiment.profile import Airlink, load_profile
from tsqlab.experiment.spec import Testbed


@pytest.mark.parametrize("name", bundled_profiles())
def test_every_value_of_a_bundled_profile_has_its_source(name):
    assert load_profile(name).title
    for line in bundled_profiles()[name].read_text().splitlines():
        if re.match(r"\w+ = ", line) and not re.match(r"(kind|title|front|band|line_rate) =", line):
            assert "#" in line, line


@pytest.mark.parametrize(
    ("text", "rate", "speed"),
    [
        ("HT40 MCS7 SGI", PhyRate(Phy.HT, 7, 1, 40, 400), 150_000),
        ("HT40 MCS15 SGI", PhyRate(Phy.HT, 7, 2, 40, 400), 300_000),
        ("HT20 MCS0", PhyRate(Phy.HT, 0, 1, 20, 800), 6_500),
        ("VHT80 MCS9 2ss SGI", PhyRate(Phy.VHT, 9, 2, 80, 400), 866_666),
        ("VHT80 MCS9 3ss SGI", PhyRate(Phy.VHT, 9, 3, 80, 400), 1_300_000),
        ("HE80 MCS11 2ss", PhyRate(Phy.HE, 11, 2, 80, 800), 1_200_955),
        ("54 Mbit/s", PhyRate(Phy.LEGACY, 7, 1, 20, 800), 54_000),
    ],
)
def test_rates(text, rate, speed):
    assert parse_rate(text) == rate
    assert kbps(rate) == speed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("HT80 MCS7", "802.11 has no rate"),
        ("HT40 MCS32", "802.11 has no rate"),
        ("VHT80 MCS10", "802.11 has no rate"),
        ("HE80 MCS1 SGI", "802.11 has no rate"),
        ("HT40 MCS15 1ss", "has 2 streams"),
        ("150 Mbit/s", "expected a rate as"),
        (7, "expected a rate as"),
    ],
)
def test_what_is_no_rate(text, message):
    with pytest.raises(ValueError, match=message):
        parse_rate(text)


def test_a_radio_s_values_reach_the_module_in_its_units():
    values = load_profile("ath9k").attributes()
    assert values[ProfileAttribute.AGGREGATE_FRAMES] == 32
    assert values[ProfileAttribute.AGGREGATE_US] == 4096
    assert values[ProfileAttribute.DENSITY_NS] == 8000
    assert values[ProfileAttribute.DEVICE_QUEUES] == 0
    assert values[ProfileAttribute.RECEIVE_WAIT_NS] == 500_000
    assert load_profile("ath9k_htc").attributes()[ProfileAttribute.BUS_MBPS] == 425
    assert ProfileAttribute.BUS_MBPS not in values


def test_the_other_side_is_a_profile_too():
    profile = load_profile("ath9k_htc")
    assert isinstance(profile, Airlink)
    assert profile.access_point == load_profile("ath9k_3x3")
    assert profile.ethernet == load_profile("gigabit")
    assert [(one.ac, one.cw_min) for one in profile.edca_changes()] == [
        (2, 7), (3, 7), (1, 3), (0, 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('kind = "token-ring"', 'expected "wireline" or "airlink", not \'token-ring\''),
        ('kind = "airlink"\naccess_point = "{path}"', "is this profile itself"),
        ('kind = "airlink"', "title: is missing"),
    ],
)
def test_a_bad_profile_is_named(text, message, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(text.replace("{path}", str(path)))
    with pytest.raises(FileError, match=message):
        load_profile(str(path))


@pytest.mark.parametrize(
    ("lines", "key", "message"),
    [
        ('kind = ["airlink"]', "kind", 'expected "wireline" or "airlink"'),
        ('kind = "airlink"\nethernet = 5', "ethernet", "expected the name of a profile, or"),
        ('kind = "airlink"\naccess_point = 5', "access_point", "expected the name of a profile"),
        ('kind = "airlink"\naccess_point = ""', "access_point", 'no device profile ""'),
        ('kind = "airlink"\nethernet = "ath9k"', "ethernet", 'ath9k is "airlink"'),
        ('kind = "airlink"\naccess_point = "gigabit"', "access_point", 'gigabit is "wireline"'),
        ('kind = "airlink"\nethernet = "{path}"', "ethernet", "is this profile itself"),
        ('kind = "airlink"\nrats = 5', "rats", 'unknown key; did you mean "rate"'),
        ('kind = "wireline"\nline_rate = "1 Gbit/s"\nreceive_batch = 5', "receive_batch",
         "receive_batch needs a receive_delay"),
        ('kind = "wireline"\nline_rate = "1 Gbit/s"\nreceive_interval = "500 ns"',
         "receive_interval", "expected a whole number of us"),
        ('kind = "wireline"\nline_rate = "1 bit/s"', "line_rate", "whole number of Mbit/s"),
        ('kind = "wireline"\nline_rate = "1 Mbit/s"', "line_rate", "10 Mbit/s to 100 Gbit/s"),
        ('kind = "airlink"\nedca.BE.aifsn = 99', "edca.BE.aifsn", "expected 15 at most, not 99"),
        ('kind = "airlink"\naggregate_frames = 300', "aggregate_frames", "256 at most, not 300"),
        ('kind = "airlink"\namsdu_bytes = "12 kB"', "amsdu_bytes", '1 B to 11454 B, not "12 kB"'),
        ('kind = "airlink"\nedca.XX.aifsn = 3', "edca.XX", "'VO', 'VI', 'BE' or 'BK', not 'XX'"),
        ('kind = "airlink"\nedca.BE.aifs = 3', "edca.BE.aifs", 'did you mean "aifsn"?'),
        ('kind = "airlink"\ncompletion_delay = "2 ms"', "completion_delay",
         'unknown key; profiles of kind "wireline" have it; here there are kind, title, front'),
        ('kind = "airlink"\nagregate_frames = 2', "agregate_frames", 'mean "aggregate_frames"?'),
    ],
)  # fmt: skip
def test_a_bad_value_of_a_profile_has_its_key_and_line(lines, key, message, tmp_path):
    path = tmp_path / "bad.toml"
    rest = 'title = "x"\n'
    if "airlink" in lines:
        rest += 'front = "fullmac"\nband = "5 GHz"\n'
        rest += "" if "rats" in lines else 'rate = "HT40 MCS7 SGI"\n'
    path.write_text(rest + lines.replace("{path}", str(path)))
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        load_profile(str(path))
    count = len(path.read_text().splitlines())
    assert (caught.value.path, caught.value.key, caught.value.line) == (path, key, count)


def test_two_profiles_may_name_each_other(tmp_path):
    for one, other in (("one", "two"), ("two", "one")):
        text = ("kind = 'airlink'\nfront = 'fullmac'\nband = '5 GHz'\nrate = 'HT40 MCS7 SGI'\n"
                f"title = '{one}'\naccess_point = '{tmp_path}/{other}.toml'\n")  # fmt: skip
        (tmp_path / f"{one}.toml").write_text(text)
    profile = load_profile(f"{tmp_path}/one.toml")
    assert isinstance(profile, Airlink)
    assert profile.access_point is not None
    assert (profile.title, profile.access_point.title) == ("one", "two")
    assert profile.access_point.access_point is None, "what is not used"


def test_a_layout_has_its_own_device_nodes_and_keys():
    assert Testbed.model_validate({}).device == "gigabit"
    wifi = Testbed.model_validate({"layout": "wifi", "stations": 2})
    assert wifi.device == "ath9k_htc"
    assert wifi.nodes == ("C1", "C2", "AP", "S")
    assert wifi.egresses == ("C1>AP", "C2>AP", "AP>C", "AP>S", "S>AP")


def test_an_access_point_that_is_the_server_has_no_wire():
    wifi = Testbed.model_validate({"layout": "wifi", "server": "AP"})
    assert wifi.nodes == ("C", "AP")
    assert wifi.egresses == ("C>AP", "AP>C")


@pytest.mark.parametrize(
    ("testbed", "message"),
    [
        ({"stations": 2}, '"stations" belongs to layout = "wifi"'),
        ({"server": "AP"}, '"server" belongs to layout = "wifi"'),
        ({"layout": "wifi", "server": "C"}, 'no server "C"; there are S, AP'),
        ({"layout": "wifi", "server": "AP", "egress": {"AP>S": {}}}, "there are C>AP, AP>C"),
        ({"layout": "wifi", "server": "AP", "sysctl": {"S": {}}}, 'no node "S"; there are C, AP'),
        ({"layout": "wifi", "server": "AP", "base_rtt": "1 ms"}, 'and server = "AP" has none'),
        ({"layout": "wifi", "bottleneck": "L10M"}, '"bottleneck" belongs to'),
        ({"egress": {"C>AP": {}}}, 'no egress "C>AP"; there are C>R'),
        ({"layout": "wifi", "sysctl": {"R": {}}}, 'no node "R"; there are C, AP, S'),
        ({"layout": "wifi", "snr": "25"}, "expected a number with a unit"),
        ({"layout": "wifi", "rate": "fast"}, "expected a rate as"),
    ],
)
def test_what_a_layout_does_not_have(testbed, message):
    with pytest.raises(ValidationError, match=re.escape(message)):
        Testbed.model_validate(testbed)
