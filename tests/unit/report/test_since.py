# SPDX-License-Identifier: GPL-2.0-or-later
"""What has changed since an experiment's era: the verdicts of today beside its own, and totals."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from folders import Page, results
from tsqlab.cli import main
from tsqlab.experiment.stored import Folder, read_folder
from tsqlab.experiment.tsq import ms_of_name
from tsqlab.report import claims_table, summary_table, what_ran, write_report
from tsqlab.report.claims import ClaimRow, claim_rows, totals, totals_today
from tsqlab.report.identical import identical
from tsqlab.report.pages.overview import Overview, make_overview, read_overview, render
from tsqlab.report.readme import update_readme
from tsqlab.report.since import Today, changed, changed_lines, holds_today, judged
from tsqlab.report.totals import totals_rows, totals_text
from tsqlab.report.unsettled import unsettled
from tsqlab.report.verdicts import Outcome

NAME = "cotsq-4"
SOME = 'tsq=["TSQ", "6TSQ", "NoTSQ"]'
FULL = "cotsq-4b-full"  # the claim about two of these levels
ONCE, NOW = ["cotsq-4b-full"], ["cotsq-4a-no-further", "cotsq-4b-knee"]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run in both eras, of which all cells measured the same."""
    return results(tmp_path_factory.mktemp("results"), NAME, today=True) / NAME


@pytest.fixture(scope="module")
def read(path: Path) -> Folder:
    return read_folder(path)


@pytest.fixture(scope="module")
def moved(read: Folder) -> Folder:
    """The same, but that of today 6 ms are enough for 60 Mbit/s, and no limit has 90."""
    assert read.today is not None
    found = []
    for one in read.today.results:
        ms = ms_of_name(str(one.factors["tsq"]))
        metrics = {**one.metrics, "goodput_mbps": 90.0 if ms is None else 10.0 * min(ms, 6)}
        found.append(replace(one, metrics=metrics))
    return replace(read, today=replace(read.today, results=tuple(found)))


def row(outcome: Outcome, today: Outcome | None, **changes: Any) -> ClaimRow:
    texts: dict[str, Any] = dict.fromkeys((one.name for one in fields(ClaimRow)), "")
    beside = Today("2 ms", today, "", "", "4.13") if today else None
    return ClaimRow(**texts | {"outcome": outcome, "fitted": False, "today": beside} | changes)


ROWS = [
    row("holds", "holds", id="a"),
    row("holds", "differs", id="b"),
    row("differs", "holds", id="c"),
    row("differs", "differs", id="d"),
    row("not run", "holds", id="e"),
    row("holds", "differs", id="f", apart="the same as b"),
]


def test_what_has_changed_is_of_what_is_counted_and_judged() -> None:
    assert [one.id for one in changed(ROWS)] == ["b", "c"]
    assert changed_lines(ROWS, "4.13") == ["hold in 4.13 only: b", "hold today only: c"]
    assert changed_lines(ROWS[:1], "4.13") == ["no verdict has changed since 4.13"]
    assert changed_lines([row("not comparable", "not comparable")], "4.13") == [], "who knows"
    assert totals_today(ROWS) == "today: 3 hold, 2 differ, 0 not run"


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (ROWS, "3"),
        ([*ROWS, row("holds", None), row("holds", "not run")], "3 of 5"),
        ([row("holds", None)], "-"),
    ],
)
def test_how_many_hold_today(found: Sequence[ClaimRow], text: str) -> None:
    assert holds_today(found) == text


def test_claims_are_judged_in_both_eras(read: Folder, moved: Folder) -> None:
    alone, found = claim_rows(replace(read, today=None)), claim_rows(moved)
    assert tuple(replace(one, today=None) for one in found) == alone, (
        "its own verdicts are what they are"
    )
    assert totals(found) == totals(alone)
    today = {one.id: one.today for one in found if one.today}
    assert {one.outcome for one in today.values()} == {"holds", "differs"}, "all are comparable"
    assert today["cotsq-4b-full"] == Today("0.667 ± 0", "differs", "✗", "", "4.13")
    assert [one.id for one in changed(found) if one.outcome == "holds"] == ONCE
    assert [one.id for one in changed(found) if one.outcome == "differs"] == NOW


def test_what_is_not_the_papers_is_not_judged_in_either(tmp_path: Path) -> None:
    made = results(tmp_path, NAME, ['length="4 s"', SOME], today=True)
    (one,) = (each for each in claim_rows(read_folder(made / NAME)) if each.id == FULL)
    assert one.today is not None
    for verdict in (one, one.today):
        assert (verdict.outcome, verdict.note) == ("not comparable", "length = 4 s, not 60 s")


