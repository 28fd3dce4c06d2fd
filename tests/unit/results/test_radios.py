# SPDX-License-Identifier: GPL-2.0-or-later
"""What radios count, in results, metrics and plots; and what Flent makes of it."""

import matplotlib
import numpy as np
import pytest

from flent_plots import plotted
from synthetic import DELAY_S, LENGTH_S, radio, record
from tsqlab.experiment.stored import Result
from tsqlab.metrics import summarise, trace
from tsqlab.report.plots.aggregates import aggregates
from tsqlab.report.plots.stated import Asked
from tsqlab.results.flent import to_flent, write_flent

RADIOS = {"AP": radio("C", 3), "C": radio("AP", 17)}


@pytest.fixture(autouse=True)
def _matplotlib():
    with matplotlib.rc_context():
        yield


@pytest.fixture(scope="module")
def document():
    return to_flent(record(radios=RADIOS))


def test_a_series_has_the_mean_of_each_step(document):
    series = document["results"]["wifi_stats_C::avg_aggr_size::AP"]
    busy = slice(round(DELAY_S * 10) + 1, round((DELAY_S + LENGTH_S) * 10))
    assert set(series[busy]) == {17.0}
    assert set(series[: busy.start]) == {None}
    airtime_us = document["results"]["wifi_stats_C::airtime_tx::AP"]
    assert np.mean(airtime_us[busy]) == pytest.approx(50_000)


def test_the_histogram_is_kept_without_its_empty_end(document):
    meta = document["metadata"]["SERIES_META"]["wifi_stats_AP"]
    assert meta["SUBFRAMES_OF"] == [0, 0, round(LENGTH_S * 1000)]


@pytest.mark.parametrize(("test", "mean"), [("tcp_nup", 17), ("tcp_ndown", 3), ("rrul", 17)])
def test_the_mean_is_of_the_radios_that_send_the_data(test, mean):
    assert summarise(to_flent(record(test, radios=RADIOS)))["aggregate_mean"] == mean


def test_a_wire_has_no_mean():
    assert summarise(to_flent(record()))["aggregate_mean"] is None


def test_flents_own_files_have_samples_alone():
    raw = to_flent(record(radios=RADIOS))
    for sample in raw["raw_values"]["wifi_stats_C"]:
        for key in ("ppdus", "subframes", "tx_ns", "busy_ns"):
            del sample[key]
    assert summarise(raw)["aggregate_mean"] == 17


@pytest.mark.parametrize("plot", ["aggregation", "airtime_tx"])
def test_flent_draws_it(document, plot, tmp_path):
    path = tmp_path / "cell.flent.gz"
    write_flent(path, document)
    figure = plotted(path, plot).figure
    lines = [line for axes in figure.axes for line in axes.lines if len(line.get_xdata())]
    assert len(lines) >= 2


def test_the_plot_of_aggregates(document):
    cell = Result("cell", {"seed": 1}, "", trace(document), {})
    (plot,) = aggregates([cell], Asked("ping_ms"))
    assert "frames in an aggregate" in plot.title
    assert (
        aggregates([Result("cell", {}, "", trace(to_flent(record())), {})], Asked("ping_ms")) == []
    )
