# SPDX-License-Identifier: GPL-2.0-or-later
"""Differences to a level, paired by seed, in the table, the page and means.csv."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from folders import MATRIX, written
from tsqlab.cli import main
from tsqlab.errors import UsageError
from tsqlab.experiment.stored import Result, read_folder
from tsqlab.metrics.statistics import Estimate, student_t_95
from tsqlab.report.against import check_against, differences, same_data, signed
from tsqlab.results.means import write_means
from tsqlab.results.paired import difference, is_reference, pairs
from tsqlab.results.record import Level
from tsqlab.results.repetitions import setting_of


@pytest.fixture
def template(tmp_path: Path) -> Result:
    return read_folder(written(tmp_path, [{"seed": 1}])).results[0]


def cells(template: Result, goodputs: Mapping[tuple[str, int], float]) -> list[Result]:
    """Cells by kernel and seed."""
    return [
        replace(template, id=f"{kernel},{seed}", factors={"kernel": kernel, "seed": seed},
                metrics={**template.metrics, "goodput_mbps": mbps})
        for (kernel, seed), mbps in goodputs.items()
    ]  # fmt: skip


def test_a_difference_is_that_of_the_same_seeds(template: Result) -> None:
    """Seeds differ by 10 each, and the patch by 1: paired, the interval knows only the latter."""
    found = cells(template, {("6.12", seed): 10.0 * seed for seed in (1, 2, 3)} |
                  {("mine", seed): 10.0 * seed + 1 + seed / 100 for seed in (1, 2, 3)})  # fmt: skip
    both = pairs(found, {"kernel": "6.12"})
    assert list(both) == [setting_of({"kernel": "mine"})]
    value = difference(both[setting_of({"kernel": "mine"})], "goodput_mbps")
    assert value is not None
    assert (value.mean, value.n) == (pytest.approx(1.02), 3)
    assert value.half_width == pytest.approx(student_t_95(2) * 0.01 / 3**0.5)


def test_a_seed_without_its_counterpart_is_left_out(template: Result) -> None:
    found = cells(template, {("6.12", 1): 10.0, ("mine", 1): 12.0, ("mine", 2): 99.0})
    (both,) = pairs(found, {"kernel": "6.12"}).values()
    assert difference(both, "goodput_mbps") == Estimate(2.0, None, 1)
    assert difference(both, "aggregate_mean") is None, "a wire has no aggregates"


def test_levels_are_compared_as_texts() -> None:
    assert is_reference((("streams", 4),), {"streams": "4"})
    assert not is_reference((("streams", 4),), {"streams": "1"})


def test_the_same_data_are_said_to_be_identical(template: Result) -> None:
    found = cells(template, {("6.12", 1): 30.0, ("mine", 1): 30.0})
    mine = setting_of({"kernel": "mine"})
    assert differences(found, {"kernel": "6.12"}, "goodput_mbps") == {
        setting_of({"kernel": "6.12"}): "",
        mine: "identical",
    }
    flow = found[1].trace.flows[0]
    later = replace(
        flow, cwnd_packets=replace(flow.cwnd_packets, value=flow.cwnd_packets.value + 1)
    )
    trace = replace(found[1].trace, flows=(later, *found[1].trace.flows[1:]))
    assert not same_data(found[0], replace(found[1], trace=trace))
    slower = replace(found[1], metrics={**found[1].metrics, "wall_s": 1e3})
    assert same_data(found[0], slower), "how long it took is no result"
    found[1] = replace(found[1], trace=trace)
    assert differences(found, {"kernel": "6.12"}, "goodput_mbps")[mine] == "+0.00"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Estimate(1.43, 0.2, 3), "+1.43 ± 0.20"),
        (Estimate(-1.43, 0.2, 3), "−1.43 ± 0.20"),
        (Estimate(2.0, None, 1), "+2.00"),
    ],
)
def test_a_difference_has_its_sign(value: Estimate, text: str) -> None:
    assert signed(value) == text


@pytest.mark.parametrize(
    ("against", "message"),
    [
        ({"qdisc": "fq"}, 'no factor "qdisc" varies; there are bottleneck, tsq'),
        ({"tsq": "9TSQ"}, 'tsq has no level "9TSQ"; there are TSQ, NoTSQ'),
        ({"seed": 1}, "seeds repeat a setting"),
    ],
)
def test_what_cannot_be_compared_is_said(
    tmp_path: Path, against: Mapping[str, Level], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        check_against(read_folder(written(tmp_path)).results, against)


def test_a_level_that_shares_no_seed_is_said(template: Result) -> None:
    with pytest.raises(UsageError, match="no cell has a counterpart at 6.12 with the same seed"):
        check_against(cells(template, {("6.12", 1): 1.0, ("mine", 2): 1.0}), {"kernel": "6.12"})


def table(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines of the table, after those that say what was run."""
    lines = capsys.readouterr().out.splitlines()
    return lines[next(at for at, line in enumerate(lines) if line.startswith("bottleneck")) :]