def test_today_is_judged_whatever_the_own_era_was_set_to(tmp_path: Path) -> None:
    made = results(tmp_path, NAME, ['era="5.4"', SOME], today=True)
    (one,) = (each for each in claim_rows(read_folder(made / NAME)) if each.id == FULL)
    assert (one.outcome, one.note) == ("not comparable", "era = 5.4, not 4.13")
    assert one.today == Today("1.00 ± 0", "holds", "✓", "", "5.4")


def test_cells_that_are_missing_are_not_run(read: Folder) -> None:
    assert read.today is not None
    content = replace(read, today=replace(read.today, results=()))
    found = claim_rows(content)
    assert {each.today.outcome for each in found if each.today} == {"not run"}
    assert "not run" not in {each.outcome for each in found}
    assert not judged(found)
    assert claims_table(content).endswith("0 not run\ntoday: 0 hold, 0 differ, 6 not run")


def test_seeds_that_were_added_are_told_of_the_own_era(read: Folder) -> None:
    def added(folder: Folder) -> Folder:
        cells = [cell.model_copy(update={"further": cell.factors["seed"] == 2})
                 for cell in folder.manifest.cells]  # fmt: skip
        return replace(folder, manifest=folder.manifest.model_copy(update={"cells": cells}))

    assert read.today is not None
    found = claim_rows(replace(added(read), today=added(read.today)))
    (one,) = (each for each in found if each.id == FULL)
    assert one.note == "1 of 2 seeds were added, as the others left it open"
    assert one.today is not None
    assert (one.today.lab, one.today.note) == (one.lab, "")


def test_cells_that_are_missing_need_no_context(tmp_path: Path) -> None:
    """A level that does not vary is known of a cell that is done, and of no other."""
    few = ["tsq=TSQ", 'kernel=["6.12", "mine"]']
    read = read_folder(results(tmp_path, "cotsq-3", few, today=True) / "cotsq-3")
    assert read.today is not None
    found = claim_rows(replace(read, today=replace(read.today, results=())))
    assert [each.context for each in found[:2]] == ["kernel=6.12", "kernel=mine"]
    assert {each.today.outcome for each in found if each.today} == {"not run"}
    assert all(each.today for each in found)


def test_the_terminal_has_both(moved: Folder) -> None:
    head, *lines = claims_table(moved).splitlines()
    assert re.split(r"  +", head) == ["claim", "paper", "accepted", "lab", "today", "verdict"]
    (one,) = (line for line in lines if line.startswith("cotsq-4b-full"))
    assert re.split(r"  +", one)[3:] == ["1.00 ± 0", "0.667 ± 0 differs", "holds"]
    assert lines[lines.index("") + 1 :] == [
        "claims: 3 hold, 3 differ, 0 not run",
        "today: 4 hold, 2 differ, 0 not run",
        "hold in 4.13 only: cotsq-4b-full",
        "hold today only: cotsq-4a-no-further; cotsq-4b-knee",
    ]
    assert "today" not in claims_table(replace(moved, today=None))


def test_tables_have_the_era_as_a_factor(read: Folder) -> None:
    factors, _, first, second, *_ = summary_table(read).splitlines()
    assert factors.split()[:2] == ["tsq", "era"]
    assert (first.split()[:2], second.split()[:2]) == (["TSQ", "4.13"], ["TSQ", "today"])
    said = {one.text.partition(" in ")[0] for one in identical(read)}
    assert 'era: "4.13" and "today" gave the same bytes' in said


def test_differences_to_an_era_are_paired(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(path), "--against", "era=4.13"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split() for line in lines if line.startswith(("TSQ ", "4TSQ "))]
    assert [(one[1], "identical" in one) for one in rows] == [
        ("4.13", False), ("today", True), ("4.13", False), ("today", True),
    ]  # fmt: skip
    with (path / "means.csv").open() as file:
        differences = {one["era"]: one["goodput_mbps_diff"] for one in csv.DictReader(file)}
    assert differences == {"4.13": "", "today": "0"}
    with (path / "summary.csv").open() as file:
        places = [(one["tsq"], one["seed"], one["era"]) for one in csv.DictReader(file)]
    assert places[:4] == [
        ("TSQ", "1", "4.13"), ("TSQ", "2", "4.13"), ("TSQ", "1", "today"), ("TSQ", "2", "today"),
    ]  # fmt: skip


