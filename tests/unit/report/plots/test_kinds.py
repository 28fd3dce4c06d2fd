# SPDX-License-Identifier: GPL-2.0-or-later
"""The plots that sweep a limit, follow a window, distribute latency or hold the model."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from folders import RADIO, cell, spec_of, written
from tsqlab.experiment.spec import PLOTS
from tsqlab.experiment.stored import Result, read_folder
from tsqlab.experiment.tsq import NONE, STOCK, Tsq
from tsqlab.model.aggregation import Parameters, goodput_bit_per_s, rtt_ns
from tsqlab.paths import ROOT
from tsqlab.report.plots.kinds import KINDS, draw
from tsqlab.report.plots.model_overlay import fit_text, largest_aggregate, overlays, parameters_of
from tsqlab.report.plots.scatter import marks
from tsqlab.report.plots.sweep import curves_of
from tsqlab.results.repetitions import setting_of
from tsqlab.units import Duration, Size


@pytest.fixture
def template(tmp_path: Path) -> Result:
    return read_folder(written(tmp_path, [{"seed": 1}])).results[0]


def static(packets: int) -> Tsq:
    return Tsq(bytes=100_000_000, us=1, pkts=packets)


def test_the_plots_of_the_schema_can_be_drawn() -> None:
    assert set(PLOTS) == set(KINDS)


def test_a_sweep_counts_in_ms_and_marks_the_knee(template: Result) -> None:
    cells = [
        cell(template, tsq, seed, goodput_mbps=goodput + seed / 10)
        for tsq, goodput in (("2TSQ", 50.0), ("4TSQ", 80.0), ("8TSQ", 89.0), ("16TSQ", 90.0),
                             ("NoTSQ", 91.0), ("TSQ", 30.0))
        for seed in (1, 2, 3)
    ]  # fmt: skip
    found = curves_of(cells)
    assert found is not None
    axis, curves = found
    assert axis == "TSQ limit (ms of data)"
    (curve,) = curves.values()
    assert sorted(curve.points) == [2, 4, 8, 16]
    assert sorted(curve.references) == [NONE, STOCK]
    knee = curve.knee()
    assert knee is not None
    assert (knee.limit, knee.low, knee.high) == (8, 8, 8)
    (plot,) = draw("sweep", cells, "ping_ms").plots
    assert plot.title.endswith("; knee at 8 ms (8 to 8)")
    for words in ("goodput (Mbit/s)", "median ping (ms)", axis, STOCK, NONE):
        assert f">{words}</text>" in plot.svg


@pytest.mark.parametrize(
    ("levels", "axis", "numbers"),
    [
        ([1, 2, 4], "streams", [1, 2, 4]),
        (["50 Mbit/s", "100 Mbit/s"], "udp_rate (Mbit/s)", [50, 100]),
        (["0 %", "1 %"], "testbed.loss (%)", [0, 1]),
        (["fq", "pfifo"], None, None),
        (["1 ms", "1 s"], None, None),
    ],
)
def test_a_sweep_without_limits_takes_the_last_number(
    tmp_path: Path, levels: list[Any], axis: str | None, numbers: list[float] | None
) -> None:
    name = axis.partition(" ")[0] if axis else "other"
    matrix = [{name: level, "seed": seed} for level in levels for seed in (1, 2)]
    results = read_folder(written(tmp_path, matrix)).results
    found = curves_of(results)
    assert (found[0] if found else None) == axis
    assert len(draw("sweep", results, "ping_ms").plots) == bool(axis)
    if found:
        assert [sorted(curve.points) for curve in found[1].values()] == [numbers]


def test_a_kernels_version_is_no_number(tmp_path: Path) -> None:
    results = read_folder(written(tmp_path, [{"kernel": "6.1"}, {"kernel": "6.12"}])).results
    assert curves_of(results) is None


def test_the_window_is_drawn_for_each_flow(tmp_path: Path) -> None:
    results = read_folder(written(tmp_path, [{"seed": 1}])).results
    (plot,) = draw("cwnd", results, "ping_ms").plots
    for words in ("cwnd (packets)", "upload 1", "upload 2"):
        assert f">{words}</text>" in plot.svg
    assert draw("cwnd", read_folder(written(tmp_path, test="ping")).results, "ping_ms").plots == ()


def test_a_distribution_has_a_line_for_each_level(tmp_path: Path) -> None:
    results = read_folder(written(tmp_path)).results
    plots = draw("cdf", results, "tcp_rtt_ms").plots
    assert [plot.title for plot in plots] == ["L10M", "R100M"]
    for words in ("TSQ", "NoTSQ", "TCP RTT (ms)", "share of samples"):
        assert f">{words}</text>" in plots[0].svg


def test_seven_settings_have_seven_marks() -> None:
    settings = [setting_of({"tsq": f"{ms}TSQ"}) for ms in range(1, 20)]
    assert len(set(marks(settings, ["tsq"]))) == len(settings)


def test_the_aggregates_stand_against_the_rtt(template: Result) -> None:
    cells = [cell(template, "4TSQ", seed, aggregate_mean=8.0 + seed) for seed in (1, 2, 3)]
    (plot,) = draw("aggregate-rtt", cells, "ping_ms").plots
    for words in ("mean frames in an aggregate", "median TCP RTT (ms)"):
        assert f">{words}</text>" in plot.svg
    assert draw("aggregate-rtt", [template], "ping_ms").plots == ()


def test_the_model_is_fitted_to_what_it_made_itself(template: Result) -> None:
    truth = Parameters(rate_bit_per_s=150e6, rtt_base_ns=2_500_000, backlog=0.6,
                       access_ns=700_000, aggregate_max_ns=17.5 * 80_000)  # fmt: skip
    limits = [1, 2, 4, 8, 16, 24, 32, 64, 128]
    cells = [
        cell(template, static(t), seed, goodput_mbps=float(goodput_bit_per_s(t, truth)) / 1e6,
             tcp_rtt_ms_p50=float(rtt_ns(t, truth)) / 1e6)
        for t in limits for seed in (1, 2)
    ]  # fmt: skip
    (overlay,) = overlays(cells).values()
    assert overlay.fit.parameters.backlog == pytest.approx(0.6, rel=0.01)
    assert overlay.fit.parameters.access_ns == pytest.approx(700_000, rel=0.01)
    assert max(overlay.errors) < 0.01
    assert re.match(r"c = 0\.6 \(.*\), t_oh = 0\.7 ms \(.*\), median error 0\.0% of goodput",
                    fit_text(overlay))  # fmt: skip
    (plot,) = draw("model", cells, "ping_ms").plots
    assert "static TSQ limit t (packets)" in plot.svg


def test_what_cannot_be_told_apart_leaves_c(template: Result) -> None:
    cells = [cell(template, static(t), goodput_mbps=90.0, tcp_rtt_ms_p50=20.0) for t in (200, 400)]
    for overlay in overlays(cells).values():
        assert set(overlay.fit.intervals) == {"backlog"}


def test_a_cells_parameters_are_its_own() -> None:
    own = parameters_of(spec_of(static(1)), RADIO)
    assert own.rate_bit_per_s == 150e6
    assert own.aggregate_max_packets == 17
    assert own.pacing == 1.2
    testbed = {"rate": "HT40 MCS5", "sysctl": {"C": {"net.ipv4.tcp_pacing_ca_ratio": 160}}}
    other = parameters_of(spec_of(static(1), testbed), RADIO)
    assert (other.rate_bit_per_s, other.pacing) == (108e6, 1.6)
    assert parameters_of(spec_of(static(1), pacing="2.0/1.4"), RADIO).pacing == 1.4


@pytest.mark.parametrize(
    ("limits", "frames"),
    [
        ({}, 42),
        ({"aggregate_frames": 17}, 17),
        ({"aggregate_time": Duration.of("1 ms")}, 12),
        ({"aggregate_bytes": Size(1_048_575), "window_frames": 256}, 64),
    ],
)
def test_the_largest_aggregate_is_the_first_limit(limits: dict[str, Any], frames: int) -> None:
    radio = RADIO.model_copy(update={"aggregate_frames": None, **limits})
    assert largest_aggregate(radio, 150_000_000) == frames


def test_every_plot_is_an_image_too(tmp_path: Path) -> None:
    results = read_folder(written(tmp_path)).results
    (plot,) = draw("candlesticks", results, "ping_ms").plots
    assert plot.png[:8] == b"\x89PNG\r\n\x1a\n"
    assert b"Software" not in plot.png
    width_px = int(np.frombuffer(plot.png[16:20], ">u4")[0])
    assert width_px == pytest.approx(plot.width_px * 1.5, abs=1)


def test_a_home_that_cannot_be_written_is_no_news(tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"),
                   "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT / "src")}  # fmt: skip
    program = "import tsqlab.report.plots, matplotlib; print(matplotlib.get_configdir())"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0
    assert str(tmp_path) in done.stdout, "it took a temporary folder"
    assert done.stderr == ""