def test_the_command_shows_differences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(tmp_path, plots=["candlesticks"])
    assert main(["report", str(folder), "--against", "tsq=TSQ", "--columns", "fairness"]) == 0
    lines = table(capsys)
    assert lines[0].split() == ["bottleneck", "tsq", "fairness", "−", "TSQ"]
    assert lines[1].split() == ["L10M", "TSQ", "0.900", "±", "0"]
    assert lines[2].split() == ["L10M", "NoTSQ", "0.900", "±", "0", "identical"]
    text = (folder / "report.html").read_text()
    assert "differences to it, paired by seed" in text
    assert text.count('<td class="number">identical</td>') == 2


def test_a_manifest_may_ask_for_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, plots=["candlesticks"], against={"tsq": "NoTSQ"})
    assert main(["report", str(tmp_path)]) == 0
    head = table(capsys)[0]
    assert head.count("− NoTSQ") == 3, "beside goodput and ping; the others are not in the way"


def test_a_run_without_its_reference_has_a_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It may not be done yet, or the file may ask for what this run left out."""
    written(tmp_path, plots=["candlesticks"], against={"tsq": "CoTSQ"})
    assert main(["report", str(tmp_path)]) == 0
    assert table(capsys)[2].split()[2:6] == ["30.0", "±", "0", "-"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--against", "tsq"], "--against tsq: expected FACTOR=LEVEL"),
        (["--against", "tsq=9TSQ"], "there are TSQ, NoTSQ"),
        (["--columns", "goodput"], 'no metric "goodput"; there are goodput_mbps, '),
        (["--columns", "goodput_mbps_C7"], 'no metric "goodput_mbps_C7"'),
        (["--size", "big"], "--size: expected a width"),
        (["--style", "/nowhere.mplstyle"], "no style sheet"),
        (["--language", "tlh"], 'no language "tlh"; there are en, de, or a file of words'),
        (["--out", "x"], "--out belongs to the common report of several folders"),
    ],
)
def test_bad_requests(
    tmp_path: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path, MATRIX, plots=["candlesticks"])
    assert main(["report", str(tmp_path), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_the_means_are_those_that_are_shown(template: Result, tmp_path: Path) -> None:
    found = cells(template, {("6.12", 1): 10.0, ("6.12", 2): 12.0, ("mine", 1): 11.0})
    write_means(tmp_path / "means.csv", found, {"kernel": "6.12"})
    rows = list(csv.DictReader((tmp_path / "means.csv").open()))
    assert [row["kernel"] for row in rows] == ["6.12", "mine"]
    assert (rows[0]["goodput_mbps"], rows[0]["goodput_mbps_n"]) == ("11", "2")
    assert float(rows[0]["goodput_mbps_ci95"]) == pytest.approx(student_t_95(1), rel=1e-5)
    assert (rows[1]["goodput_mbps_diff"], rows[1]["goodput_mbps_diff_n"]) == ("1", "1")
    assert rows[1]["goodput_mbps_diff_ci95"] == "", "one pair has no interval"
    assert rows[0]["goodput_mbps_diff_n"] == "0"
    assert not {"seed", "wall_s", "sim_s", "aggregate_mean"} & set(rows[0])


def test_a_report_leaves_means_without_being_asked(tmp_path: Path) -> None:
    written(tmp_path, plots=["candlesticks"])
    assert main(["report", str(tmp_path)]) == 0
    rows = list(csv.DictReader((tmp_path / "means.csv").open()))
    assert (rows[0]["bottleneck"], rows[0]["tsq"]) == ("L10M", "TSQ")
    assert (rows[0]["goodput_mbps"], rows[0]["goodput_mbps_n"]) == ("30", "3")
    assert "goodput_mbps_diff" not in rows[0]
