# SPDX-License-Identifier: GPL-2.0-or-later
"""What an era, a device and [sender] come to."""

import pytest
from pydantic import ValidationError

from tsqlab.errors import FileError
from tsqlab.experiment.era import ERAS, LINEAR, TODAY
from tsqlab.experiment.host import Shift, host_of, needs_cotsq, own_shift, tsq_sysctls
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.stored import plain
from tsqlab.paths import ROOT
from tsqlab.units import BASE_UNITS

MAC80211 = Shift("kernel", "era 4.13")


def host(device="ath9k_htc", era=TODAY, **sender):
    layout = "wired" if device == "gigabit" else "wifi"
    testbed = {"layout": layout, "device": device}
    data = {"title": "", "testbed": testbed, "lab": {"era": era}, "sender": sender}
    spec = Spec.model_validate(data)
    return host_of(spec, load_profile(device)), needs_cotsq(spec, load_profile(device))


@pytest.mark.parametrize(
    ("device", "era", "offloads", "truesize", "shift"),
    [
        ("gigabit", "4.13", "on", None, None),
        ("gigabit", TODAY, "on", None, None),
        ("ath9k_htc", "4.13", "off", LINEAR, None),
        ("ath9k_htc", TODAY, "on", None, None),
        ("ath9k", "4.13", "off", LINEAR, MAC80211),
        ("ath9k", TODAY, "on", None, None),  # mac80211's own
        ("ath10k", "4.13", "off", LINEAR, MAC80211),
        ("brcmfmac", "4.13", "off", LINEAR, None),
        ("brcmfmac", TODAY, "on", None, Shift(8, "profile brcmfmac")),
    ],
)
def test_what_follows_from_an_era(device, era, offloads, truesize, shift):
    found, cotsq = host(device, era)
    assert (found.offloads, found.truesize, found.shift) == (offloads, truesize, shift)
    assert found.offloads_cause == found.truesize_cause == f"era {era}"
    assert cotsq == bool(truesize)


def test_a_value_given_wins():
    found, cotsq = host("ath9k", "4.13", offloads="gso", truesize="kernel", tsq={"shift": 8})
    assert (found.offloads, found.truesize) == ("gso", None)
    assert (found.offloads_cause, found.truesize_cause) == ("sender.offloads", "sender.truesize")
    assert found.shift == Shift(8, "sender.tsq")
    assert not cotsq
    assert host("gigabit", truesize="3000 B")[0].truesize == 3000


@pytest.mark.parametrize("truesize", [None, "kernel", "3000 B"])
def test_a_truesize_is_read_back_from_a_result(truesize):
    spec = Spec.model_validate({"title": "", "sender": {"truesize": truesize}})
    assert Spec.model_validate(plain(spec), context={BASE_UNITS: True}) == spec


@pytest.mark.parametrize("truesize", ["1499 B", "65 KiB", "linear"])
def test_what_is_no_truesize(truesize):
    with pytest.raises(ValidationError, match=r"or \"kernel\"|a number with a unit"):
        host(truesize=truesize)


@pytest.mark.parametrize(
    ("device", "era", "tsq", "us"),
    [
        ("brcmfmac", TODAY, "TSQ", 2161),  # 2408 / 4352 of its driver's 3906
        ("ath9k", TODAY, "TSQ", 4323),  # of mac80211's 7813
        ("ath9k", "4.13", {"shift": 8}, 2161),
        ("ath9k", "4.13", "6TSQ", 3320),
    ],
)
def test_a_driver_s_time_of_packets_that_count_more(device, era, tsq, us):
    data = {"title": "", "testbed": {"layout": "wifi", "device": device}, "lab": {"era": era},
            "sender": {"tsq": tsq, "truesize": "4352 B"}}  # fmt: skip
    spec = Spec.model_validate(data)
    assert tsq_sysctls(spec, load_profile(device), "C")["net.ipv4.tcp_tsq_us"] == us


@pytest.mark.parametrize(
    ("device", "era", "own"),
    [
        ("ath9k_htc", TODAY, Shift(10, "the kernel's own")),
        ("ath9k", "4.13", Shift(10, "the kernel's own")),
        ("ath9k", TODAY, Shift(7, "mac80211's own")),
        ("brcmfmac", TODAY, Shift(8, "the driver's own")),
        ("brcmfmac", "4.13", Shift(10, "the kernel's own")),
    ],
)
def test_what_a_device_has_by_itself(device, era, own):
    data = {"title": "", "testbed": {"layout": "wifi", "device": device}, "lab": {"era": era},
            "sender": {"tsq": {"shift": 6}}}  # fmt: skip
    assert own_shift(Spec.model_validate(data), load_profile(device)) == own


def test_every_change_is_cited():
    assert list(ERAS) == ["4.13", TODAY]
    page = " ".join((ROOT / "docs" / "experiments.md").read_text().split())
    for era in ERAS.values():
        assert f'`"{era.name}"`' in page
        for change in era.before:
            since = change.since if " " in change.since else f"in {change.since}"
            assert f'{change.commit} ("{change.subject}") ({since})' in page


def test_an_era_is_a_factor(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text('title = ""\n[matrix]\nera = ["4.13", "today"]\n')
    assert [cell.id for cell in load(str(path)).cells] == ["era=4.13", "era=today"]
    (cell,) = load(str(path), ["era=4.13"]).cells  # TOML reads a number
    assert cell.spec.lab.era == "4.13"
    with pytest.raises(FileError, match='no era "4.14"; there are 4.13, today') as caught:
        load(str(path), ['era=["4.14"]'])
    assert caught.value.key == "matrix.era"
