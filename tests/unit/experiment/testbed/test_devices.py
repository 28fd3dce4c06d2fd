# SPDX-License-Identifier: GPL-2.0-or-later
"""Devices of a graph: what their profiles have otherwise, and members with one of their own."""

import re

import pytest

from tsqlab.airlink.messages import Link, payload, set_link
from tsqlab.airlink.rates import parse_rate
from tsqlab.airlink.uapi import ProfileAttribute
from tsqlab.errors import FileError, UsageError
from tsqlab.experiment.capacity import capacity
from tsqlab.experiment.conditions import Conditions, differences
from tsqlab.experiment.host import Shift, sender_shift
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.stored import measured
from tsqlab.guest.testbed import wiring
from tsqlab.report import testbed as shown
from tsqlab.units import BASE_UNITS

FILE = """\
# Two stations.
# Expected: nothing.
title = "Two stations"

[nodes]
AP = {}
C1 = { server = "S" }
C2 = { server = "S" }
S = {}

[[link]]
between = ["AP", "S"]

[[medium]]
name = "air"
device = "ath9k"
members = { AP = "ap", C1 = "station", C2 = { role = "station", device = "ath9k_3x3" } }
"""


@pytest.fixture
def experiment(tmp_path):
    def load_it(more="", old="", new="", overrides=()):
        path = tmp_path / "x.toml"
        assert old in FILE
        path.write_text(FILE.replace(old, new) + more)
        return load(str(path), overrides)

    return load_it


def wired(experiment, cell=0):
    return wiring(experiment.cells[cell].spec, experiment.profiles()[cell],
                  experiment.others()[cell])  # fmt: skip


def radios(experiment, cell=0):
    """Each radio as airlink is asked for it, by its node."""
    (channel,) = wired(experiment, cell).channels
    return {member.port.node: channel.radio(member) for member in channel.medium.members}


def test_a_profile_is_changed_by_its_device(experiment):
    more = (
        "[testbed.profile.ath9k]\naggregate_frames = 8\n[testbed.profile.gigabit]\ntx_ring = 64\n"
    )
    found = experiment(more)
    (own,), (others,) = found.profiles(), found.others()
    usual = load_profile("ath9k")
    assert own == others["ath9k"] == usual.model_copy(update={"aggregate_frames": 8})
    assert others["gigabit"].tx_ring == 64
    assert others["ath9k_3x3"] == load_profile("ath9k_3x3")
    frames = {node: radio.profile[ProfileAttribute.AGGREGATE_FRAMES]
              for node, radio in radios(found).items()}  # fmt: skip
    assert frames == {"AP": 32, "C1": 8, "C2": 32}


def test_a_key_of_a_profile_varies(experiment):
    found = experiment("[matrix]\nprofile.ath9k.aggregate_frames = [8, 16]\n")
    assert [others["ath9k"].aggregate_frames for others in found.others()] == [8, 16]
    assert found.cells[1].id == "profile.ath9k.aggregate_frames=16"
    conditions = [Conditions(cell.spec, own, others) for cell, own, others
                  in zip(found.cells, found.profiles(), found.others(), strict=True)]  # fmt: skip
    (change,) = differences(*conditions, without=("device",))
    assert (change.key, change.old, change.new) == ("profile.ath9k.aggregate_frames", "8", "16")


def test_what_a_profile_says_is_the_old_text_of_a_changed_key(experiment):
    usual, other = (experiment(more) for more in
                    ("", "[testbed.profile.ath9k_3x3]\naggregate_frames = 8\n"))  # fmt: skip
    said = [Conditions(found.spec, found.profiles()[0], found.others()[0])
            for found in (usual, other)]  # fmt: skip
    assert [(one.key, one.old, one.new) for one in differences(*said)] == [
        ("profile.ath9k_3x3.aggregate_frames", "32", "8")
    ]  # fmt: skip


def test_a_result_keeps_both(experiment):
    spec = experiment("[testbed.profile.ath9k]\naggregate_frames = 8\n").spec
    assert Spec.model_validate(measured(spec), context={BASE_UNITS: True}) == spec


