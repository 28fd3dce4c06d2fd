# SPDX-License-Identifier: GPL-2.0-or-later
"""Whose airtime it is, of samples that are made up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from synthetic import radio, record
from tsqlab.metrics import summarise
from tsqlab.metrics.summarise import NODE_METRIC
from tsqlab.report.table import heading
from tsqlab.results.flent import read_measured, to_flent, write_flent
from tsqlab.results.measurement import AIRTIME_TO, RadioTables
from tsqlab.results.summary import is_metric, read_summary, summary_row, write_summary

# A PPDU a millisecond, so that so many us of each are so many thousandths of the time.
PPDU_US = 1000


def using(role: str, **us: int) -> RadioTables:
    """A radio that uses so much airtime for each receiver."""
    own = radio("all", 4)
    columns = {f"{AIRTIME_TO}{name}": own.counters["ppdus"] * each * PPDU_US
               for name, each in us.items()}  # fmt: skip
    return replace(own, counters={**own.counters, **columns}, role=role)


RADIOS = {
    "AP1": using("ap", C1=300, C2=100),
    "C1": using("station", AP1=50),
    "C2": using("station", AP1=150),
}


def test_a_station_has_what_it_uses_and_what_its_access_point_uses_for_it() -> None:
    metrics = summarise(to_flent(record(radios=RADIOS)))
    assert {name: metrics[name] for name in metrics if "_airtime_" in name} == {
        "down_airtime_C1": pytest.approx(0.3),
        "down_airtime_C2": pytest.approx(0.1),
        "up_airtime_C1": pytest.approx(0.05),
        "up_airtime_C2": pytest.approx(0.15),
    }
    assert metrics["fairness_airtime"] == pytest.approx(0.6**2 / (2 * (0.35**2 + 0.25**2)))
    assert metrics["airtime_AP1"] == pytest.approx(0.5), "on the air itself"


def test_a_name_may_be_that_of_any_key() -> None:
    metrics = summarise(to_flent(record(radios={"AP": using("ap", t=200, stations=100)})))
    assert metrics["down_airtime_t"] == pytest.approx(0.2)
    assert metrics["down_airtime_stations"] == pytest.approx(0.1)


def test_radios_that_do_not_tell_receivers_apart_have_none() -> None:
    metrics = summarise(to_flent(record(radios={"AP": radio("C", 3), "C": radio("AP", 17)})))
    assert metrics["fairness_airtime"] is None
    assert not [name for name in metrics if "_airtime_" in name]


def test_a_file_and_a_summary_keep_it(tmp_path: Path) -> None:
    document = to_flent(record(radios={**RADIOS, "R.far": using("station", AP1=20)}))
    write_flent(tmp_path / "a.flent.gz", document)
    _, _, metrics = read_measured(tmp_path / "a.flent.gz")
    assert metrics["up_airtime_R.far"] == pytest.approx(0.02)
    write_summary(tmp_path / "summary.csv", ["seed"], [summary_row({"seed": 1}, document, 1.0)])
    _, (row,) = read_summary(tmp_path / "summary.csv")
    assert row.metrics["down_airtime_C1"] == pytest.approx(0.3)
    assert row.metrics["fairness_airtime"] == pytest.approx(metrics["fairness_airtime"], rel=1e-5)
    header = (tmp_path / "summary.csv").read_text().splitlines()[0].split(",")
    assert header[header.index("wall_s") + 1 :] == [
        "fairness_airtime", "airtime_C1", "airtime_C2", "airtime_AP1", "airtime_R.far",
        "up_airtime_C1", "up_airtime_C2", "up_airtime_R.far", "down_airtime_C1", "down_airtime_C2",
    ]  # fmt: skip


def test_words() -> None:
    assert heading("up_airtime_C1") == ("airtime up C1", "")
    assert heading("fairness_airtime") == ("fairness of airtime", "")
    match = NODE_METRIC.fullmatch("airtime_up_airtime")
    assert match
    assert match[2] == "up_airtime", "a node may be called so"
    assert not is_metric("airtime_1")
