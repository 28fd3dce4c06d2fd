# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab.open()``: the frames say what the folder says, and errors say what is wrong."""

import json
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import tsqlab
from folders import MATRIX, results, written
from tsqlab.dataframes import Results
from tsqlab.dataframes.sampled import QUANTITIES
from tsqlab.errors import TsqlabError, UsageError
from tsqlab.experiment.claims import claims_of
from tsqlab.metrics.document import Sized
from tsqlab.metrics.programs import Printed
from tsqlab.metrics.series import Samples
from tsqlab.paths import ROOT
from tsqlab.report.claims import claim_rows
from tsqlab.results.summary import METRICS, read_summary

pd = pytest.importorskip("pandas", reason="there is no pandas")

PAGE = (ROOT / "docs" / "pandas.md").read_text()


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    return tsqlab.open(results(tmp_path_factory.mktemp("results")) / "cotsq-3")


@pytest.fixture(scope="module")
def of_today(tmp_path_factory):
    return tsqlab.open(results(tmp_path_factory.mktemp("results"), today=True) / "cotsq-3")


# Cells


def test_a_cell_is_a_row_of_factors_metrics_and_settings(opened):
    cells = opened.cells()
    assert list(cells.columns[:5]) == ["device", "tsq", "seed", "done", "kernel"]
    assert cells.index.name == "cell"
    row = cells.loc["device=ath9k_htc,tsq=CoTSQ,seed=2"]
    assert (row["tsq"], row["seed"], row["done"]) == ("CoTSQ", 2, True)
    assert row["goodput_mbps"] == pytest.approx(30)
    assert row["flows.length_s"] == 60.0
    assert row["lab.memory_bytes"] == 512 << 20
    assert (row["testbed.layout"], row["sender.tsq.us"]) == ("wifi", 6000)
    assert set(METRICS) <= set(cells.columns)


def test_the_metrics_are_those_of_the_summary(tmp_path):
    folder = written(tmp_path)
    cells = tsqlab.open(folder).cells()
    _, rows = read_summary(folder / "summary.csv")
    assert len(cells) == len(rows) == len(MATRIX)
    for (_, cell), row in zip(cells.iterrows(), rows, strict=True):
        for name, value in row.metrics.items():
            said = None if pd.isna(cell[name]) else pytest.approx(cell[name], rel=1e-5)
            assert value == said, name


def test_a_cell_that_is_not_done_has_no_numbers(tmp_path):
    manifest = written(tmp_path) / "manifest.json"
    data = json.loads(manifest.read_text())
    data["cells"][3]["state"] = "waiting"
    manifest.write_text(json.dumps(data))
    opened = tsqlab.open(tmp_path)
    cells = opened.cells()
    assert cells["done"].tolist().count(False) == 1
    assert cells.iloc[3][list(METRICS)].isna().all()
    assert cells.iloc[3]["tsq"] == MATRIX[3]["tsq"]
    assert cells.index[3] not in set(opened.series("ping_ms")["cell"])
    assert repr(opened).startswith("<tsqlab.Results of made-up: 11 of 12 cells, ")


def test_cells_of_today_have_an_era(of_today):
    cells = of_today.cells()
    assert cells["era"].value_counts().to_dict() == {"4.13": 6, "today": 6}


def test_a_folder_without_a_done_cell_has_rows_all_the_same(tmp_path):
    manifest = written(tmp_path) / "manifest.json"
    data = json.loads(manifest.read_text())
    for cell in data["cells"]:
        cell["state"] = "waiting"
    manifest.write_text(json.dumps(data))
    opened = tsqlab.open(tmp_path)
    assert len(opened.cells()) == len(MATRIX)
    assert list(opened.series().columns)[-2:] == ["t_s", "value"]
    assert len(opened.series()) == 0
    with pytest.raises(UsageError, match="no cell is done"):
        opened.series("ping_ms")


# Series


def test_a_sample_is_a_row(opened):
    flow = opened.series("goodput_mbps")
    assert list(flow.columns) == ["cell", "device", "tsq", "seed", "quantity", "of", "node", "t_s",
                                  "value"]  # fmt: skip
    one = flow[(flow["cell"] == flow["cell"].iloc[0]) & (flow["of"] == "TCP upload::2")]
    assert len(one) == 100, "10 s of samples, 0.1 s apart"
    assert one["value"].to_numpy() == pytest.approx(20)
    assert one["t_s"].to_numpy()[[0, -1]] == pytest.approx([5.1, 15])
    assert set(one["node"]) == {"C"}


def test_several_quantities_stand_below_each_other_and_none_means_all(opened):
    two = opened.series("ping_ms", "tcp_rtt_ms")
    assert set(two["quantity"]) == {"ping_ms", "tcp_rtt_ms"}
    every = opened.series()
    assert set(two["quantity"]) < set(every["quantity"]) <= set(QUANTITIES)
    rtt = two[two["quantity"] == "tcp_rtt_ms"]["value"]
    assert (rtt.min(), rtt.max()) == pytest.approx((10, 30), rel=0.05)


def test_texts_are_categories(opened):
    frame = opened.series("ping_ms")
    assert {str(frame[name].dtype) for name in frame.columns[:-2]} == {"category"}
    assert frame.memory_usage(deep=True)["cell"] < 2 * len(frame)


