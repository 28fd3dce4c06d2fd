# SPDX-License-Identifier: GPL-2.0-or-later
"""What an era, a device and [sender] come to."""

import pytest
from pydantic import ValidationError

from tsqlab.errors import FileError
from tsqlab.experiment.era import CHANGES, CHARGED, ERAS, LINEAR, TODAY
from tsqlab.experiment.host import (
    Shift,
    era_sysctls,
    host_of,
    needs_cotsq,
    own_shift,
    sender_shift,
    tsq_sysctls,
)
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.stored import plain
from tsqlab.kernels.source import history, release_of, versions
from tsqlab.paths import ROOT
from tsqlab.units import BASE_UNITS

MAC80211 = Shift("kernel", "era 4.13")


def host(device="ath9k_htc", era=TODAY, **sender):
    layout = "wired" if device == "gigabit" else "wifi"
    testbed = {"layout": layout, "device": device}
    data = {"title": "", "testbed": testbed, "lab": {"era": era}, "sender": sender}
    spec = Spec.model_validate(data)
    return host_of(spec, load_profile(device)), needs_cotsq(spec, load_profile(device))


def shift_of(node="C", device="ath9k", era=TODAY, server="S", **sender):
    layout = {"layout": "wired"} if device == "gigabit" else {"layout": "wifi", "server": server}
    testbed = {**layout, "device": device}
    spec = Spec.model_validate(
        {"title": "", "testbed": testbed, "lab": {"era": era}, "sender": sender}
    )
    return sender_shift(spec, load_profile(device), node)


@pytest.mark.parametrize(
    ("device", "era", "offloads", "truesize", "shift"),
    [
        ("gigabit", "4.13", "on", None, None),
        ("gigabit", TODAY, "on", None, None),
        ("ath9k_htc", "4.13", "off", LINEAR, None),
        ("ath9k_htc", TODAY, "on", None, None),
        ("ath9k", "4.13", "off", LINEAR, MAC80211),
        ("ath9k", "4.16", "off", LINEAR, Shift(8, "era 4.16")),
        ("ath9k", "5.4", "on", None, None),
        ("brcmfmac", "5.4", "on", None, None),
        ("brcmfmac", "5.10", "on", None, Shift(8, "profile brcmfmac")),
        ("gigabit", "5.10", "on", None, None),
        ("ath9k", TODAY, "on", None, None),  # mac80211's own
        ("ath10k", "4.13", "off", LINEAR, MAC80211),
        ("brcmfmac", "4.13", "off", LINEAR, None),
        ("brcmfmac", TODAY, "on", None, Shift(8, "profile brcmfmac")),
    ],
)
def test_what_follows_from_an_era(device, era, offloads, truesize, shift):
    found, cotsq = host(device, era)
    assert (found.offloads, found.truesize) == (offloads, truesize)
    assert shift_of("C", device, era) == shift
    assert found.offloads_cause == found.truesize_cause == f"era {era}"
    assert cotsq == bool(truesize)


def test_a_value_given_wins():
    found, cotsq = host("ath9k", "4.13", offloads="gso", truesize="kernel", tsq={"shift": 8})
    assert (found.offloads, found.truesize) == ("gso", None)
    assert (found.offloads_cause, found.truesize_cause) == ("sender.offloads", "sender.truesize")
    assert shift_of(era="4.13", tsq={"shift": 8}) == Shift(8, "sender.tsq")
    assert not cotsq
    assert host("gigabit", truesize="3000 B")[0].truesize == 3000


def test_an_access_point_that_is_the_server_sends_over_its_own_radio():
    assert shift_of("AP", device="brcmfmac", server="AP") == Shift(8, "profile brcmfmac")
    assert shift_of("AP", era="4.13", server="AP") == MAC80211
    assert shift_of("AP", server="AP", tsq={"shift": 6}) == Shift(6, "sender.tsq")
    # S has a wire, and Ethernet drivers write nothing.
    assert shift_of("S", device="brcmfmac") is shift_of("S", era="4.13") is None


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


def test_every_change_has_a_row_in_the_page():
    """Which is what the page says of eras; the rest of their table is words for settings."""
    page = (ROOT / "docs" / "experiments.md").read_text().splitlines()
    rows = [
        f"| {change.since} | {change.cited} | {change.effect} | {change.means} | {_eras(change)} |"
        for change in CHANGES
    ]
    assert [line for line in page if line.startswith("| v")] == rows
    for era in ERAS:
        assert any(f'`"{era}"`' in line for line in page)


