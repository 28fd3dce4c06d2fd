# SPDX-License-Identifier: GPL-2.0-or-later
"""The plots that sweep a limit, follow a window, distribute latency or hold the model."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Annotation

from folders import RADIO, cell, spec_of, written
from tsqlab.experiment.claims import claims_of
from tsqlab.experiment.shown import PLOTS
from tsqlab.experiment.stored import Result, read_folder
from tsqlab.experiment.tsq import NONE, STOCK, Tsq
from tsqlab.model.aggregation import Parameters, goodput_bit_per_s, rtt_ns
from tsqlab.paths import ROOT
from tsqlab.report.plots.aggregates import largest_of
from tsqlab.report.plots.candlesticks import Boxes, Candle, alike
from tsqlab.report.plots.curves import curves_of, ranks_of
from tsqlab.report.plots.figure import drawn_in, new_figure, style
from tsqlab.report.plots.kinds import KINDS, draw
from tsqlab.report.plots.labels import Labels
from tsqlab.report.plots.model_overlay import fit_text, largest_aggregate, overlays, parameters_of
from tsqlab.report.plots.scatter import marks, scatter
from tsqlab.report.plots.stated import Asked, Stated, stated_of
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
    for words in (
        "goodput (Mbit/s)", "median ping (ms)", f"{axis}, log scale", "stock", "none",
        "mean and 95 % interval of 3 seeds", "knee, within 3 % of the best: 8 ms (8 to 8)",
    ):  # fmt: skip
        assert f">{words}</text>" in plot.svg
    assert plot.svg.count(">//</text>") == 2, "an axis that breaks, above and below"


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
    for words in ("L10M", "TSQ limit: TSQ", "NoTSQ", "TCP RTT (ms)", "share of samples"):
        assert f">{words}</text>" in plots[0].svg


def test_seven_settings_have_seven_marks() -> None:
    settings = [setting_of({"tsq": f"{ms}TSQ"}) for ms in range(1, 20)]
    with style():
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


def test_every_plot_can_be_an_image_too(tmp_path: Path) -> None:
    results = read_folder(written(tmp_path)).results
    with drawn_in(["png"]):
        (plot,) = draw("candlesticks", results, "ping_ms").plots
    png = plot.files["png"]
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert b"Software" not in png
    width_px = int(np.frombuffer(png[16:20], ">u4")[0])
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


def ticks(svg: str) -> list[str]:
    """The texts of a figure that are numbers."""
    return re.findall(r">([0-9.]+)</text>", svg)


def paced(template: Result, tsq: str, factor: float, seed: int = 1, **factors: str) -> Result:
    """A cell whose goodput is so many times the template's."""
    flows = tuple(
        replace(flow, goodput_mbps=replace(flow.goodput_mbps,
                                           value=factor * flow.goodput_mbps.value))
        for flow in template.trace.flows
    )  # fmt: skip
    made = cell(template, tsq, seed, goodput_mbps=30 * factor)
    own = {**factors, "tsq": tsq, "seed": seed}
    return replace(made, factors=own, trace=replace(template.trace, flows=flows))


def test_panels_have_one_scale(template: Result) -> None:
    cells = [paced(template, tsq, factor) for tsq, factor in (("TSQ", 1.0), ("NoTSQ", 3.0))]
    low, high = (plot.svg for plot in draw("goodput-ping", cells, "ping_ms").plots)
    assert ticks(low) == ticks(high)
    assert "scale of" not in low
    (alone,) = draw("goodput-ping", cells[:1], "ping_ms").plots
    assert ticks(alone.svg) != ticks(low), "by itself it has its own"


def test_what_is_far_apart_has_its_own_scale_and_says_so(template: Result) -> None:
    cells = [paced(template, tsq, factor, layout=layout)
             for layout, factor in (("wired", 30.0), ("wifi", 1.0))
             for tsq in ("TSQ", "NoTSQ")]  # fmt: skip
    plots = draw("goodput-ping", cells, "ping_ms").plots
    assert ">wired, TSQ (seed 1); scale of wired</text>" in plots[0].svg
    assert ticks(plots[0].svg) == ticks(plots[1].svg) != ticks(plots[2].svg)
    for kind in ("goodput-latency", "sweep"):
        for plot in draw(kind, cells, "ping_ms").plots:
            assert ">wifi (a scale of its own)</text>" in plot.svg


def test_a_panel_says_what_it_shows(template: Result) -> None:
    (plot,) = draw("goodput-ping", [paced(template, "TSQ", 1.0)], "ping_ms").plots
    assert plot.titled
    for words in ("all cells (seed 1)", "upload", "ping"):
        assert f">{words}</text>" in plot.svg


def test_a_logarithmic_axis_says_so(template: Result) -> None:
    cells = [cell(template, tsq, ping_ms_p50=ms) for tsq, ms in (("TSQ", 0.1), ("NoTSQ", 99.0))]
    (plot,) = draw("goodput-latency", cells, "ping_ms").plots
    assert ">median ping (ms), reversed, log scale</text>" in plot.svg