def test_wide_has_a_column_for_each(opened):
    wide = opened.series("goodput_mbps", "tcp_rtt_ms", wide=True)
    assert wide.index.name == "t_s"
    assert wide.columns.names == ["cell", "quantity", "of"]
    cell = opened.cells().index[0]
    assert wide[cell, "goodput_mbps", "TCP upload::2"].dropna().to_numpy() == pytest.approx(20)
    long = opened.series("goodput_mbps", "tcp_rtt_ms")
    assert wide.notna().to_numpy().sum() == len(long)


def test_what_programs_print_and_wqm_sets_are_series(opened):
    """What few cells have, put into one of them."""
    result = opened.folder.results[0]
    one, two = Samples(np.array([1.0]), np.array([5.0])), Samples(np.array([2.0]), np.array([7.0]))
    more = replace(result.trace, programs=(Printed("curl", {}, {"rate_mbps": one}),),
                   sized=(Sized("C", one, two),))  # fmt: skip
    folder = replace(opened.folder, results=(replace(result, trace=more),))
    frame = Results(folder).series("program.curl.rate_mbps", "wqm_drain_ms")
    rows = frame[["quantity", "of", "node", "t_s", "value"]].to_numpy().tolist()
    assert rows == [["wqm_drain_ms", "wqm_C", "C", 2.0, 7.0],
                    ["program.curl.rate_mbps", "program_curl", "", 1.0, 5.0]]  # fmt: skip


def test_an_unknown_quantity_is_answered_with_the_nearest(opened):
    with pytest.raises(UsageError, match='no series "ping_mss"; did you mean "ping_ms"'):
        opened.series("ping_mss")


def test_series_of_both_eras_are_told_apart(of_today):
    assert set(of_today.series("ping_ms")["era"]) == {"4.13", "today"}


# Claims


def test_a_claim_is_a_row_with_the_report_s_verdict(opened):
    claims = opened.claims()
    assert list(claims.index) == [claim.id for claim in claims_of("cotsq-3")]
    rows = claim_rows(opened.folder)
    assert list(claims["verdict"]) == [row.outcome for row in rows]
    row = claims.loc["cotsq-3a-goodput"]
    assert (row["lower"], row["upper"], row["unit"], row["seeds"]) == (42, 46, "Mbit/s", 2)
    assert (row["lab"], row["lab_low"], row["lab_high"]) == pytest.approx((30, 30, 30))
    assert (row["verdict"], row["cause"], row["counted"]) == ("differs", "report-delay", True)
    assert not claims.loc["cotsq-3b-goodput"]["counted"]
    assert "today_lab" not in claims


def test_one_seed_has_no_interval(tmp_path):
    folder = results(tmp_path, overrides=["seed=1"]) / "cotsq-3"
    row = tsqlab.open(folder).claims().loc["cotsq-3a-goodput"]
    assert row["seeds"] == 1
    assert row["lab"] == pytest.approx(30)
    assert row[["lab_low", "lab_high"]].isna().all()


def test_claims_of_today_stand_beside(of_today):
    claims = of_today.claims()
    assert claims["today_lab"].tolist()[0] == pytest.approx(30)
    assert set(claims["today_verdict"]) <= {"holds", "differs", "not comparable"}


def test_an_experiment_without_claims_has_no_rows(tmp_path):
    claims = tsqlab.open(written(tmp_path)).claims()
    assert (len(claims), "verdict" in claims) == (0, True)


# Frames are the caller's own


def test_a_changed_frame_changes_no_other(opened):
    cells = opened.cells()
    cells["goodput_mbps"] = 0.0
    assert opened.cells()["goodput_mbps"].min() > 0


# Errors


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (None, None, "no manifest.json in it; give the folder that tsqlab run wrote"),
        ("manifest.json", b"{", "manifest.json: not a whole manifest"),
        ("manifest.json", b'{"cells": []}', "manifest.json: experiment: field required"),
        ("x.flent.gz", b"no gzip", "x.flent.gz: "),
    ],
)
def test_what_is_no_result_is_said_to_be_none(tmp_path, name, content, message):
    if name == "x.flent.gz":
        cell = {"id": "x", "state": "done", "file": name}
        manifest = {"experiment": "e", "title": "t", "cells": [cell]}
        (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    if name:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=re.escape(message)):
        tsqlab.open(tmp_path)


def test_a_folder_that_is_not_there_is_said_so():
    with pytest.raises(UsageError, match="/nowhere: no such folder"):
        tsqlab.open("/nowhere")


def test_without_pandas_it_says_how_to_have_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(TsqlabError, match=r"pip install 'tsqlab\[pandas\]'"):
        tsqlab.open(written(tmp_path))


def test_the_package_loads_nothing_for_it():
    code = (
        "import sys; before = set(sys.modules); import tsqlab\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={"PYTHONPATH": str(ROOT / "src")}, check=True)  # fmt: skip
    assert done.stdout.split() == ["__future__", "tsqlab"]


# The page


def test_every_quantity_and_column_is_on_the_page(opened, of_today):
    for name in (*QUANTITIES, *of_today.claims().columns, *opened.series("ping_ms").columns[4:]):
        if name not in ("lower", "context"):
            assert f"`{name}`" in PAGE, name
    for name in re.findall(r"`((?:testbed|sender|flows|lab)\.[\w.]+)`", PAGE):
        assert name in opened.cells().columns


def test_the_page_s_example_runs(tmp_path, monkeypatch):
    results(tmp_path / "results")
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(example, "pandas.md", "exec"), {})
