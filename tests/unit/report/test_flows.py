# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of single flows, in the terminal and on the page."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from folders import written
from own_flows import PINGS, document
from tsqlab.experiment.stored import read_folder
from tsqlab.report import flows_table, make_report
from tsqlab.results.flent import Document


def folder(path: Path, content: Document) -> Path:
    """A folder of two seeds that measured *content*."""
    matrix: list[dict[str, Any]] = [{"qdisc": "fq", "seed": seed} for seed in (1, 2)]
    written(path, matrix)
    for file in path.glob("*.flent.gz"):
        file.write_bytes(gzip.compress(json.dumps(content).encode()))
    return path


def test_a_row_for_each_flow_of_each_setting(tmp_path: Path) -> None:
    table = flows_table(read_folder(folder(tmp_path, document())).results)
    assert [" ".join(line.split()) for line in table.splitlines()] == [
        "qdisc flow from, to goodput completion time TCP RTT median ping median retransmits",
        "Mbit/s s ms ms",
        "fq 1 bulk TCP C → S 10.0 ± 0 20.0 ± 0 9.00 ± 0",
        "fq 2 TCP S → C 8.00 ± 0 1.00 ± 0 19.0 ± 0 1.00 ± 0",
        "fq 3 ping R → S 20.0 ± 0",
        "fq 4 TCP C → S 20.0 ± 0 20.0 ± 0 2.00 ± 0",
    ]


def test_the_page_has_it(tmp_path: Path) -> None:
    page = make_report(folder(tmp_path, document())).read_text("utf-8")
    assert '<h2 id="flows">Each flow</h2>' in page
    assert '<th scope="row">1 bulk</th><td class="text">TCP C → S</td>' in page


def test_plots_name_pings_as_the_file_does(tmp_path: Path) -> None:
    content = document()
    raw, meta = content["raw_values"], content["metadata"]["SERIES_META"]
    raw["Ping (ms)::5 near"], meta["Ping (ms)::5 near"] = raw[PINGS], meta[PINGS] | {}
    make_report(folder(tmp_path, content))
    drawn = (tmp_path / "plots" / "goodput-ping-1.svg").read_text("utf-8")
    assert ">5 near<" in drawn
    assert "Ping (ms)::" not in drawn


def test_the_streams_of_a_test_have_none(tmp_path: Path) -> None:
    path = written(tmp_path)
    assert not flows_table(read_folder(path).results)
    assert 'id="flows"' not in make_report(path).read_text("utf-8")


def test_a_mean_of_some_seeds_says_of_how_many(tmp_path: Path) -> None:
    """A flow that did not complete is in no mean; those that did were faster."""
    path, slow = folder(tmp_path, document()), document()
    for series in slow["metadata"]["SERIES_META"].values():
        for of in series.values():
            if isinstance(of, dict):
                of.pop("fct_s", None)
    next(path.glob("*.flent.gz")).write_bytes(gzip.compress(json.dumps(slow).encode()))
    table = flows_table(read_folder(path).results)
    assert " 1.00 (1 of 2) " in table.splitlines()[3]
    assert table.count(" of 2)") == 1
