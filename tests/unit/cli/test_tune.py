# SPDX-License-Identifier: GPL-2.0-or-later
"""tsqlab tune: the sweep that it runs, and what it says of the result."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from folders import cell, written
from tsqlab.cli import main
from tsqlab.errors import TsqlabError
from tsqlab.experiment.bundled import bundled_profiles
from tsqlab.experiment.host import Shift
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.stored import Result, read_folder
from tsqlab.experiment.tsq import Tsq
from tsqlab.report.tuning import shift_for, tuning_of, tuning_text


@pytest.fixture
def template(tmp_path: Path) -> Result:
    (tmp_path / "template").mkdir()
    return read_folder(written(tmp_path / "template", [{"seed": 1}])).results[0]


def measured(template: Result, seeds: int = 3, best: float = 91.0) -> list[Result]:
    """A sweep with its knee at 6 ms."""
    curve = {"TSQ": (40.0, 3.0), "1TSQ": (41.0, 3.1), "4TSQ": (80.0, 5.0), "6TSQ": (90.0, 7.0),
             "8TSQ": (91.0, 9.0), "NoTSQ": (best, 35.0)}  # fmt: skip
    return [
        cell(template, tsq, seed, goodput_mbps=goodput, ping_ms_p50=ping)
        for tsq, (goodput, ping) in curve.items()
        for seed in range(1, seeds + 1)
    ]


@pytest.mark.parametrize(
    ("ms", "shift"),
    [(0.5, 10), (1, 10), (1.5, 9), (2, 9), (3, 8), (4, 8), (5, 7), (6, 7), (8, 7), (12, 6),
     (16, 6), (20, 5), (1000, 0), (5000, 0)],
)  # fmt: skip
def test_the_shift_allows_the_knee_or_nearly(ms: float, shift: int) -> None:
    assert shift_for(ms) == shift
    assert 1000 / 2**shift >= min(ms, 1000) * 0.95


def test_a_knee_that_no_seed_has_all_cells_for_is_not_known(template: Result) -> None:
    """Neither is it told that no limit is enough, nor are seeds that it is not of."""
    gone = {("4TSQ", 1), ("6TSQ", 2)}
    some = [one for one in measured(template, seeds=2)
            if (one.factors["tsq"], one.factors["seed"]) not in gone]  # fmt: skip
    words = tuning_text(tuning_of(some))
    assert words.startswith("tried: 1, 4, 6, 8 ms, 1 to 2 seeds each\n")
    assert words.endswith("knee: not known, since no seed has all of them yet")
    three = [one for one in measured(template, seeds=4)
             if (one.factors["tsq"], one.factors["seed"]) != ("4TSQ", 4)]  # fmt: skip
    assert "bootstrap draws over 3 seeds" in tuning_text(tuning_of(three))


def test_the_settings_follow_from_the_knee(template: Result) -> None:
    words = tuning_text(tuning_of(measured(template)))
    assert words == (
        "tried: 1, 4, 6, 8 ms, 3 seeds each\n"
        "stock TSQ: 40 Mbit/s, 3 ms of ping\n"
        "no TSQ:    91 Mbit/s, 35 ms of ping\n"
        "knee:      6 ms (6 to 6): 90 Mbit/s, 7 ms of ping; the best is 91 Mbit/s\n"
        "           (in brackets 95 % of the knees of 2000 bootstrap draws over 3 seeds, "
        "among the ms that were tried)\n"
        "CoTSQ:     sysctl -w net.ipv4.tcp_tsq_bytes=10000000 net.ipv4.tcp_tsq_us=6000 "
        "net.ipv4.tcp_tsq_pkts=1\n"
        "stock:     sysctl -w net.ipv4.tcp_pacing_ca_ratio=737 net.ipv4.tcp_pacing_ss_ratio=1000\n"
        "           (of any kernel, and for all devices of the host: docs/stock-knobs.md)\n"
        "driver:    sk_pacing_shift 7: sk_pacing_shift_update(sk, 7) allows 7.81 ms"
    )


def test_a_ratio_is_of_the_devices_own_shift_and_of_no_control_with_a_rate(
    template: Result,
) -> None:
    tuning = tuning_of(measured(template))
    words = tuning_text(replace(tuning, own=Shift(7, "mac80211's own")))
    assert "tcp_pacing_ca_ratio=92 net.ipv4.tcp_pacing_ss_ratio=153\n" in words
    words = tuning_text(replace(tuning, own=Shift(11, "a driver's")))
    assert "stock:     no tcp_pacing_ca_ratio, which goes to 4.07 ms here\n" in words
    words = tuning_text(replace(tuning, congestion_control="bbr"))
    assert "stock:     nothing for bbr, which sets its rate by itself\n" in words


def test_few_seeds_give_no_interval(template: Result) -> None:
    words = tuning_text(tuning_of(measured(template, seeds=1)))
    assert "knee:      6 ms: 90 Mbit/s" in words
    assert "(1 seed: too few for an interval, which takes 3)" in words


def test_where_nothing_is_enough_there_is_no_knee(template: Result) -> None:
    words = tuning_text(tuning_of(measured(template, best=120.0)))
    assert "knee: none of them comes within 3% of the best goodput; try more with --ms" in words
    assert "sysctl" not in words


def test_where_stock_is_enough_there_is_nothing_to_set(template: Result) -> None:
    cells = [cell(template, tsq, goodput_mbps=90.0, ping_ms_p50=3.0) for tsq in ("1TSQ", "2TSQ")]
    assert "the kernel's own, allows 0.977 ms; nothing to set" in tuning_text(tuning_of(cells))


@pytest.mark.parametrize(("goodput", "ping", "good"), [(89.0, 6.9, True), (89.0, 7.1, False),
                                                       (88.0, 3.0, False)])  # fmt: skip
def test_where_stock_tsq_is_as_good_it_is_to_stay(
    template: Result, goodput: float, ping: float, good: bool
) -> None:
    """Within 3 % of the best 91 Mbit/s, at no more than the knee's 7 ms."""
    cells = [one for one in measured(template) if one.factors["tsq"] != "TSQ"]
    cells += [cell(template, "TSQ", 1, goodput_mbps=goodput, ping_ms_p50=ping)]
    words = tuning_text(tuning_of(cells))
    assert ("stock TSQ is as good" in words) == good
    assert ("sysctl -w" in words) != good


