# SPDX-License-Identifier: GPL-2.0-or-later
"""Several folders in one table and one page."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from folders import MATRIX, Page, written
from synthetic import record
from tsqlab.cli import main
from tsqlab.errors import UsageError
from tsqlab.report.combined import read_combined, run_names
from tsqlab.results.flent import to_flent, write_flent
from tsqlab.results.repetitions import label


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "stock", tmp_path / "patched"
    for path in paths:
        path.mkdir()
        written(path, plots=["goodput-latency", "candlesticks"])
    return paths


def test_a_factor_tells_the_folders_apart(
    two: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "both"
    assert main(["report", *map(str, two), "--out", str(out), "--against", "run=stock",
                 "--pdf"]) == 0  # fmt: skip
    lines = capsys.readouterr().out.splitlines()
    heads = [line.split()[:3] for line in lines if line.startswith("run ")]
    assert heads == [["run", "bottleneck", "tsq"]]
    assert sum(line.startswith("stock ") for line in lines) == 4
    assert sum("identical" in line for line in lines if line.startswith("patched ")) == 4
    page = Page((out / "report.html").read_text())
    files = [link for link in page.links if link.endswith(".flent.gz")]
    assert len(files) == 2 * len(MATRIX)
    assert "./../patched/bottleneck%3DR100M%2Ctsq%3DNoTSQ%2Cseed%3D3.flent.gz" in files
    assert (out / "plots" / "goodput-latency-1.pdf").exists()
    rows = list(csv.DictReader((out / "means.csv").open()))
    assert [row["run"] for row in rows] == ["stock"] * 4 + ["patched"] * 4
    assert not list(out.glob("*.flent.gz")), "cells stay where they are"


def test_the_default_folder_is_named_after_both(
    two: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    assert main(["report", *map(str, two)]) == 0
    assert (tmp_path / "results" / "stock+patched" / "report.html").exists()


def test_what_varies_in_one_only_is_nothing_in_the_other(
    two: tuple[Path, Path], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    written(other, [{"qdisc": "fq", "tsq": "TSQ", "seed": 1}])
    whole = read_combined([two[0], other], tmp_path / "out")
    assert whole.manifest.factors == ["run", "bottleneck", "qdisc", "tsq", "seed"]
    assert dict(whole.results[-1].factors) == {
        "run": "other", "bottleneck": "-", "qdisc": "fq", "tsq": "TSQ", "seed": 1,
    }  # fmt: skip
    names = ["run", "bottleneck", "qdisc", "tsq"]
    assert label(tuple(whole.results[-1].factors.items()), names) == "other, fq, TSQ"


def test_names_are_as_long_as_they_must_be() -> None:
    assert run_names([Path("/a/x"), Path("/b/y")]) == ["x", "y"]
    assert run_names([Path("/a/x"), Path("/b/x")]) == ["a/x", "b/x"]


def test_nothing_in_common_is_an_error(two: tuple[Path, Path], tmp_path: Path) -> None:
    other = tmp_path / "udp"
    other.mkdir()
    written(other, [{"seed": 1}])
    document = to_flent(record("udp_flood"))
    document["raw_values"] = {}
    (path,) = other.glob("*.flent.gz")
    write_flent(path, document)
    with pytest.raises(UsageError, match="nothing can be compared: .*udp has none"):
        read_combined([two[0], other], tmp_path / "out")


def test_a_folder_without_results_is_an_error(two: tuple[Path, Path], tmp_path: Path) -> None:
    manifest = json.loads((two[1] / "manifest.json").read_text())
    for cell in manifest["cells"]:
        cell["state"] = "waiting"
    (two[1] / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(UsageError, match="patched: no cell of it is done"):
        read_combined(two, tmp_path / "out")


def test_results_are_not_overwritten(two: tuple[Path, Path]) -> None:
    with pytest.raises(UsageError, match="stock: holds results of its own"):
        read_combined(two, two[0])
    with pytest.raises(UsageError, match="the same folder twice"):
        read_combined([two[0], two[0]], two[0].parent / "out")


def test_several_folders_are_not_all(
    two: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "--all", *map(str, two)]) == 2
    assert "several folders belong to the report of experiments" in capsys.readouterr().err
