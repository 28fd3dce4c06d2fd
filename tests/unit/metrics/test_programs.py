# SPDX-License-Identifier: GPL-2.0-or-later
"""What programs printed, in a result's file, as metrics, in tables, and in plots."""

from dataclasses import replace

import pytest

from folders import written
from synthetic import START_UNIX_S, record
from tsqlab.experiment.stored import read_folder
from tsqlab.metrics.document import trace
from tsqlab.report.plots.kinds import draw
from tsqlab.report.shown import columns_of, summary_table
from tsqlab.report.table import heading
from tsqlab.results.flent import read_flent, to_flent, write_flent
from tsqlab.results.measurement import ProgramRun
from tsqlab.results.summary import is_metric, read_summary, summary_row, write_summary

S = 10**9
RUN = ProgramRun(
    "C", 6 * S, 8 * S, 0, None, stopped=False,
    figures={"ran_s": 2.0, "goodput_mbps": 9.5},
    series={"goodput_mbps": [(8 * S, 10.0), (7 * S, 8.0)], "lost": [(8 * S, 3.0)]},
)  # fmt: skip


@pytest.fixture
def document():
    made = record()
    return to_flent(replace(made, measurement=replace(made.measurement, programs={"get": RUN})))


def test_series_are_flents(document):
    name = "program_get::goodput_mbps"
    assert document["raw_values"][name] == [
        {"t": START_UNIX_S + 7, "val": 8.0}, {"t": START_UNIX_S + 8, "val": 10.0}
    ]  # fmt: skip
    assert document["results"][name][75:80:4] == pytest.approx([9.0, 9.8])
    assert document["results"][name][71] is None, "Flent does not look ahead further than 5 steps"
    assert len(document["results"][name]) == len(document["x_values"])


def test_a_trace_has_them(document):
    (printed,) = trace(document).programs
    assert (printed.name, printed.figures) == ("get", RUN.figures)
    assert list(printed.series["goodput_mbps"].t_s) == pytest.approx([7, 8])
    assert list(printed.series["lost"].value) == [3.0]


def test_a_file_repeats_and_is_read(document, tmp_path):
    write_flent(tmp_path / "a.flent.gz", document)
    assert trace(read_flent(tmp_path / "a.flent.gz")).programs


def test_a_damaged_figure_is_an_error(document):
    document["metadata"]["SERIES_META"]["program_get"]["PROGRAM"]["figures"]["x"] = "1"
    with pytest.raises(ValueError, match=r"program_get\.PROGRAM\.figures: expected numbers"):
        trace(document)


def test_figures_are_columns_of_the_summary(document, tmp_path):
    write_summary(tmp_path / "summary.csv", [], [summary_row({}, document, 1.0)])
    _, (row,) = read_summary(tmp_path / "summary.csv")
    assert row.metrics["program.get.goodput_mbps"] == 9.5
    assert list(row.metrics)[-2:] == ["program.get.ran_s", "program.get.goodput_mbps"]
    assert is_metric("program.2.took_s")
    assert not is_metric("program.get")


def test_a_table_shows_what_was_asked_for_by_its_name_and_unit(document, tmp_path):
    folder = written(tmp_path, [{"seed": 1}])
    write_flent(folder / "seed=1.flent.gz", document)
    content = read_folder(folder)
    assert "program.get.goodput_mbps" in columns_of(content)
    assert "program.get.ran_s" not in columns_of(content)
    assert "get: goodput" in summary_table(content)
    assert heading("program.get.goodput_mbps") == ("get: goodput", "Mbit/s")
    assert heading("program.2.sent_bytes") == ("2: sent", "bytes")


def test_a_plot_has_a_panel_of_each_setting_and_an_axis_of_each_quantity(document, tmp_path):
    folder = written(tmp_path, [{"seed": 1}])
    assert not draw("printed", read_folder(folder).results, "ping_ms").plots
    write_flent(folder / "seed=1.flent.gz", document)
    (plot,) = draw("printed", read_folder(folder).results, "ping_ms").plots
    assert "goodput (Mbit/s)" in plot.svg
    assert ">lost<" in plot.svg
    assert ">get<" in plot.svg