def test_where_mac80211_has_the_knee_s_shift_there_is_nothing_to_set(template: Result) -> None:
    tuning = tuning_of(measured(template))
    words = tuning_text(replace(tuning, own=Shift(7, "mac80211's own")))
    assert words.endswith("sk_pacing_shift 7, mac80211's own, allows 7.81 ms; nothing to set")


def test_what_is_no_sweep_is_refused(template: Result) -> None:
    with pytest.raises(TsqlabError, match="no sweep of TSQ's ms"):
        tuning_of([cell(template, "4TSQ")])


def test_a_tuning_is_an_experiment_like_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, template: Result,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tsqlab.cli.tune.run_shown", lambda *_: None)
    monkeypatch.setattr("tsqlab.report.tuning.read_tuning", lambda _: tuning_of(measured(template)))
    arguments = ["tune", "ath9k_htc", "--congestion-control", "bbr", "--seeds", "2"]
    assert main([*arguments, "--ms", "6", "0.5", "2"]) == 0
    folder = tmp_path / "results" / "tune-ath9k_htc-bbr"
    experiment = load(str(folder / "tune-ath9k_htc-bbr.toml"))
    assert [one.spec.sender.tsq for one in experiment.cells][::2] == [
        Tsq(), Tsq(bytes=10_000_000, us=500, pkts=1), Tsq(bytes=10_000_000, us=2000, pkts=1),
        Tsq(bytes=10_000_000, us=6000, pkts=1), Tsq(bytes=-1),
    ]  # fmt: skip
    assert {one.spec.sender.congestion_control for one in experiment.cells} == {"bbr"}
    assert {one.spec.lab.era for one in experiment.cells} == {"today"}
    assert {one.spec.lab.seed for one in experiment.cells} == {1, 2}
    assert {one.spec.testbed.layout for one in experiment.cells} == {"wifi"}
    assert (folder / "tuning.txt").read_text() in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gigabit"], "gigabit: no radio; there are ath10k, "),
        (["ath9k_htcc"], 'no device profile "ath9k_htcc"; did you mean "ath9k_htc"?'),
        (["ath9k", "--ms", "0"], "expected ms from 0.002 to 1000"),
        (["ath9k", "--ms", "6"], "--ms: a knee needs two or more"),
        (["ath9k", "--seeds", "0"], "expected a number from 1 to"),
        (["ath9k", "--length", "20"], "expected a number with a unit"),
        (["ath9k", "--congestion-control", "a b"], "expected names with commas"),
    ],
)
def test_bad_requests(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    try:
        status = main(["tune", *arguments])
    except SystemExit as left:
        status = left.code  # type: ignore[assignment]
    assert status == 2
    assert message in capsys.readouterr().err


def test_the_sweep_names_a_profile_from_its_own_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of a sweep and the profile may move together."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tsqlab.cli.tune.run_shown", lambda *_: None)
    monkeypatch.setattr("tsqlab.cli.tune.RESULTS", Path("results"))
    (tmp_path / 'my "radio".toml').write_text(bundled_profiles()["ideal"].read_text())
    assert main(["tune", 'my "radio".toml']) != 0, "nothing was run"
    (file,) = (tmp_path / "results").glob("tune-*/*.toml")
    experiment = load(str(file))
    assert experiment.spec.testbed.device == './../../my "radio".toml'
    assert experiment.profiles()[0] == load_profile("ideal")
