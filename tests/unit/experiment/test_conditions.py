# SPDX-License-Identifier: GPL-2.0-or-later
"""What a cell was run by, and what that is held against."""

from __future__ import annotations

from pathlib import Path

import pytest

from tsqlab.experiment.bundled import bundled_experiments
from tsqlab.experiment.conditions import Conditions, content_of, nearest_bundled
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.reference import Reference, reference_of
from tsqlab.paths import PROFILES


def ran(*overrides: str, name: str = "cotsq-4", **levels: object) -> Conditions:
    """The conditions of one cell of an experiment."""
    experiment = load(name, [*overrides, *(f"{key}={level}" for key, level in levels.items())])
    return Conditions(experiment.spec, experiment.profiles()[0])


def reference(name: str = "cotsq-4") -> Reference:
    found = reference_of(name)
    assert found is not None
    return found


def differences(*overrides: str) -> list[str]:
    """What a cell of 6TSQ differs in from the paper's."""
    found = reference().differences({"tsq": "6TSQ"}, ran(*overrides, tsq="6TSQ"))
    return [change.instead for change in found]


def own_profile(folder: Path, old: str = "", new: str = "") -> Path:
    """A copy of a bundled profile, of which one thing may be other."""
    text = (PROFILES / "ath9k_htc.toml").read_text("utf-8")
    assert old in text
    path = folder / "mine.toml"
    path.write_text(text.replace(old, new, 1), "utf-8")
    return path


@pytest.mark.parametrize("name", bundled_experiments())
def test_a_bundled_experiment_is_its_own_reference(name: str) -> None:
    experiment, own = load(name), reference(name)
    for cell, profile in zip(experiment.cells, experiment.profiles(), strict=True):
        conditions = Conditions(cell.spec, profile)
        assert own.differences(cell.factors, conditions) == ()


def test_there_is_no_reference_for_what_is_not_bundled() -> None:
    assert reference_of("mine") is None


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ('rate="HT20 MCS7 SGI"', "rate = HT20 MCS7 SGI, not HT40 MCS7 SGI"),
        ('length="4 s"', "length = 4 s, not 60 s"),
        ('snr="25 dB"', "snr = 25 dB, not none"),
        ('era="today"', "era = today, not 4.13"),
        ('truesize="kernel"', "truesize = as charged, not 4352 B"),
        ('truesize="2408 B"', "truesize = 2408 B, not 4352 B"),
        ('qdisc="fq"', "qdisc = fq, not fq_codel"),
        ("pacing=2.0/1.0", "pacing = 2.0/1.0, not 2.0/1.2"),
        ('kernel="6.1"', "kernel = 6.1, not 6.12"),
        ("hz=250", "hz = 250, not 1000"),
        ('testbed.egress."AP>S".qdisc="netem loss 1%"', "egress.AP>S.qdisc = netem loss 1%, not"),
        ('testbed.sysctl.C."net.ipv4.tcp_sack"=0', "sysctl.C.net.ipv4.tcp_sack = 0, not none"),
        ("stations=2", "stations = 2, not 1"),
        ('profile.report_delay="1000 us"', "profile.report_delay = 1 ms, not 475 us"),
        ("profile.access_point.rts_bytes=1 KiB", "profile.access_point.rts_bytes = 1 KiB, not"),
        ("profile.access_point=ideal", "profile.access_point = ideal, not its own"),
        ("profile.amsdu_frames=2", "profile.amsdu_frames = 2, not 1"),
    ],
)
def test_a_changed_key_is_named(override: str, said: str) -> None:
    (difference,) = differences(override)
    assert difference.startswith(said)


@pytest.mark.parametrize(
    "override",
    [
        "seed=9",
        'memory="256 MiB"',
        'rate="HT40 MCS7 SGI"',  # what the profile has
        'qdisc="fq_codel"',  # what a radio has by itself
        "pacing=2.0/1.2",
        'offloads="off"',  # what a radio of the papers' era has
        'truesize="4352 B"',
        'layout="wifi"',
        'profile.report_delay="0.475 ms"',  # what its file says
    ],
)
def test_what_changes_nothing_is_no_difference(override: str) -> None:
    assert differences(override) == []


def test_a_level_of_another_setting_is_a_difference() -> None:
    (change,) = reference().differences({"tsq": "6TSQ"}, ran(tsq="5TSQ"))
    assert change.instead == "tsq = 5TSQ, not 6TSQ"


def test_any_cell_with_the_levels_will_do() -> None:
    """A claim about the device alone is about each of its settings of TSQ."""
    of_two = reference("cotsq-3")
    for tsq in ("TSQ", "CoTSQ", "NoTSQ"):
        assert of_two.differences({"device": "ath9k_htc"}, ran(name="cotsq-3", tsq=tsq)) == ()


def test_a_profile_is_what_it_says(tmp_path: Path) -> None:
    same = own_profile(tmp_path)
    assert differences(f'device="{same}"') == []
    other = own_profile(tmp_path, 'refill_delay = "350 us"', 'refill_delay = "1 ms"')
    assert differences(f'device="{other}"') == ["device = mine.toml, not ath9k_htc"]


def test_a_title_is_no_property_of_a_device(tmp_path: Path) -> None:
    assert differences(f'device="{own_profile(tmp_path, "AR9271", "Mine")}"') == []


def test_a_bundled_profile_that_has_changed_since_is_a_difference() -> None:
    old = ran(tsq="6TSQ")
    assert hasattr(old.profile, "refill_delay")
    changed = old.profile.model_copy(update={"refill_delay": None})
    (change,) = reference().differences({"tsq": "6TSQ"}, Conditions(old.spec, changed))
    assert change.instead == "device = ath9k_htc of another content, not ath9k_htc"


def test_a_rate_that_follows_from_another_device_is_not_named_twice() -> None:
    """The slower of both sides' rates is in the profile, which is named."""
    assert differences("device=ath9k") == ["device = ath9k, not ath9k_htc"]


def test_the_nearest_bundled_profile(tmp_path: Path) -> None:
    other = own_profile(tmp_path, 'refill_delay = "350 us"', 'refill_delay = "1 ms"')
    name, changes = nearest_bundled(content_of(load_profile(str(other))))
    assert name == "ath9k_htc"
    assert [str(change) for change in changes] == ["refill_delay = 350 us -> 1 ms"]
