# SPDX-License-Identifier: GPL-2.0-or-later
"""The report's page, its plots and the tables."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import matplotlib
import numpy as np
import pytest

from folders import MATRIX, PAGE_MAX_BYTES, Factors, Page, written
from synthetic import PING_BUSY_MS, record
from tsqlab.cli import main
from tsqlab.errors import FileError
from tsqlab.experiment.stored import read_folder
from tsqlab.metrics.series import Samples
from tsqlab.metrics.statistics import Estimate
from tsqlab.report import format_table, make_report, summary_table
from tsqlab.report.pages.experiment import fitting
from tsqlab.report.plots.figure import Plot
from tsqlab.report.plots.kinds import Section, draw
from tsqlab.report.plots.panels import PANELS_MAX, representative, thinned
from tsqlab.report.table import COLUMNS, format_estimate, heading
from tsqlab.results.flent import read_flent, to_flent, write_flent
from tsqlab.results.repetitions import by_setting, label, varying
from tsqlab.results.summary import METRICS, SummaryRow


def page(folder: Path) -> str:
    return make_report(folder).read_text()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with every kind of plot, and its page: 1.7 s of drawing, once."""
    folder = written(tmp_path_factory.mktemp("made"))
    return folder, page(folder)


def test_a_page_says_what_was_run(made: tuple[Path, str]) -> None:
    _, text = made
    for words in (
        "A made-up experiment",
        "Expected: nothing at all.\nOn two lines.",
        "tp-tsq, figure 5a",
        "Linux 6.12.48, build 0123abcd",
        "1 to 3",
    ):
        assert words in text


def test_a_page_names_the_captures_beside_their_cells(tmp_path: Path) -> None:
    written(tmp_path, plots=[])
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert "captures" not in page(tmp_path)
    manifest["cells"][0]["programs"] = {"get": ["a=1,b=#2-get.out", "a=1,b=#2-get.json"]}
    manifest["cells"][0]["pcaps"] = {"C>R": "a=1,b=#2-C_R.pcap", "air": "a=1,b=#2-air.pcap"}
    manifest["cells"][1] |= {"pcaps": {"C>R": "other.pcap"}, "state": "waiting"}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    text = page(tmp_path)
    assert "Wireshark opens the captures" in text
    assert 'href="./pcaps/a%3D1%2Cb%3D%232-C_R.pcap"' in text
    for suffix in ("out", "json"):
        assert f'href="./programs/a%3D1%2Cb%3D%232-get.{suffix}"' in text
    assert ">C&gt;R</a>" in text
    assert "other.pcap" not in text


def test_a_page_names_the_trace_events_beside_their_cells(tmp_path: Path) -> None:
    written(tmp_path, plots=[])
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert "trace events" not in page(tmp_path)
    manifest["cells"][0]["trace"] = "a=1,b=#2.trace.txt.gz"
    manifest["cells"][1] |= {"trace": "other.trace.txt.gz", "state": "waiting"}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    text = page(tmp_path)
    assert "a cell that loses one fails" in text
    assert 'href="./traces/a%3D1%2Cb%3D%232.trace.txt.gz"' in text
    assert "other.trace" not in text


def test_the_kernel_stands_beside_each_result(tmp_path: Path) -> None:
    matrix: list[Factors] = [
        {"kernel": kernel, "seed": seed} for kernel in ("6.12", "net-next") for seed in (1, 2)
    ]
    written(tmp_path, matrix, plots=["candlesticks"])
    for path in tmp_path.glob("kernel=net-next*.flent.gz"):
        document = read_flent(path)
        document["metadata"]["TSQLAB"]["kernel"]["release"] = "7.0.0-rc1"
        write_flent(path, document)
    rows = re.findall(r"<tr>\n(.*?)</tr>", page(tmp_path), re.DOTALL)
    for level, release in (("6.12", "6.12.1"), ("net-next", "7.0.0-rc1")):
        own = [row for row in rows if f'<th scope="row">{level}</th>' in row]
        assert len(own) == 1 + 2, "a setting and its two cells"
        assert all(f'<th scope="row">{release}</th>' in row for row in own)


def test_a_file_without_a_kernel_is_shown_without(tmp_path: Path) -> None:
    written(tmp_path, MATRIX[:1])
    (path,) = tmp_path.glob("*.flent.gz")
    document = read_flent(path)
    del document["metadata"]["TSQLAB"]
    write_flent(path, document)
    assert [result.release for result in read_folder(tmp_path).results] == [""]
    Page(page(tmp_path))


def test_a_page_is_whole_and_well_formed(made: tuple[Path, str]) -> None:
    _, text = made
    parsed = Page(text)
    assert parsed.open == ["html"] or not parsed.open
    assert len(parsed.ids) == len(set(parsed.ids)), "identifiers are unique"
    local = {link[1:] for link in parsed.links if link.startswith("#")} | set(parsed.references)
    assert local <= set(parsed.ids), "what is referred to is there"
    assert len(text.encode()) < PAGE_MAX_BYTES