def test_an_interval_that_comes_near_zero_makes_no_axis_logarithmic(template: Result) -> None:
    """Of 2 seeds 3.6 and 4.25 ms are 3.925 ± 4.13."""
    cells = [
        cell(template, tsq, seed, ping_ms_p50=ms)
        for tsq, both in (("TSQ", (3.6, 4.25)), ("NoTSQ", (30.0, 33.0)))
        for seed, ms in enumerate(both, 1)
    ]
    (plot,) = draw("goodput-latency", cells, "ping_ms").plots
    assert ">median ping (ms), reversed</text>" in plot.svg
    assert "log scale" not in plot.svg


def test_points_have_their_names_and_one_look(template: Result) -> None:
    levels = ["TSQ", *(f"{ms}TSQ" for ms in (2, 3, 4, 5, 6, 7, 8, 16, 32)), "NoTSQ"]
    cells = [cell(template, tsq, seed, goodput_mbps=40.0 + 5 * place + seed / 9,
                  ping_ms_p50=2.0 + place * place / 4) for place, tsq in enumerate(levels)
             for seed in (1, 2, 3)]  # fmt: skip
    (plot,) = draw("goodput-latency", cells, "ping_ms").plots
    assert [level for level in levels if f">{level}</text>" not in plot.svg] == []
    assert set(re.findall(r"var\(--series-\d", plot.svg)) == {"var(--series-1"}
    assert ">mean and 95 % interval of 3 seeds</text>" in plot.svg


def test_what_has_no_order_is_not_joined(template: Result) -> None:
    def of(name: str, level: str) -> Result:
        return replace(template, factors={name: level, "seed": 1})

    assert ranks_of([of("qdisc", "fq"), of("qdisc", "pfifo")], "qdisc") == {}
    assert ranks_of([of("kernel", "6.1"), of("kernel", "6.12")], "kernel") == {}
    assert ranks_of([of("udp_rate", "5 Mbit/s"), of("udp_rate", "50 Mbit/s")], "udp_rate") == {
        "5 Mbit/s": 5, "50 Mbit/s": 50,
    }  # fmt: skip
    assert ranks_of([of("pacing", "6.0/3.6"), of("pacing", "2.0/1.2")], "pacing") == {
        "2.0/1.2": 1.2, "6.0/3.6": 3.6,
    }  # fmt: skip
    sweep = [cell(template, tsq) for tsq in ("NoTSQ", "CoTSQ", "TSQ")]
    assert ranks_of(sweep, "tsq") == {"TSQ": 1, "CoTSQ": 6, "NoTSQ": math.inf}


@pytest.mark.parametrize("levels", [("2.0/1.2", "6.0/3.6"), ("6.0/3.6", "2.0/1.2")])
def test_a_line_ends_in_an_arrow_at_the_largest_number(
    template: Result, levels: tuple[str, str]
) -> None:
    def heads(mbps: dict[str, float]) -> list[tuple[float, float]]:
        cells = [
            replace(
                template,
                factors={"pacing": level, "seed": 1},
                metrics={**template.metrics, "goodput_mbps": mbps[level], "ping_ms_p50": 2.0},
            )
            for level in levels
        ]
        asked = Asked("ping_ms", ())
        figure = scatter(cells, "ping_ms_p50", "goodput_mbps", asked, lambda _: None)
        assert figure is not None
        texts = [text for text in figure.axes[0].texts if isinstance(text, Annotation)]
        return [text.xy for text in texts if not text.get_text()]

    assert heads({"2.0/1.2": 40.0, "6.0/3.6": 100.0}) == [(2.0, 100.0)]
    assert heads({"2.0/1.2": 40.0, "6.0/3.6": 40.0}) == [], "there is no way to point"


def test_both_ways_and_the_latency_stand_one_above_the_other(tmp_path: Path) -> None:
    matrix = [{"congestion_control": control, "tsq": tsq, "seed": seed}
              for control in ("cubic", "bbr") for tsq in ("TSQ", "32TSQ")
              for seed in (1, 2)]  # fmt: skip
    results = read_folder(written(tmp_path, matrix, test="rrul_be")).results
    (plot,) = draw("up-down", results, "ping_ms").plots
    for words in ("down (Mbit/s)", "up (Mbit/s)", "ping (ms)", "cubic", "bbr",
                  "TSQ limit: TSQ", "32TSQ"):  # fmt: skip
        assert f">{words}</text>" in plot.svg
    for name in ("goodput_down_mbps", "goodput_up_mbps"):
        (text,) = alike([results[0].metrics[name] or 0.0], decades=False)
        assert plot.svg.count(f">{text}</text>") >= 4


