# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab explain``: what it says is what the files and the results say."""

import json
import re
import shlex
from functools import cache
from itertools import pairwise

import pytest

from folders import results
from tsqlab.cli import main
from tsqlab.experiment.bundled import bundled_claims
from tsqlab.experiment.causes import causes
from tsqlab.experiment.claims import claims_of
from tsqlab.experiment.load import load
from tsqlab.report.explained import experiment_of_claim, explained


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")


def said(capsys, *words):
    assert main(["explain", *words]) == 0
    return capsys.readouterr().out


def flat(text):
    return re.sub(r"\s+", " ", text)


def test_without_results_it_says_which_command_makes_them(capsys):
    words = said(capsys, "cotsq-3a-goodput")
    assert "  tsqlab run cotsq-3 --set 'tsq=\"TSQ\"' --out results/cotsq-3a-goodput\n" in words
    for part in (
        "cotsq-3a-goodput: ath9k_htc, 1 upload, TSQ: goodput 44 Mbit/s",
        "paper cotsq: Adapting TCP Small Queues for IEEE 802.11 Networks. PIMRC, 2018. Figure 3.",
        "its number 44 Mbit/s",
        "accepted 42 to 46 Mbit/s. Two digits: two of the last digit either way.",
        "verdict not run (no results here); the command below runs its cells",
        "cause report-delay: when ath9k_htc's reports reach TCP, which its firmware decides",
        "explanation Under stock TSQ some five packets are under way",
        "evidence tsqlab run lwn-3 --set",
        "what shows it: tsqlab run lwn-3 --set 'profile.report_delay=",
        "5 of 15 cells, 350 s of virtual time: device=ath9k_htc,tsq=TSQ,seed=1",
    ):
        assert part in flat(words), part


def test_results_of_the_experiment_give_the_verdict(tmp_path, capsys):
    results(tmp_path / "results")
    words = flat(said(capsys, "cotsq-3a-goodput"))
    assert "lab 30.0 ± 0 Mbit/s (results/cotsq-3, kernel" in words
    assert "verdict differs" in words


def test_results_of_its_own_cells_come_first(tmp_path, capsys):
    results(tmp_path / "results")
    own = results(tmp_path / "other", overrides=["tsq=TSQ"]) / "cotsq-3"
    own.rename(tmp_path / "results" / "cotsq-3a-goodput")
    assert "(results/cotsq-3a-goodput, kernel" in flat(said(capsys, "cotsq-3a-goodput"))


def test_results_may_be_anywhere_but_of_no_other_experiment(tmp_path, capsys):
    results(tmp_path / "there")
    folder = str(tmp_path / "there" / "cotsq-3")
    assert folder in said(capsys, "cotsq-3b-ping", "--results", folder)
    assert main(["explain", "lwn-2-ping", "--results", folder]) == 2
    assert main(["explain", "cotsq-3", "--results", folder]) == 2
    assert main(["explain", "cotsq-3b-ping", "--results", "/nowhere"]) == 2


def test_damaged_results_are_told(tmp_path, capsys):
    results(tmp_path / "results")
    (tmp_path / "results" / "cotsq-3" / "manifest.json").write_text("{")
    assert main(["explain", "cotsq-3b-ping"]) == 2
    assert "results/cotsq-3/manifest.json: not a whole manifest" in capsys.readouterr().err


def test_today_stands_beside(tmp_path, capsys):
    results(tmp_path / "results", today=True)
    assert "today 30: differs" in flat(said(capsys, "cotsq-3a-goodput"))


def test_json_has_the_same(tmp_path, capsys):
    results(tmp_path / "results")
    data = json.loads(said(capsys, "cotsq-3a-goodput", "--json"))
    assert (data["lower"], data["upper"], data["unit"]) == (42, 46, "Mbit/s")
    assert data["command"].startswith("tsqlab run cotsq-3 ")
    assert len(data["cells"]) == 5
    (verdict,) = data["verdicts"]
    assert (verdict["verdict"], verdict["lab"]["n"]) == ("differs", 2)
    assert verdict["lab"]["mean"] == pytest.approx(30)


def test_an_experiment_lists_its_claims(capsys):
    words = said(capsys, "cotsq-3")
    assert words.startswith("cotsq-3: 4 claims\n")
    assert all(claim.id in words for claim in claims_of("cotsq-3"))
    assert said(capsys, "hosts") == "hosts: no claims\n"
    listed = json.loads(said(capsys, "cotsq-3", "--json"))
    assert [one["id"] for one in listed] == [claim.id for claim in claims_of("cotsq-3")]


@pytest.mark.parametrize("cause", causes())
def test_a_cause_lists_the_claims_that_name_it(cause, capsys):
    words = said(capsys, cause)
    assert words.startswith(f"{cause}: {causes()[cause].title}; ")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cotsq-3a-goodpt", 'no claim, experiment or cause "cotsq-3a-goodpt"; did you mean '
         '"cotsq-3a-goodput"?'),
        ("goodput_mbps", "goodput_mbps is a metric, which docs/results.md explains"),
        ("?" * 500, "tsqlab list names the experiments"),
    ],
)  # fmt: skip
def test_an_unknown_name_is_answered_with_the_nearest(name, message, capsys):
    assert main(["explain", name]) == 2
    assert message in capsys.readouterr().err


def test_a_claim_s_name_is_of_one_experiment():
    names = [claim.id for experiment in bundled_claims() for claim in claims_of(experiment)]
    assert len(set(names)) == len(names)
    assert sorted(names) == sorted(experiment_of_claim())


@cache
def loaded(name, overrides):
    return load(name, overrides)


@pytest.mark.parametrize("experiment", bundled_claims())
def test_the_command_runs_the_claim_s_cells_as_they_are(experiment):
    for claim in claims_of(experiment):
        one = explained(claim.id, None)
        words = shlex.split(one.command)
        sets = tuple(word for option, word in pairwise(words) if option == "--set")
        assert words[:3] == ["tsqlab", "run", experiment]
        assert sets == one.overrides
        run = {cell.spec.model_dump_json() for cell in loaded(experiment, sets).cells}
        assert one.cells
        assert {cell.spec.model_dump_json() for cell in one.cells} <= run
