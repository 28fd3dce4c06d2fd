# SPDX-License-Identifier: GPL-2.0-or-later
"""Lost pings: counted, in the tables, and drawn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from folders import written
from synthetic import DELAY_S, LENGTH_S, PING_IDLE_MS, STEP_S, record
from tsqlab.experiment.stored import read_folder
from tsqlab.metrics.document import trace
from tsqlab.metrics.pings import lost_s
from tsqlab.metrics.series import Samples
from tsqlab.metrics.summarise import summarise
from tsqlab.report import make_report, summary_table
from tsqlab.report.plots.goodput_ping import goodput_ping
from tsqlab.report.plots.kinds import draw
from tsqlab.report.plots.stated import Asked
from tsqlab.report.table import LOST_NOTE, lost_of
from tsqlab.report.tuning import tuning_of, tuning_text
from tsqlab.results.flent import read_flent, to_flent, write_flent

PING = "Ping (ms) ICMP"
SENT = round(LENGTH_S / STEP_S)
FIRST = round(DELAY_S / STEP_S) + 1  # the number of the first ping while flows run, from 1


def document(lost: Iterable[int] = (), test: str = "tcp_nup") -> dict[str, Any]:
    """A cell's document, the pings of those numbers lost besides the third."""
    made = to_flent(record(test))
    gone = set(lost)
    made["raw_values"][PING] = [one for one in made["raw_values"][PING] if one["seq"] not in gone]
    return made


@pytest.mark.parametrize(
    ("lost", "count"),
    [
        ((), 0),
        ((FIRST - 1,), 0),
        ((FIRST,), 1),
        ((FIRST + SENT - 1,), 1),
        ((FIRST + SENT,), 0),
        (range(FIRST, FIRST + SENT // 2), SENT // 2),
        (range(1, 10_000), SENT),
    ],
)
def test_pings_that_are_lost_while_flows_run_are_counted(lost: Iterable[int], count: int) -> None:
    metrics = summarise(document(lost))
    assert metrics["pings_sent"] == SENT
    assert metrics["ping_lost_share"] == pytest.approx(count / SENT)


def test_all_series_count() -> None:
    """Two probes; an average of series is computed and sends nothing."""
    metrics = summarise(document([FIRST], "ping"))
    assert metrics["pings_sent"] == 2 * SENT
    assert metrics["ping_lost_share"] == pytest.approx(1 / (2 * SENT))


def test_when_they_were_lost() -> None:
    lost = lost_s(trace(document([FIRST])))[PING]
    assert lost == pytest.approx(np.array([2 * STEP_S, DELAY_S]))


def folder(path: Path, lost: Iterable[int], levels: tuple[str, ...] = ("TSQ", "NoTSQ")) -> Path:
    """Settings of TSQ, the last of which has those pings lost."""
    path.mkdir()
    written(path, [{"tsq": tsq, "seed": 1} for tsq in levels], plots=["candlesticks"])
    for file in path.glob(f"tsq={levels[-1]}*.flent.gz"):
        made = document(lost)
        made["metadata"] = read_flent(file)["metadata"]
        write_flent(file, made)
    return path


def sweep_folder(path: Path, lost: Iterable[int]) -> Path:
    return folder(path, lost, ("2TSQ", "4TSQ"))


def test_tables_have_them_as_soon_as_any_is_lost(tmp_path: Path) -> None:
    none = summary_table(read_folder(folder(tmp_path / "none", [])))
    assert "pings lost" not in none
    few = summary_table(read_folder(folder(tmp_path / "few", range(FIRST, FIRST + SENT // 10))))
    assert "pings lost" in few
    assert "*" not in few, "a tenth is not more than a tenth"
    many = folder(tmp_path / "many", range(FIRST, FIRST + SENT // 5))
    *_, stock, without, note = summary_table(read_folder(many)).splitlines()
    assert ("*" in stock, without.count("20.0 *"), note) == (False, 2, LOST_NOTE)
    page = make_report(many).read_text()
    assert page.count(LOST_NOTE) == 1
    assert "ping_lost_share" in (many / "summary.csv").read_text()


@pytest.mark.parametrize("plot", ["candlesticks", "cdf", "goodput-latency", "sweep"])
def test_a_plot_of_pings_of_which_many_are_lost_says_so(plot: str, tmp_path: Path) -> None:
    """Of one of two settings a fifth are lost, then a tenth; of TCP's RTT nothing is said."""
    note = "more than a tenth of the pings lost"
    many = sweep_folder(tmp_path / "many", range(FIRST, FIRST + SENT // 5))
    few = sweep_folder(tmp_path / "few", range(FIRST, FIRST + SENT // 10))
    for path, latency, said in ((many, "ping_ms", 1), (few, "ping_ms", 0), (many, "tcp_rtt_ms", 0)):
        plots = draw(plot, read_folder(path).results, latency).plots
        assert sum(one.svg.count(f">{note}</text>") for one in plots) == said


def test_tuning_says_of_which_pings_its_numbers_are(tmp_path: Path) -> None:
    for share, said in ((5, 1), (10, 0)):
        lost = range(FIRST, FIRST + SENT // share)
        path = folder(tmp_path / f"{share}", lost, ("4TSQ", "2TSQ"))
        text = tuning_text(tuning_of(read_folder(path).results))
        assert (
            text.count("knee:      2 ms: 30 Mbit/s, 20 ms of ping, 20% of the pings lost;") == said
        )
        assert text.count("lost") == said


def test_they_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[list[str]] = []
    monkeypatch.setattr(
        "tsqlab.report.plots.goodput_ping.panel_legend",
        lambda figure: drawn.append(figure.axes[1].get_legend_handles_labels()[1]),
    )
    cell = read_folder(folder(tmp_path / "drawn", [])).results[0]
    goodput_ping([cell], Asked("ping_ms"))
    answers = cell.trace.pings[PING]
    third = 2 * STEP_S + PING_IDLE_MS / 1e3
    whole = Samples(np.append(answers.t_s, third), np.append(answers.value, PING_IDLE_MS))
    goodput_ping([replace(cell, trace=replace(cell.trace, pings={PING: whole}))], Asked("ping_ms"))
    assert drawn == [["lost ping", "ping"], ["ping"]], "the third of a cell is lost, and then not"


def test_a_latency_is_of_a_ping_that_was_sent_while_flows_ran() -> None:
    """However late its answer: those that take longest are not left out."""
    made = document()
    for one in made["raw_values"][PING]:
        if one["seq"] in (FIRST - 1, FIRST + SENT - 1):
            one["t"] += 3.0
            one["val"] += 3000.0
    cell = trace(made)
    assert len(cell.ping_ms()) == SENT
    assert np.count_nonzero(cell.ping_ms() > 3000) == 1, "the other was sent before"


@pytest.mark.parametrize(
    ("metric", "lost"),
    [
        ("ping_ms", "ping_lost_share"),
        ("ping_ms_p50", "ping_lost_share"),
        ("ping_ms_mean_2", "ping_lost_share_2"),
        ("ping_ms_p90_12", "ping_lost_share_12"),
        ("tcp_rtt_ms_p50", None),
        ("pings_sent_1", None),
    ],
)
def test_a_latency_is_marked_by_the_loss_of_its_own_pings(metric: str, lost: str | None) -> None:
    assert lost_of(metric) == lost