def test_a_cell_in_which_nothing_came_through_is_in_the_means(tmp_path: Path) -> None:
    """As in the tables, and in the bars of both ways."""
    results = read_folder(written(tmp_path, [{"seed": seed} for seed in (1, 2, 3)])).results
    cells = [replace(one, metrics={**one.metrics, "goodput_mbps": goodput})
             for one, goodput in zip(results, (30.0, 30.0, 0.0), strict=True)]  # fmt: skip
    figure = scatter(cells, "ping_ms_p50", "goodput_mbps", Asked("ping_ms"), lambda _: None)
    assert figure is not None
    drawn = [float(y) for line in figure.axes[0].lines for y in np.atleast_1d(line.get_ydata())]
    assert 20.0 in np.round(drawn, 9)

    (tmp_path / "both").mkdir()
    both = read_folder(written(tmp_path / "both", [{"seed": 1}, {"seed": 2}], test="rrul")).results
    nothing = replace(both[0], metrics={**both[0].metrics, "goodput_up_mbps": 0.0})
    (text,) = alike([(both[1].metrics["goodput_up_mbps"] or 0.0) / 2], decades=False)
    (plot,) = draw("up-down", [nothing, both[1]], "ping_ms").plots
    assert f">{text}</text>" in plot.svg


def test_flows_one_way_have_no_plot_of_both(tmp_path: Path) -> None:
    results = read_folder(written(tmp_path)).results
    assert draw("up-down", results, "ping_ms").plots == ()


def test_the_papers_numbers_are_drawn(template: Result) -> None:
    claims = claims_of("cotsq-4")
    levels = (("TSQ", 40.0), ("4TSQ", 80.0), ("8TSQ", 90.0))
    cells = [
        cell(template, tsq, seed, goodput_mbps=mbps) for tsq, mbps in levels for seed in (1, 2)
    ]
    (plot,) = draw("sweep", cells, "ping_ms", claims).plots
    assert ">the paper's knee: 6, 8 ms</text>" in plot.svg
    (without,) = draw("sweep", cells, "ping_ms").plots
    assert "the paper" not in without.svg
    both = [replace(one, factors={"device": "ath9k_htc", **one.factors}) for one in cells]
    (plot,) = draw("goodput-latency", both, "ping_ms", claims_of("cotsq-3")).plots
    assert ">the paper</text>" in plot.svg
    setting = (("device", "ath9k_htc"), ("tsq", "NoTSQ"))
    assert stated_of(claims_of("cotsq-3"), setting, "goodput_mbps") == Stated(90, 95)
    assert stated_of(claims_of("cotsq-3"), setting[1:], "goodput_mbps") is None


def test_stock_and_none_have_places_on_the_axis(template: Result) -> None:
    packets = [cell(template, tsq, goodput_mbps=50.0 + place) for place, tsq in
               enumerate(("TSQ", static(10), static(20), "NoTSQ"))]  # fmt: skip
    (plot,) = draw("sweep", packets, "ping_ms").plots
    assert plot.svg.count(">//</text>") == 4, "packets say nothing of where stock TSQ stands"
    ms = [cell(template, tsq) for tsq in ("TSQ", "4TSQ", "8TSQ")]
    (plot,) = draw("sweep", ms, "ping_ms").plots
    assert ">//</text>" not in plot.svg, "it is 1 ms"
    assert ticks(plot.svg).count("1") >= 1


def test_medians_have_as_many_decimals() -> None:
    assert alike([1.92, 13.04, 32.8], decades=False) == ["1.9", "13.0", "32.8"]
    assert alike([17.0, 16.25], decades=False) == ["17", "16"]
    assert alike([0.784, 10.97, 848.96], decades=True) == ["0.784", "11.0", "849"]
    assert alike([0.0], decades=False) == ["0.0"]


def test_the_devices_largest_aggregate_is_drawn(template: Result) -> None:
    assert largest_of(cell(template, "TSQ")) == 17
    down = replace(template.trace.flows[0], direction="down")
    made = cell(template, "TSQ")
    assert largest_of(replace(made, trace=replace(made.trace, flows=(down,)))) == 32, "the AP's"
    assert largest_of(template) is None


def test_a_group_that_lacks_a_level_is_in_its_middle() -> None:
    one = Candle(1.0, 2.0, 3.0)
    found = Boxes({("a", "x"): one, ("a", "y"): one, ("b", "y"): one}, ("g", "s"))
    assert [found.centre(*place) for place in found.candles] == pytest.approx([-0.2, 0.2, 1.0])


def test_names_cover_nothing() -> None:
    with style():
        figure = new_figure(4, 3)
        axes = figure.subplots()
        points = [(0.5, 0.5), (0.52, 0.5), (0.54, 0.5)]
        axes.set_xlim(0, 1)
        figure.draw_without_rendering()
        labels = Labels(axes, points)
        assert all(labels.write("a long name", *point) for point in points)
        boxes = labels._taken[len(points) :]
    assert not any(one.overlaps(other) for one in boxes for other in boxes if one is not other)
