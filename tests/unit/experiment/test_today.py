# SPDX-License-Identifier: GPL-2.0-or-later
"""An experiment's cells once more over hosts of today: which they are, and how they are read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from folders import results
from tsqlab.errors import UsageError
from tsqlab.experiment.further import with_further
from tsqlab.experiment.load import load
from tsqlab.experiment.reference import reference_of
from tsqlab.experiment.stored import read_folder
from tsqlab.experiment.today import nothing_to_add, with_today
from tsqlab.results.folder import read_manifest, write_manifest

NAME = "cotsq-4"
SEEDS = ["seed=[1, 2]"]


def test_they_follow_the_own_cells_and_are_as_if_set() -> None:
    own = load(NAME)
    both = with_today(own)
    count = len(own.cells)
    assert both.cells[:count] == own.cells
    added = both.cells[count:]
    assert [cell.id for cell in added] == [f"{cell.id},era=today" for cell in own.cells]
    assert all(cell.today for cell in added)
    assert [cell.spec for cell in added] == [cell.spec for cell in load(NAME, ["era=today"]).cells]
    assert both.factors == own.factors, "the experiment's own matrix is what it was"


def test_what_the_file_gives_is_given_to_both() -> None:
    cell = with_today(load("tptsq-7")).cells[-1]
    assert (cell.spec.lab.era, cell.spec.sender.offloads) == ("today", "off")


def test_further_seeds_are_run_in_both() -> None:
    more = with_further(load(NAME), {(("tsq", "TSQ"),): 2})
    assert [cell.id for cell in with_today(more).cells if cell.further] == [
        "tsq=TSQ,seed=6", "tsq=TSQ,seed=7",
        "tsq=TSQ,seed=6,era=today", "tsq=TSQ,seed=7,era=today",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "overrides", "why"),
    [
        ("hosts", [], "its matrix has eras: 4.13, today"),
        (NAME, ['lab.era=["4.13", "5.4"]'], "its matrix has eras: 4.13, 5.4"),
        (NAME, ["era=today"], "its hosts are of today"),
    ],
)
def test_nothing_is_added_where_there_is_no_other_era(
    name: str, overrides: list[str], why: str
) -> None:
    experiment = load(name, overrides)
    assert nothing_to_add(experiment) == why
    assert with_today(experiment) is experiment
    assert nothing_to_add(load(NAME)) == ""


def test_too_many_cells_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = load(NAME)
    monkeypatch.setattr("tsqlab.experiment.today.CELLS_MAX", 2 * len(experiment.cells) - 1)
    with pytest.raises(UsageError, match=f"--today: {NAME} has {len(experiment.cells)} cells"):
        with_today(experiment)


def test_the_reference_of_today_is_the_same_experiment() -> None:
    own = reference_of(NAME)
    assert own is not None
    today = own.as_of("today")
    cell = load(NAME, ["era=today"]).cells[0]
    ran = replace(own.cells[0].conditions, spec=cell.spec)
    side = {"tsq": "TSQ"}
    assert [change.key for change in own.differences(side, ran)] == ["era"]
    assert today.differences(side, ran) == ()


def test_a_folder_has_them_apart_and_as_a_whole(tmp_path: Path) -> None:
    path = results(tmp_path, NAME, SEEDS, today=True) / NAME
    read, alone = read_folder(path), read_folder(results(tmp_path / "own", NAME, SEEDS) / NAME)
    assert read.today is not None
    assert [result.factors for result in read.results] == [one.factors for one in alone.results]
    assert [result.factors for result in read.today.results] == [
        result.factors for result in read.results
    ]
    assert {one.spec.lab.era for one in read.today.results if one.spec} == {"today"}
    places = [tuple(result.factors.values()) for result in read.whole.results]
    assert places[:4] == [
        ("TSQ", 1, "4.13"), ("TSQ", 2, "4.13"), ("TSQ", 1, "today"), ("TSQ", 2, "today"),
    ]  # fmt: skip
    assert [tuple(cell.factors.values()) for cell in read.whole.manifest.cells] == places
    assert alone.whole is alone


def test_a_manifest_says_so_only_where_they_are(tmp_path: Path) -> None:
    path = results(tmp_path, NAME, SEEDS, today=True) / NAME
    manifest = read_manifest(path)
    assert (manifest.era, sum(cell.today for cell in manifest.cells)) == (
        "4.13", len(manifest.cells) // 2,
    )  # fmt: skip
    write_manifest(path, manifest)
    assert read_manifest(path) == manifest
    own = [cell for cell in manifest.cells if not cell.today]
    write_manifest(path, manifest.model_copy(update={"cells": own, "era": ""}))
    text = (path / "manifest.json").read_text("utf-8")
    assert '"today"' not in text
    assert '"era"' not in text