def test_a_member_has_its_own_card_and_the_slower_rate_of_both_ends(experiment):
    """The access point of ath9k is a 3x3 card: 450 Mbit/s to such a station, 300 to the other."""
    found = experiment()
    made = radios(found)
    two, three = parse_rate("HT40 MCS15 SGI"), parse_rate("HT40 MCS23 SGI")
    assert {node: radio.rate for node, radio in made.items()} == {"AP": two, "C1": two, "C2": three}
    (channel,) = wired(found).channels
    mac = {member.port.node: member.port.mac for member in channel.medium.members}
    faster = payload(set_link(Link(1, mac["AP"], mac["C2"], rate=three))).hex()
    assert [line[-1] for line in channel.make()].count(faster) == 1
    most = capacity(found.spec, found.profiles()[0], found.others()[0]).radios
    assert (most["C1"].aggregate_frames, most["C2"].aggregate_frames) == (32, 32)


def test_a_rate_that_is_given_is_all_cards_rate(experiment):
    given = parse_rate("HT20 MCS7")
    made = radios(
        experiment(old='device = "ath9k"\n', new='device = "ath9k"\nrate = "HT20 MCS7"\n')
    )
    assert {radio.rate for radio in made.values()} == {given}


def test_rate_control_goes_up_to_each_cards_own(experiment):
    made = radios(experiment(old='device = "ath9k"\n', new='device = "ath9k"\nrate = "minstrel"\n'))
    best = {node: radio.best_rate for node, radio in made.items()}
    assert best["C2"] == parse_rate("HT40 MCS23 SGI") != best["C1"]


def test_an_access_point_may_have_another_card(experiment):
    """Without one it is the 3x3 that the profile ath9k names; now none is faster than 2x2."""
    made = radios(experiment(old='AP = "ap"', new='AP = { role = "ap", device = "ath9k" }'))
    assert {radio.rate for radio in made.values()} == {parse_rate("HT40 MCS15 SGI")}


def test_show_says_which_card(experiment):
    found = experiment()
    text = "\n".join(shown.testbed_lines(found.spec, wired(found)))
    assert "station of AP, ath9k_3x3" in text


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("profile.report_delay = \"1 ms\"",
         r"testbed\.profile\.report_delay: \"report_delay\" is no device of this testbed; expected "
         r"\[testbed\.profile\.ath9k\], \[testbed\.profile\.gigabit\], "
         r"\[testbed\.profile\.ath9k_3x3\]"),
        ("profile.ath9k = 1", r"testbed\.profile\.ath9k: expected a table"),
    ],
)  # fmt: skip
def test_a_change_is_of_a_device(experiment, more, message):
    with pytest.raises(FileError, match=rf"x\.toml:19: {message}"):
        experiment(f"[testbed]\n{more}\n")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("tx_ring = 4", r"testbed\.profile\.ath9k\.tx_ring: unknown key"),
        ("aggregate_frames = 300", r"testbed\.profile\.ath9k\.aggregate_frames: .* 256"),
    ],
)
def test_a_change_is_one_that_the_profile_takes(experiment, change, message):
    found = experiment(f"[testbed.profile.ath9k]\n{change}\n")
    with pytest.raises(UsageError, match=rf"x\.toml:\d+: {message}"):
        found.others()


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("ath10k", 'medium "air": "C2": device "ath10k" has band = "5 GHz"; expected "2.4 GHz", as '
                   'device "ath9k" of its medium has'),
        ("ath9k_htc", '"C2": device "ath9k_htc" has front = "fullmac"; expected "softmac"'),
        ("gigabit", '"C2": device "gigabit" is an Ethernet card; expected a radio'),
    ],
)  # fmt: skip
def test_a_card_that_the_medium_has_no_place_for_is_refused(experiment, device, message):
    found = experiment(old="ath9k_3x3", new=device)
    with pytest.raises(UsageError, match=re.escape(message)):
        wired(found)


def test_a_card_that_there_is_not(experiment):
    found = experiment(old="ath9k_3x3", new="ath9k_4x4")
    with pytest.raises(
        UsageError, match=r"x\.toml:17: medium\.air\.members\.C2\.device: .*ath9k_4x4"
    ):
        found.others()


def test_a_shift_is_said_to_be_of_the_profile_that_has_it(experiment):
    """brcmfmac writes 8 to sk_pacing_shift, on a medium of ideal radios that write nothing."""
    brcmfmac = experiment(
        overrides=['medium.air.device="ideal"', 'medium.air.members.C2.device="brcmfmac"']
    )
    spec, (own,), (others,) = brcmfmac.spec, brcmfmac.profiles(), brcmfmac.others()
    assert sender_shift(spec, own, "C1", others) is None
    assert sender_shift(spec, own, "C2", others) == Shift(8, "profile brcmfmac")