def _eras(change):
    return ", ".join(era.name for era in ERAS.values() if change in era.before)


def test_an_era_is_without_what_came_after_it():
    releases = {name: era for name, era in ERAS.items() if name != TODAY}
    assert list(ERAS) == ["4.13", "4.16", "5.4", "5.10", TODAY]
    assert list(map(number, releases)) == sorted(map(number, releases))
    assert [change.since for change in CHANGES] == sorted(
        (change.since for change in CHANGES), key=lambda since: number(since.removeprefix("v"))
    )
    for name, era in releases.items():
        for change in era.before:
            assert number(change.since.removeprefix("v")) > number(name), change
    assert (ERAS[TODAY].before, ERAS[TODAY].patches, ERAS[TODAY].sysctls) == ((), (), {})
    budget, single = "bbr-gso-budget", "tsq-single-skb"
    assert [name for name, era in ERAS.items() if budget in era.patches] == ["4.13"]
    assert [name for name, era in ERAS.items() if single in era.patches] == ["4.16", "5.4", "5.10"]


def number(release):
    return [int(part) for part in release.split(".")]


def test_every_patch_takes_back_a_change_of_an_era():
    """And its subject says the release that the change is known to be of."""
    since = {change.patch: change.since for change in CHANGES if change.patch}
    assert {name: f"v{release_of(path)}" for name, path in history().items()} == since
    for change in CHANGES:
        if change.patch and change.commit:
            assert change.commit in history()[change.patch].read_text()
    assert len({change.subject for change in CHANGES}) == len(CHANGES)


def test_a_version_has_the_changes_of_its_past():
    assert set(history("6.12")) == set(history())
    assert set(history()) - set(history("6.1")) == {
        "ack-backlog", "skb-small-head", "tso-grow", "tsq-single-skb",
    }  # fmt: skip
    assert set(versions()) == {"6.12", "6.1"}


@pytest.mark.parametrize(
    ("device", "era", "bound"),
    [
        ("gigabit", "4.13", 262144),
        ("ath9k", "4.13", 145047),  # 2408 / 4352 of it
        ("ath9k", "4.16", 145047),
        ("ath9k", "5.4", None),
    ],
)
def test_a_bound_in_bytes_allows_as_many_packets(device, era, bound):
    layout = "wired" if device == "gigabit" else "wifi"
    data = {"title": "", "testbed": {"layout": layout, "device": device}, "lab": {"era": era}}
    found = era_sysctls(Spec.model_validate(data), load_profile(device))
    assert found.get("net.ipv4.tcp_limit_output_bytes") == bound
    assert set(found) == set(ERAS[era].sysctls)


def test_a_truesize_is_a_share_of_what_the_era_s_kernel_charges():
    assert [era.charged for era in ERAS.values()] == [CHARGED, CHARGED, 2728, 2728, CHARGED]
    data = {"title": "", "testbed": {"layout": "wifi", "device": "ath9k"}, "lab": {"era": "5.4"},
            "sender": {"tsq": "6TSQ", "truesize": "4352 B"}}  # fmt: skip
    spec = Spec.model_validate(data)
    assert tsq_sysctls(spec, load_profile("ath9k"), "C")["net.ipv4.tcp_tsq_us"] == 3761


def test_an_era_is_a_factor(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text('title = ""\n[matrix]\nera = ["4.13", "today"]\n')
    assert [cell.id for cell in load(str(path)).cells] == ["era=4.13", "era=today"]
    (cell,) = load(str(path), ["era=4.13"]).cells  # TOML reads a number
    assert cell.spec.lab.era == "4.13"
    assert load(str(path), ["era=5.10"]).cells[0].spec.lab.era == "5.10"
    assert load(str(path), ["era=5.4"]).cells[0].spec.lab.era == "5.4"
    with pytest.raises(
        FileError, match='no era "4.14"; there are 4.13, 4.16, 5.4, 5.10, today'
    ) as caught:
        path.write_text(path.read_text().replace("4.13", "4.14"))
        load(str(path))
    assert caught.value.key == "matrix.era"
