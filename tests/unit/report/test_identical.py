# SPDX-License-Identifier: GPL-2.0-or-later
"""Levels that made no difference are named, and only those."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from folders import written
from tsqlab.experiment.stored import read_folder
from tsqlab.report import identical_lines, make_report
from tsqlab.report.identical import identical
from tsqlab.results.flent import read_flent, write_flent
from tsqlab.results.record import Level

Factors = Mapping[str, Level]

KERNELS: list[Factors] = [
    {"kernel": kernel, "layout": layout, "seed": seed}
    for kernel in ("6.12", "mine")
    for layout in ("wired", "wifi")
    for seed in (1, 2)
]


def made(
    folder: Path, matrix: Sequence[Factors], value: Callable[[Factors], object], key: str = "val"
) -> list[str]:
    """What is said of cells that measured *value* of their factors in one sample."""
    written(folder, matrix, plots=[])
    for factors in matrix:
        name = ",".join(f"{name}={level}" for name, level in factors.items())
        path = folder / f"{name}.flent.gz"
        document = read_flent(path)
        document["metadata"]["TSQLAB"]["factors"] = dict(factors)  # as results have them
        if key == "SUBFRAMES_OF":
            document["metadata"]["SERIES_META"]["TCP upload::1"][key] = value(factors)
        else:
            document["raw_values"]["TCP upload::1"][7][key] = value(factors)
        write_flent(path, document)
    return [one.text for one in identical(read_folder(folder))]


def of(*names: str) -> Callable[[Factors], float]:
    """A number that depends on those factors, and on no others."""
    return lambda factors: sum(
        (at + 1) * 100 ** (1 + number)
        for number, name in enumerate(names)
        for at, level in enumerate(("6.12", "mine", "wired", "wifi", 1, 2, 3))
        if factors.get(name) == level
    )


def test_levels_that_made_no_difference_at_all(tmp_path: Path) -> None:
    said = made(tmp_path, KERNELS, of("layout", "seed"))
    assert said == ['kernel: "6.12" and "mine" gave the same bytes in all 4 pairs of cells']


def test_where_everything_differs_nothing_is_said(tmp_path: Path) -> None:
    assert made(tmp_path, KERNELS, of("kernel", "layout", "seed")) == []


def test_some_pairs_are_told_by_what_they_have_in_common(tmp_path: Path) -> None:
    def value(factors: Factors) -> float:
        names = ("layout", "seed") if factors["layout"] == "wifi" else ("kernel", "layout", "seed")
        return of(*names)(factors)

    assert made(tmp_path, KERNELS, value) == [
        'kernel: "6.12" and "mine" gave the same bytes in 2 of 4 pairs of cells: layout=wifi'
    ]


def test_some_pairs_that_have_nothing_in_common_are_listed(tmp_path: Path) -> None:
    def value(factors: Factors) -> float:
        same = (factors["layout"], factors["seed"]) in (("wifi", 1), ("wired", 2))
        return of("layout", "seed")(factors) + (0 if same else 1e9 * (factors["kernel"] == "mine"))

    assert made(tmp_path, KERNELS, value) == [
        'kernel: "6.12" and "mine" gave the same bytes in 2 of 4 pairs of cells: '
        "layout=wired, seed=2; layout=wifi, seed=1"
    ]


def test_a_seed_is_a_factor_like_any(tmp_path: Path) -> None:
    matrix: list[Factors] = [{"seed": seed} for seed in (1, 2, 3)]
    assert made(tmp_path, matrix, of()) == [
        "seed: 1, 2 and 3 gave the same bytes in their group of cells"
    ]


def test_levels_stand_together_as_far_as_they_are_alike(tmp_path: Path) -> None:
    matrix: list[Factors] = [
        {"tsq": tsq, "seed": seed} for tsq in ("TSQ", "16TSQ", "32TSQ", "NoTSQ") for seed in (1, 2)
    ]
    said = made(tmp_path, matrix, lambda cell: cell["seed"] + 10 * (cell["tsq"] == "TSQ"))
    assert said == [
        'tsq: "16TSQ", "32TSQ" and "NoTSQ" gave the same bytes in all 2 groups of cells'
    ]


def test_cells_that_only_agree_in_the_table_are_not_the_same(tmp_path: Path) -> None:
    """The sample that differs here is in no metric."""
    assert made(tmp_path, KERNELS, of("kernel", "layout", "seed"), "tcp_rttvar") == []


def test_what_is_measured_in_the_metadata_counts(tmp_path: Path) -> None:
    assert made(tmp_path, KERNELS, of("kernel", "layout", "seed"), "SUBFRAMES_OF") == []


def test_nothing_is_read_twice_where_metrics_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = read_folder(written(tmp_path, KERNELS))
    cells = [
        type(result)(**{**vars(result), "metrics": {"goodput_mbps": float(at)}})
        for at, result in enumerate(folder.results)
    ]
    monkeypatch.setattr("tsqlab.report.identical.read_flent", lambda _: 1 / 0)
    assert identical(type(folder)(folder.path, folder.manifest, tuple(cells))) == ()


def test_cells_that_are_not_done_say_nothing(tmp_path: Path) -> None:
    assert made(tmp_path, KERNELS[:1], of()) == []


def test_the_page_and_the_terminal_say_it(tmp_path: Path) -> None:
    made(tmp_path, KERNELS, of("layout", "seed"))
    said = '"6.12" and "mine" gave the same bytes in all 4 pairs of cells'
    assert identical_lines(read_folder(tmp_path)) == [f"no difference: kernel: {said}"]
    page = make_report(tmp_path).read_text("utf-8")
    assert said.replace('"', "&#34;") in page


def test_a_terminal_has_room_for_a_few(tmp_path: Path) -> None:
    matrix: list[Factors] = [
        {"tsq": f"{ms}TSQ", "seed": seed} for ms in range(1, 7) for seed in (1, 2)
    ]
    made(tmp_path, matrix, lambda cell: 0 if cell["seed"] == 1 else int(str(cell["tsq"])[0]))
    lines = identical_lines(read_folder(tmp_path))
    assert len(lines) == 9
    assert lines[-1] == "no difference: 7 more, in the report"
    assert lines[0] == (
        'no difference: tsq: "1TSQ" and "2TSQ" gave the same bytes in 1 of 2 pairs of cells: seed=1'
    )
