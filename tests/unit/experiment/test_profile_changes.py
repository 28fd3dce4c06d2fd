# SPDX-License-Identifier: GPL-2.0-or-later
"""``[testbed.profile]``: what a device's profile says otherwise in one experiment."""

import re

import pytest

from tsqlab.errors import FileError, UsageError
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.stored import measured
from tsqlab.units import Duration

WIFI = 'title = "x"\n[testbed]\nlayout = "wifi"\ndevice = "{}"\n'


@pytest.fixture
def experiment(tmp_path):
    """Write an experiment over a device, with further lines, and load it."""

    def load_it(lines="", device="ath9k_htc", overrides=()):
        path = tmp_path / "x.toml"
        path.write_text(WIFI.format(device) + lines)
        return load(str(path), overrides)

    return load_it


def test_a_key_is_changed_and_the_others_stay(experiment):
    (changed,) = experiment('[testbed.profile]\nreport_delay = "1 ms"\n').profiles()
    usual = load_profile("ath9k_htc")
    assert changed.report_delay == Duration.of("1 ms") != usual.report_delay
    assert changed == usual.model_copy(update={"report_delay": Duration.of("1 ms")})


def test_a_key_varies(experiment):
    loaded = experiment(overrides=['profile.report_delay=["0 us", "1 ms"]'])
    assert [profile.report_delay.us for profile in loaded.profiles()] == [0, 1000]
    assert loaded.cells[1].id == "profile.report_delay=1_ms"


def test_several_keys_vary_together(experiment):
    both = "{ report_delay = '1 ms', access_point = { aggregates_ahead = 1 } }"
    (cell,) = experiment(overrides=[f"profile=[{both}]"]).cells
    assert cell.factors == {"profile": "report_delay=1 ms+access_point.aggregates_ahead=1"}


def test_the_access_point_has_keys_of_its_own(experiment):
    (changed,) = experiment(overrides=["profile.access_point.aggregates_ahead=1"]).profiles()
    usual = load_profile("ath9k_htc")
    assert changed.access_point.aggregates_ahead == 1
    assert changed.aggregates_ahead == usual.aggregates_ahead
    assert changed.access_point.title == usual.access_point.title


def test_an_access_point_that_is_as_the_station_stays_so_but_for_its_keys(experiment):
    overrides = ["profile.access_point.ppdu_tries=3", "profile.aggregates_ahead=1"]
    (both,) = experiment(device="ath9k_3x3", overrides=overrides[1:]).profiles()
    assert (both.aggregates_ahead, both.access_point) == (1, None)
    (apart,) = experiment(device="ath9k_3x3", overrides=overrides).profiles()
    assert apart.ppdu_tries == load_profile("ath9k_3x3").ppdu_tries
    assert (apart.access_point.ppdu_tries, apart.access_point.aggregates_ahead) == (3, 1)


def test_the_access_point_and_the_wire_may_be_others(experiment):
    overrides = ["profile.access_point=ath9k_htc", "profile.ethernet=tg3"]
    (changed,) = experiment(overrides=overrides).profiles()
    usual = load_profile("ath9k_htc")
    assert changed.access_point == usual.model_copy(update={"access_point": None})
    assert changed.ethernet == load_profile("tg3")
    assert changed.report_delay == usual.report_delay


def test_the_wire_and_an_access_category_have_keys_too(experiment):
    overrides = ['profile.ethernet.receive_delay="50 us"', "profile.edca.BE.aifsn=5"]
    (changed,) = experiment(device="ath9k", overrides=overrides).profiles()
    usual = load_profile("ath9k")
    assert changed.ethernet.receive_delay.us == 50
    assert changed.ethernet.line_rate == usual.ethernet.line_rate
    assert changed.edca["BE"].aifsn == 5
    for name, own in usual.edca.items():
        expected = own.model_copy(update={"aifsn": 5}) if name == "BE" else own
        assert changed.edca[name] == expected


@pytest.mark.parametrize(
    ("lines", "key", "line", "message"),
    [
        ('report_dely = "1 ms"', "report_dely", 6, 'unknown key; did you mean "report_delay"?'),
        ("report_delay = 5", "report_delay", 6, 'a number with a unit (ns, us, ms, s, min)'),
        ('report_delay = "2 s"', "report_delay", 6, "expected 0 s to 1 s"),
        ("report_delay = 0.5", "report_delay", 6, "expected a text, a whole number or true"),
        ("aggregate_frames = 256", "aggregate_frames", 6, "no aggregate is longer than the block"),
        ('kind = "wireline"', "kind", 6, "another kind of device is another profile"),
        ('access_point = "ath11k"', "access_point", 6, 'did you mean "ath10k"?'),
        ('access_point = "tg3"', "access_point", 6, 'of kind "airlink"; tg3 is "wireline"'),
        ("ethernet = 1", "ethernet", 6, "the name of a bundled profile, or a table of what it has"),
        ('access_point.ethernet = "tg4"', "access_point.ethernet", 6, 'did you mean "tg3"?'),
        ("access_point.ppdu_tris = 1", "access_point.ppdu_tris", 6, 'did you mean "ppdu_tries"?'),
        ('access_point.kind = "wireline"', "access_point.kind", 6, "expected no change of it"),
        ("access_point.rate.x = [1]", "access_point.rate.x", 6, "expected a text, a whole number"),
        ("edca.BX.aifsn = 1", "edca.BX", 6, "expected 'VO', 'VI', 'BE' or 'BK'"),
    ],
)  # fmt: skip
def test_what_cannot_be_changed_is_refused_where_it_stands(experiment, lines, key, line, message):
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        experiment(f"[testbed.profile]\n{lines}\n").profiles()
    assert (caught.value.key, caught.value.line) == (f"testbed.profile.{key}", line)


def test_a_level_that_is_refused_is_named_by_its_factor(experiment):
    lines = '[matrix]\ntestbed.profile.report_delay = ["1 ms", "2 s"]\n'
    with pytest.raises(FileError, match="expected 0 s to 1 s") as caught:
        experiment(lines).profiles()
    assert caught.value.key == "matrix.testbed.profile.report_delay"
    assert caught.value.line == 6


def test_a_result_says_what_was_changed_only_if_something_was(experiment):
    assert "profile" not in measured(experiment().spec)["testbed"]
    changed = experiment(overrides=['profile.report_delay="1 ms"']).spec
    assert measured(changed)["testbed"]["profile"] == {"report_delay": "1 ms"}


@pytest.mark.parametrize("value", ["ath9k", "{ ppdu_tries = 1 }"])
def test_a_card_has_no_access_point(tmp_path, value):
    path = tmp_path / "x.toml"
    path.write_text('title = "x"\n')
    with pytest.raises(UsageError, match="profiles of kind .airlink. have it"):
        load(str(path), [f"profile.access_point={value}"]).profiles()
