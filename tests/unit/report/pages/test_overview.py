# SPDX-License-Identifier: GPL-2.0-or-later
"""All experiments on one page, and what the README has of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from folders import PAGE_MAX_BYTES, Page, results, written
from tsqlab.cli import main
from tsqlab.experiment.bundled import bundled_experiments
from tsqlab.experiment.load import load
from tsqlab.report.pages.overview import distinct, make_overview, read_overview

NAME = "cotsq-3"
DEMO = bundled_experiments()["tptsq-7"]


def test_what_has_not_been_run_is_there_too(tmp_path: Path) -> None:
    overview = read_overview(tmp_path)
    names = [entry.name for entry in overview.entries]
    assert sorted(names) == sorted(bundled_experiments())
    papers = [entry.paper for entry in overview.entries]
    assert list(dict.fromkeys(papers)) == [
        "cotsq", "lwn", "tp-tsq", "aggregating", "wqm", "tsqlab", "gallery", "stock-knobs",
    ]  # fmt: skip
    assert names.index("agg-8") < names.index("agg-9") < names.index("agg-10"), "not as words"
    assert {row.outcome for entry in overview.entries for row in entry.claims} == {"not run"}
    assert overview.headline is None
    make_overview(tmp_path)
    text = (tmp_path / "index.html").read_text()
    assert "Not run yet" in text
    assert "What was run" not in text


def test_the_page_counts_and_links(tmp_path: Path) -> None:
    overview = make_overview(results(tmp_path))
    text = (tmp_path / "index.html").read_text()
    page = Page(text)
    assert page.open == ["html"] or not page.open
    assert len(page.ids) == len(set(page.ids))
    assert f"./{NAME}/report.html" in page.links
    assert (tmp_path / NAME / "report.html").exists()
    assert all(link.startswith(("#", "./")) for link in page.links), "no network"
    assert len(text.encode()) < PAGE_MAX_BYTES
    (entry,) = (one for one in overview.entries if one.name == NAME)
    assert dict(entry.run) == {
        "Linux": "6.12.1", "patches of": "6.12", "profiles": "ath9k_htc", "seeds": "1, 2",
    }  # fmt: skip
    assert entry.claims
    assert "not run" not in {row.outcome for row in entry.claims}, "what was run is judged"
    count = overview.count("cotsq")
    assert f">{count['differs']}</td>" in text
    assert text.index("Totals") < text.index("Claims</h2>") < text.index("What was run")


def test_damage_to_one_stops_no_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results(tmp_path)
    (tmp_path / "tptsq-7").mkdir()
    (tmp_path / "tptsq-7" / "manifest.json").write_text("[]")
    assert main(["report", "--all", str(tmp_path)]) == 1
    printed = capsys.readouterr()
    assert "tptsq-7: " in printed.err
    assert "run the experiment again" in printed.err
    assert "cotsq" in printed.out
    assert f'href="./{NAME}/report.html"' in (tmp_path / "index.html").read_text()


def test_a_bad_file_stops_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text("title = 1")
    paths = {"bad": bad, "tptsq-7": DEMO}
    monkeypatch.setattr("tsqlab.report.pages.overview.bundled_experiments", lambda: paths)
    monkeypatch.setattr("tsqlab.report.pages.overview.load", lambda name: load(str(paths[name])))
    overview = make_overview(tmp_path)
    assert [entry.name for entry in overview.errors] == ["bad"]
    assert "bad.toml:1: title: " in (tmp_path / "index.html").read_text()


def test_other_folders_are_linked(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    written(tmp_path / "mine", title="My own", plots=[])
    assert main(["report", str(tmp_path / "mine")]) == 0
    (tmp_path / "empty").mkdir()
    make_overview(tmp_path)
    page = Page((tmp_path / "index.html").read_text())
    assert "./mine/report.html" in page.links
    assert "./empty/report.html" not in page.links


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([1, 2, 3, 1], "1 to 3"),
        ([3, 1, 2], "1 to 3"),
        ([1, 2], "1, 2"),
        ([1, 3, 9], "1, 3, 9"),
        (["a", "", "b", "a"], "a, b"),
        ([], ""),
    ],
)
def test_values_are_named_once(values: list[object], text: str) -> None:
    assert distinct(values) == text


def test_an_experiment_that_is_half_done_says_so(tmp_path: Path) -> None:
    results(tmp_path)
    path = tmp_path / NAME / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["cells"][0]["state"] = "waiting"
    path.write_text(json.dumps(manifest))
    make_overview(tmp_path)
    assert "5 of 6</td>" in (tmp_path / "index.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["report"], "give the folder that tsqlab run wrote, or --all"),
        (["report", "x", "--summary", "text"], "--summary and --readme belong to --all"),
        (["report", "--all", "/nowhere"], "/nowhere: no such folder"),
    ],
)
def test_bad_requests(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err