def test_nothing_else_is_about_them(read: Folder) -> None:
    alone = replace(read, today=None)
    ran, own = what_ran(read), what_ran(alone)
    assert ran.changed == own.changed
    assert not ran.elsewhere
    count = len(read.results)
    assert ran.facts["Second era"] == f"era today, the same {count} cells"
    assert {name for name in ran.facts if name not in own.facts} == {"Second era"}
    assert unsettled(read, 10) == unsettled(alone, 10)


def test_the_page_tells_what_has_changed(path: Path, moved: Folder) -> None:
    text = write_report(moved).read_text("utf-8")
    page = Page(text)
    assert page.open == ["html"] or not page.open
    assert len(page.ids) == len(set(page.ids))
    since = text[text.index("What has changed since 4.13") : text.index('id="summary"')]
    assert re.findall(r"<li>([^:]+):", since) == [NOW[0], NOW[1], *ONCE]
    assert text.count('<td class="today words">') == len(claim_rows(moved))
    assert "The figures are of era 4.13 alone." in text
    files = [link for link in page.links if link.endswith(".flent.gz")]
    assert len(files) == 2 * len(moved.results)
    figures = {one: one.read_bytes() for one in (path / "plots").glob("*.svg")}
    assert figures
    alone = write_report(replace(moved, today=None)).read_text("utf-8")
    assert "today" not in alone
    assert {one: one.read_bytes() for one in (path / "plots").glob("*.svg")} == figures


def test_the_page_says_that_nothing_has_changed(tmp_path: Path) -> None:
    made = results(tmp_path, NAME, [SOME], today=True) / NAME
    assert '<p class="legend">No verdict.</p>' in write_report(read_folder(made)).read_text("utf-8")


def overview(path: Path, rows: Sequence[ClaimRow]) -> Overview:
    """All experiments, the first having claims with these verdicts, and no other any."""
    first, *others = read_overview(path).entries
    entries = [replace(first, claims=list(rows)), *(replace(one, claims=[]) for one in others)]
    return replace(read_overview(path), entries=entries)


def test_totals_have_a_column_of_today(tmp_path: Path) -> None:
    made = overview(tmp_path, ROWS)
    assert totals_rows(made) == [
        ["paper", "claims", "holds", "differs", "not run", "holds today"],
        ["cotsq", "5", "2", "2", "1", "3"],
        ["all", "5", "2", "2", "1", "3"],
    ]
    assert totals_text(made).endswith("hold in their own era only: b\nhold today only: c")
    text = render(made)
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    since = text[text.index('id="since"') : text.index('id="claims"')]
    assert re.findall(r"<li>(\w+):", since) == ["b", "c"]
    assert "4.13: , holds; today: 2 ms, differs" in since


def test_totals_without_today_are_what_they_were(tmp_path: Path) -> None:
    made = overview(tmp_path, [replace(one, today=None) for one in ROWS])
    assert totals_rows(made)[0][-1] == "not run"
    assert "today" not in totals_text(made)
    text = render(made)
    assert "today" not in text[: text.index("Not run yet")], "but for the titles of experiments"


def test_the_page_of_all_counts_both(path: Path, read: Folder) -> None:
    made = make_overview(path.parent, reports=False)
    (entry,) = (one for one in made.entries if one.name == NAME)
    assert (entry.cells, entry.done) == (2 * len(read.results), 2 * len(read.results))
    assert made.holds_today("cotsq") == f"{made.count('cotsq')['holds']} of {len(entry.claims)}"
    assert made.holds_today("lwn") == "-"
    assert "What has changed since" in (path.parent / "index.html").read_text("utf-8")


def test_the_readme_has_the_column_and_says_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    readme = tmp_path / "README.md"
    readme.write_text("<!-- results: made by `make readme` -->\n<!-- end of results -->\n")
    folder = results(results(tmp_path / "results", today=True), "hosts")
    update_readme(readme, read_overview(folder))
    text = readme.read_text("utf-8")
    assert "| not run | holds today |" in text
    assert "hosts of today" in text.replace("\n", " ").partition("What the papers claim")[2]


def test_several_folders_have_them_by_their_era(tmp_path: Path) -> None:
    both = results(tmp_path / "a", NAME, [SOME], today=True) / NAME
    fresh = results(tmp_path / "b", NAME, ["era=today", SOME]) / NAME
    out = tmp_path / "out"
    assert main(["report", str(both), str(fresh), "--out", str(out)]) == 0
    with (out / "means.csv").open() as file:
        found = {(one["run"], one["era"]) for one in csv.DictReader(file)}
    assert found == {("a/cotsq-4", "4.13"), ("a/cotsq-4", "today"), ("b/cotsq-4", "today")}