def test_a_page_needs_no_network(made: tuple[Path, str]) -> None:
    _, text = made
    links = Page(text).links
    assert all(link.startswith(("#", "./")) for link in links)
    namespaces = r'xmlns(:xlink)?="http://www\.w3\.org/[^"]*"'
    assert "http" not in re.sub(namespaces, "", text)
    assert "<script" not in text
    assert "@import" not in text


def test_every_cell_is_listed_and_linked(made: tuple[Path, str]) -> None:
    folder, text = made
    links = Page(text).links
    files = {link.removeprefix("./") for link in links if link.endswith(".flent.gz")}
    assert len(files) == len(MATRIX)
    for link in files:
        assert (folder / link.replace("%3D", "=").replace("%2C", ",")).exists()
    assert "./summary.csv" in links


def test_the_same_folder_gives_the_same_page_in_another_process(made: tuple[Path, str]) -> None:
    folder, first = made
    code = "import sys, pathlib, tsqlab.report as r; r.make_report(pathlib.Path(sys.argv[1]))"
    subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        check=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "7", "PATH": ""},
    )
    assert (folder / "report.html").read_text() == first
    assert str(folder) not in first


def test_text_from_data_is_escaped(tmp_path: Path) -> None:
    evil = '"><script>alert(1)</script>&<b $x$'
    matrix: list[Factors] = [
        {"qdisc": qdisc, evil: level, "seed": 1} for qdisc in (evil, "pfifo") for level in (evil, 2)
    ]
    text = page(
        written(
            tmp_path,
            matrix,
            title=evil,
            paper=evil,
            comment=f"</style>{evil}",
            kernels=[{"id": evil, "release": evil}],
        )
    )
    assert "<script" not in text
    assert "alert(1)" in text, "as text it is there"
    Page(text)


def test_a_dollar_sign_is_no_mathematics(tmp_path: Path) -> None:
    matrix: list[Factors] = [{"qdisc": "$x^2$", "seed": 1}, {"qdisc": "pfifo", "seed": 1}]
    (plot,) = draw("candlesticks", read_folder(written(tmp_path, matrix)).results, "ping_ms").plots
    assert ">$x^2$</text>" in plot.svg


def test_a_file_in_a_manifest_is_a_file_in_the_folder(tmp_path: Path) -> None:
    written(tmp_path, MATRIX[:1], plots=["candlesticks"])
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    name = "javascript:alert(1) #?.flent.gz"
    (tmp_path / manifest["cells"][0]["file"]).rename(tmp_path / name)
    manifest["cells"][0]["file"] = name
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert "./javascript%3Aalert%281%29%20%23%3F.flent.gz" in Page(page(tmp_path)).links


def test_cells_that_are_not_done_are_listed_as_such(tmp_path: Path) -> None:
    written(tmp_path, plots=["candlesticks"])
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    for cell in manifest["cells"][-2:]:
        cell["state"] = "waiting"
        del cell["wall_s"]
        (tmp_path / cell["file"]).unlink()
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    text = page(tmp_path)
    assert f"{len(MATRIX) - 2} of {len(MATRIX)} done" in text
    assert text.count("<td>waiting</td>") == 2


def test_nothing_done_yet_is_a_page_too(tmp_path: Path) -> None:
    written(tmp_path, MATRIX[:1])
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    manifest["cells"][0]["state"] = "waiting"
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert "No cell is done yet." in page(tmp_path)


@pytest.mark.parametrize("test", ["tcp_nup", "tcp_bidirectional", "rrul", "udp_flood", "ping"])
@pytest.mark.parametrize("latency", ["ping_ms", "tcp_rtt_ms"])
def test_a_page_of_every_kind_of_test(test: str, latency: str, tmp_path: Path) -> None:
    text = page(written(tmp_path, MATRIX[:2], test, latency=latency))
    assert "Goodput and ping over time" in text


def test_a_large_experiment_is_a_page_one_can_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    matrix: list[Factors] = [{"one": one, "seed": seed} for one in range(5) for seed in (1, 2)]
    results = read_folder(written(tmp_path, matrix, "rrul", plots=["goodput-ping"])).results
    panels = draw("goodput-ping", results, "ping_ms").plots
    assert max(len(plot.svg) for plot in panels) * PANELS_MAX < PAGE_MAX_BYTES * 0.8
    monkeypatch.setattr("tsqlab.report.plots.panels.PANELS_MAX", 3)
    assert "2 more settings are in the files below" in page(tmp_path)


