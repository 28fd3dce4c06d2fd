# SPDX-License-Identifier: GPL-2.0-or-later
"""The look of figures: size, style sheet, language, and PDFs that repeat."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from folders import cell, written
from tsqlab.errors import FileError, UsageError
from tsqlab.experiment.load import load
from tsqlab.experiment.look import read_style, read_words
from tsqlab.experiment.stored import Result, read_folder
from tsqlab.paths import LANGUAGES, PACKAGE
from tsqlab.report.plots import axes, candlesticks, curves, marks, up_down
from tsqlab.report.plots.figure import drawn_in
from tsqlab.report.plots.kinds import draw
from tsqlab.report.plots.look import DECIMAL, own_style, say
from tsqlab.results.look import Look, parse_size

PLOTS = PACKAGE / "report" / "plots"
GERMAN = Look(words=read_words("de", Path()))


@pytest.fixture
def results(tmp_path: Path) -> list[Result]:
    template = read_folder(written(tmp_path, [{"seed": 1}])).results[0]
    return [cell(template, tsq, seed, goodput_mbps=mbps + seed / 10, ping_ms_p50=2.5 * mbps)
            for tsq, mbps in (("TSQ", 0.4), ("4TSQ", 0.8), ("8TSQ", 1.2))
            for seed in (1, 2, 3)]  # fmt: skip


def phrases() -> set[str]:
    """Everything that is given to say(), and what is said by way of a table."""
    said = {*axes.LABELS.values(), axes.GOODPUT, *candlesticks.FACTORS.values(),
            *up_down.DIRECTIONS.values(), *marks.EVENTS.values(), curves.MS, curves.PACKETS,
            DECIMAL}  # fmt: skip
    for path in PLOTS.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "say":
                (argument,) = node.args
                choices = ((argument.body, argument.orelse)
                           if isinstance(argument, ast.IfExp) else (argument,))  # fmt: skip
                said |= {one.value for one in choices if isinstance(one, ast.Constant)}
    return said


@pytest.mark.parametrize("path", sorted(LANGUAGES.glob("*.toml")), ids=lambda path: path.stem)
def test_a_language_has_every_phrase_and_no_other(path: Path) -> None:
    table = tomllib.loads(path.read_text())
    assert set(table) == phrases()
    for phrase, words in table.items():
        assert set(re.findall(r"\{\w+\}", words)) == set(re.findall(r"\{\w+\}", phrase)), phrase


def test_a_figure_is_said_in_its_language(results: list[Result]) -> None:
    (plot,) = draw("sweep", results, "ping_ms", look=GERMAN).plots
    for words in ("Datenrate (Mbit/s)", "Median: Ping (ms)", "üblich"):
        assert f">{words}</text>" in plot.svg
    assert re.search(r">\d,\d</text>", plot.svg)
    assert not re.search(r">\d\.\d</text>", plot.svg)
    assert "goodput" not in plot.svg
    assert say("stock") == "stock", "it is a figure's, and not the process's"


def test_a_file_of_words_needs_not_have_all(tmp_path: Path, results: list[Result]) -> None:
    (tmp_path / "fr.toml").write_text('"stock" = "usuel"\n')
    look = Look(words=read_words("fr.toml", tmp_path))
    (plot,) = draw("sweep", results, "ping_ms", look=look).plots
    assert "usuel" in plot.svg
    assert ">goodput (Mbit/s)</text>" in plot.svg


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"stok" = "x"', "stok: no figure says this; they say .*; stock"),
        ('"stock" = 3', "stock: expected a text"),
        ('"knee at {ms}" = "{s}"', r"\{s\} is no part of 'knee at \{ms\}'"),
        ("stock", "not TOML"),
    ],
)
def test_a_mistake_in_words_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(FileError, match=message):
        read_words("x.toml", tmp_path)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("84 mm x 60 mm", (84 / 25.4, 60 / 25.4)),
        ("8.4cm×6cm", (8.4 / 2.54, 6 / 2.54)),
        ("252pt", (252 / 72.27, None)),
        ("3.5 in", (3.5, None)),
    ],
)
def test_sizes(text: str, size: tuple[float, float | None]) -> None:
    assert parse_size(text) == pytest.approx(size)


@pytest.mark.parametrize("text", ["84", "84 mm x", "1 mm", "9999 mm", "84 mm x 60", "a b", ""])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        parse_size(text)


@pytest.mark.parametrize("kind", ["sweep", "goodput-latency", "candlesticks", "goodput-ping"])
def test_a_figure_has_the_size_that_is_wanted(results: list[Result], kind: str) -> None:
    with drawn_in(["pdf"]):
        plot = draw(kind, results, "ping_ms", look=Look(size="84 mm x 60 mm")).plots[0]
    assert b"/MediaBox [ 0 0 238.1" in plot.files["pdf"], "84 mm in points of 1/72 in"
    width, height = re.findall(r'(?:width|height)="([\d.]+)pt"', plot.svg)[:2]
    assert (float(width), float(height)) == pytest.approx((238.11, 170.08), abs=0.02)


def test_a_width_alone_keeps_the_proportions(results: list[Result]) -> None:
    plain, wide = (
        draw("goodput-ping", results, "ping_ms", look=Look(size=size)).plots[0].svg
        for size in ("", "9.6 in")
    )
    sizes = [[float(one) for one in re.findall(r'(?:width|height)="([\d.]+)pt"', svg)[:2]]
             for svg in (plain, wide)]  # fmt: skip
    assert sizes[1] == pytest.approx([2 * one for one in sizes[0]], abs=0.1)


def test_a_style_sheet_goes_over_ours(results: list[Result]) -> None:
    look = Look(style="font.family: serif\naxes.prop_cycle: cycler(color=['123456'])\n")
    (plot,) = draw("goodput-latency", results, "ping_ms", look=look).plots
    assert "DejaVu Serif" in plot.svg
    assert "#123456" in plot.svg
    assert "sans" not in draw("goodput-latency", results, "ping_ms", look=look).plots[0].svg
    (ours,) = draw("goodput-latency", results, "ping_ms").plots
    assert "#123456" not in ours.svg, "it is that figure's alone"


@pytest.mark.parametrize(
    ("style", "message"),
    [
        ("no.such.key: 3\n", "the style sheet: .*no.such.key"),
        ("lines.linewidth: wide\n", "the style sheet: .*linewidth"),
        ("text.usetex: True\n", "would run LaTeX"),
    ],
)
def test_a_mistake_in_a_style_sheet_is_said(style: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        own_style(style)


def test_what_would_change_the_bytes_is_not_read() -> None:
    assert own_style("svg.hashsalt: mine\nsavefig.dpi: 7\nfont.size: 11\n") == {"font.size": 11.0}


def test_a_pdf_repeats_and_has_no_date(results: list[Result], tmp_path: Path) -> None:
    with drawn_in(["pdf"]):
        (plot,) = draw("goodput-latency", results, "ping_ms").plots
    pdf = plot.files["pdf"]
    assert pdf.startswith(b"%PDF-1.4")
    assert b"CreationDate" not in pdf
    assert b"/Subtype /Type0" in pdf or b"/Subtype /TrueType" in pdf
    assert b"/Subtype /Type3" not in pdf, "printers of theses and journals refuse it"
    folder = tmp_path / "again"
    folder.mkdir()
    written(folder, plots=["candlesticks"])
    code = "from sys import argv; from tsqlab.cli import main; main(['report', argv[1], '--pdf'])"
    pdfs = []
    for seed in ("1", "2"):
        environment = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed, "PATH": "",
                       "TZ": f"UTC+{seed}"}  # fmt: skip
        subprocess.run([sys.executable, "-c", code, str(folder)], check=True, env=environment)
        pdfs.append((folder / "plots" / "candlesticks-1.pdf").read_bytes())
    assert pdfs[0] == pdfs[1]


EXPERIMENT = """
title = "x"
[matrix]
kernel = ["6.12", "6.1"]
[report]
"""


def test_an_experiment_brings_its_look(tmp_path: Path) -> None:
    (tmp_path / "my.mplstyle").write_text("font.size: 11\n")
    (tmp_path / "fr.toml").write_text('"stock" = "usuel"\n')
    path = tmp_path / "x.toml"
    lines = ('style = "my.mplstyle"', 'language = "fr.toml"', 'size = "84 mm"',
             'against = { kernel = "6.1" }', 'columns = ["ping_ms_p50", "airtime_C1"]')  # fmt: skip
    path.write_text(EXPERIMENT + "\n".join(lines))
    look = load(str(path)).look
    assert look == Look(style="font.size: 11\n", size="84 mm", words={"stock": "usuel"})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('style = "no.mplstyle"', r"x\.toml:6: report\.style: .*no style sheet"),
        ('language = "tlh"', r'x\.toml:6: report\.language: no language "tlh"; there are en, de'),
        ('size = "84"', r"x\.toml:6: report\.size: expected a width"),
        ('columns = ["goodput"]', 'no metric "goodput"; there are goodput_mbps'),
        ('against = { kernel = "7" }', r'report\.against: no kernel = "7"; there are 6\.12, 6\.1'),
        ('against = { qdisc = "fq" }', 'no qdisc = "fq"; it does not vary; kernel does'),
    ],
)
def test_a_mistake_in_an_experiment_has_its_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(EXPERIMENT + line)
    with pytest.raises(FileError, match=message):
        load(str(path))


def test_a_run_that_changes_what_varies_has_nothing_to_compare(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(EXPERIMENT + 'against = { kernel = "6.1" }')
    assert load(str(path)).against == {"kernel": "6.1"}
    assert load(str(path), ['kernel="6.12"']).against == {}


def test_a_style_sheet_is_text_of_some_size(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xff")
    with pytest.raises(FileError, match="not a style sheet"):
        read_style("a", tmp_path)
    (tmp_path / "b").write_bytes(b"#" * (65 << 10))
    with pytest.raises(UsageError, match="no style sheet"):
        read_style("b", tmp_path)
