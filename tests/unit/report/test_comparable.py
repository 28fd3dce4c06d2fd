# SPDX-License-Identifier: GPL-2.0-or-later
"""A claim is judged where the run is the paper's, and nowhere else."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from folders import results
from tsqlab.cli import main
from tsqlab.experiment.stored import read_folder
from tsqlab.paths import EXPERIMENTS
from tsqlab.report.claims import ClaimRow, claim_rows, claims_table, totals
from tsqlab.report.pages.overview import make_overview, read_overview
from tsqlab.report.totals import totals_rows
from tsqlab.results.flent import read_flent, write_flent

NAME = "cotsq-4"


def rows(folder: Path, *overrides: str, name: str = NAME) -> list[ClaimRow]:
    """The verdicts on a run of cotsq-4 with what was given to --set."""
    return claim_rows(read_folder(results(folder, name, overrides) / Path(name).stem))


def outcomes(found: list[ClaimRow]) -> set[str]:
    return {row.outcome for row in found}


def test_the_papers_run_is_judged_and_explained(tmp_path: Path) -> None:
    found = rows(tmp_path)
    assert outcomes(found) == {"holds", "differs"}
    explained = [row.id for row in found if row.explanation and row.evidence]
    assert explained == ["cotsq-4b-ping"]
    assert totals(found) == "claims: 3 hold, 3 differ, 0 not run"


@pytest.mark.parametrize(
    ("override", "why"),
    [
        ('rate="HT20 MCS7 SGI"', "rate = HT20 MCS7 SGI, not HT40 MCS7 SGI"),
        ('length="4 s"', "length = 4 s, not 60 s"),
        ('delay="1 s"', "delay = 1 s, not 5 s"),
        ('snr="25 dB"', "snr = 25 dB, not none"),
        ('offloads="gso"', "offloads = gso, not off"),
        ("hz=250", "hz = 250, not 1000"),
        ('device="ath9k"', "device = ath9k, not ath9k_htc"),
    ],
)
def test_another_testbed_is_not_comparable(override: str, why: str, tmp_path: Path) -> None:
    found = rows(tmp_path, override)
    assert outcomes(found) == {"not comparable"}
    assert {row.note for row in found} == {why}
    assert not any(row.explanation or row.evidence for row in found), "it is of another run"
    assert all(row.lab for row in found), "the number is there"
    assert totals(found) == "claims: 0 hold, 0 differ, 6 not comparable, 0 not run"


def test_all_that_is_other_is_named(tmp_path: Path) -> None:
    found = rows(tmp_path, 'rate="HT20 MCS7 SGI"', 'length="4 s"')
    why = "rate = HT20 MCS7 SGI, not HT40 MCS7 SGI; length = 4 s, not 60 s"
    assert {row.note for row in found} == {why}


@pytest.mark.parametrize(
    ("name", "override", "judged", "missing"),
    [
        ("lwn-4", "device=ath9k_htc", True, "no cell has device=ath9k_3x3, "),
        ("cotsq-3", "tsq=TSQ", True, "no cell has device=ath9k_htc, tsq=NoTSQ"),
        ("cotsq-3", "tsq=3TSQ", False, "no cell has device=ath9k_htc, tsq=TSQ"),
    ],
)
def test_a_key_that_is_set_is_a_level_all_the_same(
    name: str, override: str, judged: bool, missing: str, tmp_path: Path
) -> None:
    found = rows(tmp_path, override, name=name)
    assert bool({"holds", "differs"} & outcomes(found)) == judged
    assert any(row.note.startswith(missing) for row in found if row.outcome == "not run")


@pytest.mark.parametrize("override", ["seed=[1]", 'memory="256 MiB"', 'rate="HT40 MCS7 SGI"'])
def test_what_decides_nothing_is_comparable(override: str, tmp_path: Path) -> None:
    assert outcomes(rows(tmp_path, override)) == {"holds", "differs"}


def test_what_is_drawn_is_comparable(tmp_path: Path) -> None:
    text = (EXPERIMENTS / "cotsq" / f"{NAME}.toml").read_text("utf-8")
    text, changed = re.subn(r"plots = \[.*\]", 'plots = ["cdf"]', text)
    assert changed == 1
    (tmp_path / f"{NAME}.toml").write_text(text, "utf-8")
    found = rows(tmp_path / "results", name=str(tmp_path / f"{NAME}.toml"))
    assert outcomes(found) == {"holds", "differs"}


def test_a_subset_of_the_levels_is_run_as_far_as_it_goes(tmp_path: Path) -> None:
    found = {row.id: row for row in rows(tmp_path, 'tsq=["TSQ", "6TSQ", "NoTSQ"]')}
    assert found["cotsq-4b-full"].outcome == "holds"
    assert found["cotsq-4b-ping"].outcome == "differs"
    assert found["cotsq-4b-knee"].outcome == "not run"
    assert found["cotsq-4b-knee"].note == "no cell has tsq=3TSQ"


def test_what_is_not_run_stays_not_run_whatever_was_changed(tmp_path: Path) -> None:
    found = rows(tmp_path, 'tsq=["TSQ"]', 'length="4 s"')
    assert outcomes(found) == {"not run"}


def test_each_context_has_its_verdict(tmp_path: Path) -> None:
    found = rows(tmp_path, 'rate=["HT40 MCS7 SGI", "HT20 MCS7 SGI"]')
    by_context = {row.context: row for row in found if row.id == "cotsq-4b-full"}
    assert by_context["rate=HT40 MCS7 SGI"].outcome == "holds"
    assert by_context["rate=HT20 MCS7 SGI"].outcome == "not comparable"


def test_a_kernel_is_judged_and_not_explained(tmp_path: Path) -> None:
    found = rows(tmp_path, 'kernel="mine"')
    assert outcomes(found) == {"holds", "differs"}
    assert {row.note for row in found} == {"kernel = mine, not 6.12"}
    assert not any(row.explanation or row.evidence for row in found)


def test_of_two_kernels_the_experiments_own_is_explained(tmp_path: Path) -> None:
    found = rows(tmp_path, 'kernel=["6.12", "mine"]')
    pings = {row.context: row for row in found if row.id == "cotsq-4b-ping"}
    assert pings["kernel=6.12"].explanation
    assert not pings["kernel=mine"].explanation
    assert pings["kernel=mine"].note == "kernel = mine, not 6.12"


def test_a_cell_that_says_not_how_it_was_run_is_not_comparable(tmp_path: Path) -> None:
    folder = results(tmp_path, NAME) / NAME
    for path in folder.glob("tsq=6TSQ,*.flent.gz"):
        document = read_flent(path)
        del document["metadata"]["TSQLAB"]["spec"]
        write_flent(path, document)
    found = {row.id: row for row in claim_rows(read_folder(folder))}
    assert found["cotsq-4b-full"].outcome == "not comparable"
    assert found["cotsq-4b-full"].note == "how its cells were run is not in their files"
    assert found["cotsq-4a-goodput-grows"].outcome == "holds", "it is about others"


def test_a_copy_of_the_file_that_changes_nothing_is_the_papers_run(tmp_path: Path) -> None:
    file = tmp_path / f"{NAME}.toml"
    text = (EXPERIMENTS / "cotsq" / f"{NAME}.toml").read_text("utf-8")
    file.write_text(text.replace("[flows]", '[flows]\nstep = "100 ms"'), "utf-8")
    assert outcomes(rows(tmp_path / "results", name=str(file))) == {"holds", "differs"}


def test_the_terminal_says_where_the_reason_is(tmp_path: Path) -> None:
    folder = read_folder(results(tmp_path, NAME) / NAME)
    *_, total, where = claims_table(folder, folder.path / "report.html").splitlines()
    assert total.startswith("claims: ")
    assert where == f"why it differs, and what shows it: {folder.path / 'report.html'}"
    other = read_folder(results(tmp_path / "other", NAME, ["kernel=mine"]) / NAME)
    assert "what shows it" not in claims_table(other, other.path / "report.html")


def test_totals_have_a_column_only_where_it_is_needed(tmp_path: Path) -> None:
    assert "not comparable" not in totals_rows(read_overview(results(tmp_path / "full", NAME)))[0]
    overview = make_overview(results(tmp_path / "other", NAME, ['length="4 s"']))
    head, *_, total = totals_rows(overview)
    assert head == ["paper", "claims", "holds", "differs", "not comparable", "not run"]
    assert total[4] == "6"
    page = (tmp_path / "other" / "index.html").read_text("utf-8")
    assert '<th scope="col" class="number not-comparable">not comparable</th>' in page


def test_the_page_names_the_reason_and_explains_nothing(tmp_path: Path) -> None:
    folder = results(tmp_path, NAME, ['rate="HT20 MCS7 SGI"']) / NAME
    assert main(["report", str(folder)]) == 0
    text = (folder / "report.html").read_text("utf-8")
    assert text.count("</span> not comparable</strong>") == 6
    assert "rate = HT20 MCS7 SGI, not HT40 MCS7 SGI" in text
    assert "Why it differs" not in text
    assert "is not judged" in text


def test_nothing_done_needs_no_reference(tmp_path: Path) -> None:
    folder = results(tmp_path, NAME) / NAME
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    for cell in manifest["cells"]:
        cell["state"] = "waiting"
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    assert outcomes(claim_rows(read_folder(folder))) == {"not run"}