def test_many_panels_leave_room_for_each_other() -> None:
    def section(name: str, plots: int, size: int) -> Section:
        return Section(name, name, "", (Plot("", "", "x" * size, 100),) * plots, 1)

    kept = fitting([section("a", 40, 100_000), section("b", 40, 50_000), section("c", 1, 200_000)])
    assert [len(one.plots) for one in kept] == [13, 27, 1]
    assert [one.left_out for one in kept] == [1 + 27, 1 + 13, 1]
    assert [len(one.plots) for one in fitting([section("a", 3, 9_000_000)])] == [1]
    assert fitting([Section("a", "a", "", ())])[0].plots == ()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("", r"manifest\.json: not a whole manifest .*run the experiment again"),
        ("[]", r"manifest\.json: input should be a valid dictionary.*; run the experiment again"),
        ('{"experiment": "x", "title": "x"}', r"manifest\.json: cells: field required"),
        ('{"experiment": "x", "title": "x", "cells": [{}]}', r"cells\.0\.id: field required"),
        ('{"experiment": "x", "title": "x", "cells": [], "latency": "owd"}', "latency: input"),
        ('{"experiment": "x", "title": "x", "cells": [], "plots": ["pie"]}',
         'plots: no plot "pie"; there are goodput-ping'),
    ],
)  # fmt: skip
def test_damage_to_a_manifest_is_named(tmp_path: Path, damage: str, message: str) -> None:
    (tmp_path / "manifest.json").write_text(damage)
    with pytest.raises(FileError, match=message):
        make_report(tmp_path)


def test_what_is_no_experiments_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"no manifest\.json in it; give the folder"):
        make_report(tmp_path)
    with pytest.raises(FileError, match="nowhere: no such folder"):
        make_report(tmp_path / "nowhere")


def test_a_damaged_result_is_named(tmp_path: Path) -> None:
    written(tmp_path, MATRIX[:1])
    (path,) = tmp_path.glob("*.flent.gz")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(FileError, match="not a whole result file") as caught:
        make_report(tmp_path)
    assert str(path) in str(caught.value)


def test_a_result_without_its_times_is_named(tmp_path: Path) -> None:
    written(tmp_path, MATRIX[:1])
    (path,) = tmp_path.glob("*.flent.gz")
    document = to_flent(record())
    del document["metadata"]["T0"]
    write_flent(path, document)
    with pytest.raises(FileError, match="lacks what a result has"):
        make_report(tmp_path)


def test_plots_leave_matplotlib_as_it_was(tmp_path: Path) -> None:
    before = dict(matplotlib.rcParams)
    page(written(tmp_path, MATRIX[:1]))
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize(
    ("code", "module"),
    [
        ("import tsqlab.report", "matplotlib"),  # which commands that draw nothing need not load
        ("import tsqlab.report.pages.experiment", "matplotlib.pyplot"),
        ("import tsqlab.report.pages.experiment", "pyroute2"),
        ("import tsqlab.report.pages.experiment", "scipy"),
    ],
)
def test_what_need_not_be_loaded_is_not(code: str, module: str) -> None:
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    code = f"import sys\n{code}\nsys.exit({module!r} in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, env=path)


def test_candlesticks_show_the_median_of_all_seeds(tmp_path: Path) -> None:
    results = read_folder(written(tmp_path)).results
    (plot,) = draw("candlesticks", results, "ping_ms").plots
    assert plot.svg.count(f">{PING_BUSY_MS:g}</text>") >= 4, "one number for each setting"
    for words in ("L10M", "R100M", "TSQ limit: TSQ", "NoTSQ", "ping (ms)"):
        assert f">{words}</text>" in plot.svg


def test_a_page_governs_the_colours_of_its_plots(made: tuple[Path, str]) -> None:
    _, text = made
    assert "var(--ink, #202124)" in text
    drawn = set(re.findall(r"var\((--[\w-]+)", text))
    for name in drawn - {"--width"}:
        assert f"{name}: #" in text, "a property of the style sheet"


def test_the_pages_cells_need_no_scrolling(made: tuple[Path, str]) -> None:
    _, text = made
    table = text[text.index('<table class="cells">') :]
    assert table[: table.index("</thead>")].count("<th") <= 3 + 2 + 7, "the rest is summary.csv's"


@pytest.mark.parametrize(
    ("options", "suffixes"),
    [([], ["svg"]), (["--pdf"], ["svg", "pdf"]), (["--png", "--pdf"], ["svg", "pdf", "png"])],
)
def test_a_plot_is_in_the_formats_that_are_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], suffixes: list[str]
) -> None:
    folder = written(tmp_path, MATRIX[:3], plots=["candlesticks", "goodput-latency"])
    assert main(["report", str(folder), *options]) == 0
    assert files_of(folder) == {
        f"{stem}-1.{suffix}" for stem in ("candlesticks", "goodput-latency") for suffix in suffixes
    }
    said = ", ".join(f"*.{suffix}" for suffix in suffixes)
    assert f"plots:   {folder}/plots/{said}\n" in capsys.readouterr().out


