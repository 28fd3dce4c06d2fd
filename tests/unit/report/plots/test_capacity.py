# SPDX-License-Identifier: GPL-2.0-or-later
"""The plot of links that vary: what they carry, beside what flows get and how long it takes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from folders import written
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.stored import Result, read_folder
from tsqlab.report.plots.kinds import draw


@pytest.fixture
def template(tmp_path: Path) -> Result:
    return read_folder(written(tmp_path, [{"seed": 1}])).results[0]


def varying(template: Result, layout: str, **table: Any) -> Result:
    flows = {"length": "10 s", "delay": "5 s"}
    spec = {"title": "x", "testbed": {"layout": layout}, "flows": flows, "vary": [table]}
    return replace(template, spec=Spec.model_validate(spec))


def test_the_capacity_of_a_wire_stands_beside_goodput_and_latency(template: Result) -> None:
    rates = [["0 s", "30 Mbit/s"], ["5 s", "10 Mbit/s"]]
    cell = varying(template, "wired", link="R>S", rate=rates)
    (plot,) = draw("capacity", [cell], "tcp_rtt_ms").plots
    for words in ("capacity R&gt;S", "upload", "goodput", "TCP RTT (ms)"):
        assert words in plot.svg
    assert "SNR" not in plot.svg


def test_the_snr_of_a_radio_link_has_a_row_of_its_own(template: Result) -> None:
    cell = varying(template, "wifi", link="C-AP", snr=[["0 s", "40 dB"], ["5 s", "12 dB"]])
    (plot,) = draw("capacity", [cell], "ping_ms").plots
    for words in ("SNR C-AP", "SNR (dB)", "ping (ms)"):
        assert words in plot.svg
    assert ">capacity" not in plot.svg


def test_cells_whose_links_stay_as_they_are_have_none(template: Result) -> None:
    delays = [["0 s", "3 ms"]]
    cells = [template, varying(template, "wired", link="R>S", delay=delays)]
    assert draw("capacity", cells, "ping_ms").plots == ()
