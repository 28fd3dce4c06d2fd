# SPDX-License-Identifier: GPL-2.0-or-later
"""Further seeds where the verdicts of claims are open: which, how many, and what they count for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from folders import results
from synthetic import record
from tsqlab.cli import main
from tsqlab.experiment.claims import Claim
from tsqlab.experiment.further import with_further
from tsqlab.experiment.load import load
from tsqlab.experiment.stored import Folder, Result, read_folder
from tsqlab.metrics.document import trace
from tsqlab.report.ran import what_ran
from tsqlab.report.unsettled import further_seeds
from tsqlab.report.verdicts import check
from tsqlab.results.flent import to_flent
from tsqlab.results.folder import Manifest, ManifestCell, read_manifest, write_manifest

TRACE = trace(to_flent(record()))
QUANTITY = "tcp_rtt_ms_p50"
STOCK, NONE = (("tsq", "TSQ"),), (("tsq", "NoTSQ"),)


def claim(**changes: Any) -> Claim:
    keys = {"id": "one", "statement": "x", "paper": "x", "quantity": QUANTITY, "compare": "value",
            "of": {"tsq": "TSQ"}, "lower": 9, "upper": 12, "why": "x"}  # fmt: skip
    return Claim.model_validate(keys | changes)


RATIO = claim(id="two", compare="ratio", of={"tsq": "NoTSQ"}, to={"tsq": "TSQ"}, lower=1,
              upper=3)  # fmt: skip


def folder(
    values: Mapping[str, Sequence[float]], own: int = 3, undone: Sequence[str] = ()
) -> Folder:
    """Cells of a few settings; the seeds after *own* are further ones."""
    cells, results = [], []
    for tsq, numbers in values.items():
        for seed, value in enumerate(numbers, 1):
            name, factors = f"{tsq}-{seed}", {"tsq": tsq, "seed": seed}
            cells.append(ManifestCell(id=name, factors=factors, further=seed > own))
            if name not in undone:
                results.append(Result(name, factors, "", TRACE, {QUANTITY: value}))
    return Folder(Path(), Manifest(experiment="x", title="x", cells=cells), tuple(results))


def wanted(values: Mapping[str, Sequence[float]], *claims: Claim, most: int = 100) -> Any:
    return further_seeds(folder(values), claims or (claim(),), None, most)


def test_as_many_as_the_interval_needs() -> None:
    """Of 9, 10, 11: it reaches 2.484 to either side, and the bound is 1 away: 3 * 6.17 = 18.5."""
    assert wanted({"TSQ": [9, 10, 11]}) == {STOCK: 19 - 3}
    assert wanted({"TSQ": [9, 10, 11]}, most=4) == {STOCK: 4}
    assert wanted({"TSQ": [9, 10, 11]}, claim(lower=8, upper=12.4)) == {STOCK: 5 - 3}


def test_a_number_on_the_bound_takes_all_that_are_allowed() -> None:
    assert wanted({"TSQ": [8, 9, 10]}, most=7) == {STOCK: 7}


@pytest.mark.parametrize(
    ("values", "changes"),
    [
        ([10, 10.1, 9.9], {}),  # settled
        ([9], {}),  # no interval
        ([9, 10, 11], {"same_as": "other"}),
        ([9, 10, 11], {"fitted": ["ath9k_htc.report_delay"]}),
        ([9, 10, 11], {"quantity": "tcp_rtt_dip_period_s"}),  # no such number
    ],
)
def test_what_takes_none(values: Sequence[float], changes: dict[str, Any]) -> None:
    assert wanted({"TSQ": values}, claim(**changes)) == {}


def test_all_settings_of_a_claim_take_as_many() -> None:
    values = {"TSQ": [10, 10, 10], "NoTSQ": [25, 30, 35], "CoTSQ": [1, 9, 20]}
    ratio = RATIO.model_copy(update={"lower": 2.0, "upper": 3.5})
    assert wanted(values, ratio) == {STOCK: 16, NONE: 16}


def test_further_seeds_do_not_say_how_many_there_are() -> None:
    """Whatever they have measured: it is the same when a run goes on after an interruption."""
    before = wanted({"TSQ": [9, 10, 11]})
    assert wanted({"TSQ": [9, 10, 11, 10, 10, 10, 10]}) == before
    assert wanted({"TSQ": [9, 10, 11, 99]}) == before


def test_a_claim_counts_the_further_seeds_that_all_its_settings_have() -> None:
    values = {"TSQ": [9, 10, 11, 10, 10], "NoTSQ": [18, 20, 22, 20]}
    one, two = check(folder(values), [claim(), RATIO])
    assert one.lab is not None
    assert (one.lab.n, one.outcome) == (5, "holds")
    assert one.note.startswith("2 of 5 seeds were added")
    assert two.lab is not None
    assert (two.lab.n, two.outcome) == (4, "holds")
    three = check(folder(values, undone=["NoTSQ-4"]), [RATIO])[0]
    assert three.lab is not None
    assert (three.lab.n, three.note) == (3, ""), "one that is not done yet takes nothing away"


def test_the_cells_are_those_of_the_seeds_that_follow() -> None:
    experiment = load("cotsq-4")
    more = with_further(experiment, {STOCK: 2})
    assert more.cells[: len(experiment.cells)] == experiment.cells
    added = more.cells[len(experiment.cells) :]
    assert [cell.id for cell in added] == ["tsq=TSQ,seed=6", "tsq=TSQ,seed=7"]
    assert [cell.spec.lab.seed for cell in added] == [6, 7]
    assert all(cell.further for cell in added)
    written = load("cotsq-4", ["seed=[1,2,3,4,5,6]"]).cells
    (same,) = (cell for cell in written if cell.id == "tsq=TSQ,seed=6")
    assert same.spec == added[0].spec, "as if it stood in the file"


class Ran:
    """Runs that leave nothing, and what was asked of them."""

    def __init__(self) -> None:
        self.cells: list[list[str]] = []

    def __call__(self, experiment: Any, *_: Any) -> None:
        self.cells.append([cell.id for cell in experiment.cells if cell.further])


def test_a_run_goes_on_with_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ran = Ran()
    monkeypatch.setattr("tsqlab.cli.run._run_cells", ran)
    monkeypatch.setattr("tsqlab.cli.run.show", lambda _: None)
    monkeypatch.setattr("tsqlab.cli.run.read_folder", lambda _: None)
    asked: list[int] = []

    def unsettled(_: object, most: int) -> dict[Any, int]:
        asked.append(most)
        return {STOCK: 1}

    monkeypatch.setattr("tsqlab.cli.run.unsettled", unsettled)
    out = ["--out", str(tmp_path)]
    assert main(["run", "cotsq-4", *out]) == 0
    assert (ran.cells, asked) == ([[]], [])
    assert main(["run", "cotsq-4", "--more-seeds", "8", *out]) == 0
    assert ran.cells[1:] == [[], ["tsq=TSQ,seed=6"]]
    assert asked == [8]
    with pytest.raises(SystemExit):
        main(["run", "cotsq-4", "--more-seeds", "101", *out])


def test_the_manifest_tells_which_they_are(tmp_path: Path) -> None:
    write_manifest(tmp_path, folder({"TSQ": [1, 2, 3, 4]}).manifest)
    rows = json.loads((tmp_path / "manifest.json").read_text())["cells"]
    assert [row.get("further") for row in rows] == [None, None, None, True]
    assert [cell.further for cell in read_manifest(tmp_path).cells] == [False] * 3 + [True]


def test_they_are_told_and_are_no_change_of_the_experiment(tmp_path: Path) -> None:
    read = read_folder(results(tmp_path, "lwn-3", ["seed=[1, 2]"]) / "lwn-3")
    cells = [cell.model_copy(update={"further": cell.factors["seed"] == 2})
             for cell in read.manifest.cells]  # fmt: skip
    told = what_ran(replace(read, manifest=read.manifest.model_copy(update={"cells": cells})))
    assert told.facts["Seeds"] == "1; 2 where they left a verdict open"
    assert told.changed == ("seed = 1 to 5 -> 1",)
    assert what_ran(read).changed == ("seed = 1 to 5 -> 1, 2",)