def test_files_that_are_there_are_drawn_anew(tmp_path: Path) -> None:
    """Or the figure in a thesis would show other results than the page beside it."""
    folder = written(tmp_path, MATRIX[:3], plots=["candlesticks"])
    assert main(["report", str(folder), "--pdf"]) == 0
    (old,) = (folder / "plots").glob("*.pdf")
    before = old.read_bytes()
    assert main(["report", str(folder), "--size", "84 mm"]) == 0
    assert old.read_bytes() != before
    assert files_of(folder) == {"candlesticks-1.svg", "candlesticks-1.pdf"}


def test_the_page_is_the_same_in_whatever_formats(tmp_path: Path) -> None:
    folder = written(tmp_path, MATRIX[:3], plots=["candlesticks"])
    pages = []
    for options in ([], ["--png", "--pdf"]):
        assert main(["report", str(folder), *options]) == 0
        svg = (folder / "plots" / "candlesticks-1.svg").read_bytes()
        pages.append(((folder / "report.html").read_bytes(), svg))
    assert pages[0] == pages[1]


def files_of(folder: Path) -> set[str]:
    return {path.name for path in (folder / "plots").iterdir()}


def test_a_panel_shows_the_median_seed(tmp_path: Path) -> None:
    results = read_folder(written(tmp_path, MATRIX[:3])).results
    cells = [replace(result, metrics=dict(result.metrics) | {"goodput_mbps": mbps})
             for result, mbps in zip(results, (3.0, 1.0, 2.0), strict=True)]  # fmt: skip
    assert representative(cells).factors["seed"] == 3
    assert representative(cells[:2]).factors["seed"] == 2, "the lower of two"


def test_long_series_are_thinned_by_their_means() -> None:
    series = Samples(np.arange(5000.0), np.tile([1.0, 3.0], 2500))
    thin = thinned(series)
    assert len(thin.t_s) <= 600
    assert thin.value.mean() == pytest.approx(2, abs=0.1)
    assert thin.t_s[-1] > 4980
    assert thinned(thin) is thin


def test_settings_are_named_by_what_varies() -> None:
    rows = [SummaryRow(factors, {}) for factors in MATRIX]
    settings = by_setting([*rows, SummaryRow({"bottleneck": "L10M", "tsq": "TSQ", "seed": 9}, {})])
    assert [len(cells) for cells in settings.values()] == [4, 3, 3, 3]
    names = varying(list(settings))
    assert names == ["bottleneck", "tsq"]
    assert [label(one, names) for one in settings][:2] == ["L10M, TSQ", "L10M, NoTSQ"]
    (one,) = by_setting(rows[:3])
    assert label(one, varying([one])) == "all cells"


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (None, "-"),
        (Estimate(95.634, None, 1), "95.6"),
        (Estimate(95.634, 0.0, 5), "95.6 ± 0"),
        (Estimate(95.634, 0.042, 5), "95.63 ± 0.04"),
        (Estimate(1.43, 0.2, 5), "1.43 ± 0.20"),
        (Estimate(1234.5, 20.4, 5), "1234 ± 20"),
        (Estimate(0.0123, None, 1), "0.0123"),
        (Estimate(0.0, 0.0, 3), "0.00 ± 0"),
    ],
)
def test_estimates_are_written_with_the_digits_they_have(
    estimate: Estimate | None, text: str
) -> None:
    assert format_estimate(estimate) == text


def test_headings_are_for_people() -> None:
    assert heading("tcp_rtt_ms_p50") == ("TCP RTT median", "ms")
    assert heading("goodput_mbps") == ("goodput", "Mbit/s")
    assert heading("cwnd_mean") == ("cwnd mean", "")
    assert heading("wall_s") == ("wall clock", "s")
    assert all(heading(name)[0] for name in METRICS)


def test_a_table_has_a_line_per_setting(tmp_path: Path) -> None:
    table = summary_table(read_folder(written(tmp_path))).splitlines()
    assert table[0].split()[:3] == ["bottleneck", "tsq", "goodput"]
    assert len(table) == 2 + 4
    assert table[2].split()[:5] == ["L10M", "TSQ", "30.0", "±", "0"]
    assert len({line.index("30.0") for line in table[2:]}) == 1, "aligned"


def test_a_table_leaves_out_what_no_cell_has() -> None:
    rows = [SummaryRow({"seed": 1}, {"goodput_mbps": 10.0, "aggregate_mean": None})]
    table = format_table(rows, ["goodput_mbps", "aggregate_mean"])
    assert table.split() == ["goodput", "Mbit/s", "10.0"]
    assert format_table([], COLUMNS) == ""
