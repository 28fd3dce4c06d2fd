# SPDX-License-Identifier: GPL-2.0-or-later
"""Result files: their content, their bytes, and what Flent itself draws from them."""

from __future__ import annotations

import errno
import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest

import own_flows
from flent_plots import flent_resultset, flent_settings, plotted
from synthetic import (
    DELAY_S,
    LENGTH_S,
    PING_BUSY_MS,
    PING_IDLE_MS,
    START_UNIX_S,
    STEP_S,
    TOTAL_S,
    record,
)
from tsqlab.errors import FileError, TsqlabError
from tsqlab.results.flent import read_flent, to_flent, write_flent

Lines = dict[str, tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]


@pytest.fixture(autouse=True)
def _matplotlib() -> Iterator[None]:
    with matplotlib.rc_context():
        yield


def by_flent(path: Path, plot: str) -> Lines:
    """What Flent draws: each line's points, by its label."""
    plotter = plotted(path, plot)
    lines: Lines = {}
    for axes in plotter.figure.axes:
        for line in axes.get_lines():
            x, y = (np.asarray(data, dtype=float) for data in line.get_data())
            if np.isfinite(x).any() and np.isfinite(y).any():
                lines[f"{len(lines)} {line.get_label()}"] = x, y
    return lines


def labelled(lines: Lines, text: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The one line whose label ends so."""
    found = [points for label, points in lines.items() if label.endswith(text)]
    assert len(found) == 1, f"{text!r} in {list(lines)}"
    return found[0]


def stored(tmp_path: Path, document: dict[str, Any]) -> Path:
    path = tmp_path / "cell.flent.gz"
    write_flent(path, document)
    return path


def test_a_series_is_the_goodput_of_the_step_that_ends_there() -> None:
    document = to_flent(record("tcp_nup", streams=2))
    series = dict(zip(document["x_values"], document["results"]["TCP upload::2"], strict=True))
    assert series[DELAY_S] is None
    assert series[5.1] == series[15.0] == 20.0
    assert series[15.1] is None
    assert document["x_values"][0] == 0.0
    assert document["x_values"][-1] == TOTAL_S


def test_flent_draws_flows_by_their_names(tmp_path: Path) -> None:
    cell = own_flows.document()
    assert cell["metadata"]["TEST_PARAMETERS"]["labels"] == "1 bulk,2,4"
    path = stored(tmp_path, cell)
    seconds, mbps = labelled(by_flent(path, "upload"), "1 bulk")
    assert set(mbps[(seconds > 5.05) & (seconds < 14.9)]) == {10.0}
    seconds, mbps = labelled(by_flent(path, "download"), " 2")
    assert np.nansum(mbps) * STEP_S == pytest.approx(8), "1 MB"


def test_every_series_is_as_long_as_the_axis() -> None:
    for test in ("tcp_nup", "rrul", "udp_flood", "ping"):
        document = to_flent(record(test))
        lengths = {len(series) for series in document["results"].values()}
        assert lengths == {len(document["x_values"])}


@pytest.mark.parametrize("test", ["tcp_nup", "tcp_ndown"])
def test_computed_series_of_numbered_flows(test: str) -> None:
    direction = "upload" if test == "tcp_nup" else "download"
    results = to_flent(record(test, streams=3))["results"]
    at = round((DELAY_S + 1) / STEP_S)
    assert results[f"TCP {direction} sum"][at] == pytest.approx(60)
    assert results[f"TCP {direction} avg"][at] == pytest.approx(20)
    assert results[f"TCP {direction} fairness"][at] == pytest.approx(60**2 / (3 * 1400))
    assert results[f"TCP {direction} sum"][0] is None


def test_computed_series_of_rrul() -> None:
    results = to_flent(record("rrul"))["results"]
    at = round((DELAY_S + 1) / STEP_S)
    assert results["TCP upload sum"][at] == pytest.approx(10 + 20 + 30 + 40)
    assert results["TCP download avg"][at] == pytest.approx((50 + 60 + 70 + 80) / 4)
    assert results["TCP totals"][at] == pytest.approx(360)
    assert results["Ping (ms) avg"][at] == pytest.approx(PING_BUSY_MS + 1.5)


@pytest.mark.parametrize("test", ["tcp_nup", "tcp_ndown", "rrul", "rrul_be"])
def test_computed_series_are_what_flent_would_compute(test: str, tmp_path: Path) -> None:
    document = to_flent(record(test, streams=3))
    computed = [name for name, samples in document["raw_values"].items() if not samples]
    ours = {name: document["results"].pop(name) for name in computed}
    settings = flent_settings.new()
    results = flent_resultset.load(str(stored(tmp_path, document)))
    settings.update(results.meta())
    settings.load_test(informational=True)
    settings.compute_missing_results(results)
    assert computed
    for name in computed:
        assert results[name] == ours[name], name


def test_samples_have_flents_units() -> None:
    raw = to_flent(record("tcp_nup"))["raw_values"]
    first, last = raw["TCP upload::1"][0], raw["TCP upload::1"][-1]
    assert first == {
        "t": START_UNIX_S + DELAY_S + STEP_S,
        "val": 10.0,
        "dur": 0.1,
        "tcp_cwnd": 100,
        "tcp_rtt": 10.0,
        "tcp_rtt_var": 0.5,
        "tcp_min_rtt": 9.0,
        "tcp_pacing_rate": 20.0,
        "tcp_delivery_rate": 10.0,
        "tcp_retransmits": 0,
        "tcp_lost": 0,
        "tcp_unacked": 50,
        "tcp_notsent_bytes": 1_000,
        "tcp_wmem_alloc_bytes": 3_000,
        "tcp_send_queue_bytes": 90_000,
    }, "an infinite ssthresh is left out"
    assert last["tcp_retransmits"] == 9
    assert raw["Ping (ms) ICMP"][0] == {"t": START_UNIX_S + 0.002, "seq": 1, "val": 2.0}
    assert [sample["seq"] for sample in raw["Ping (ms) ICMP"][:3]] == [1, 2, 4]


def test_drops_of_a_qdisc_are_events_and_not_a_count() -> None:
    document = to_flent(record("tcp_nup"))
    drops = [sample["dropped"] for sample in document["raw_values"]["qdisc_stats_C>R"]]
    assert sum(drops) == TOTAL_S
    assert drops[0] == 0
    assert document["results"]["qdisc_stats_C>R::backlog_bytes"][50] == 15_140


def test_a_receiver_of_datagrams_that_waits_is_no_flow_without_goodput() -> None:
    samples = to_flent(record("udp_flood"))["raw_values"]["UDP upload"]
    assert samples[0]["t"] == START_UNIX_S + DELAY_S + STEP_S
    assert samples[-1]["t"] == START_UNIX_S + DELAY_S + LENGTH_S
    assert not any(key.startswith("tcp_") for sample in samples for key in sample)


def test_a_flow_that_stalls_has_zeros_until_flows_end() -> None:
    cell = record("tcp_nup", streams=1)
    receiver = dict(cell.measurement.receivers["TCP upload::1"])
    receiver["app_bytes"] = np.minimum(receiver["app_bytes"], receiver["app_bytes"][50])
    cell.measurement.receivers["TCP upload::1"] = receiver  # type: ignore[index]
    series = to_flent(cell)["results"]["TCP upload::1"]
    assert series[round((DELAY_S + LENGTH_S) / STEP_S)] == 0.0


def test_the_same_record_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "a.flent.gz", tmp_path / "elsewhere"
    write_flent(first, to_flent(record()))
    write_flent(second, to_flent(record()))
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes()[3:8] == bytes(5), "neither a file name nor a time"


def test_a_file_says_nothing_of_where_it_was_made(tmp_path: Path) -> None:
    text = gzip.decompress(stored(tmp_path, to_flent(record())).read_bytes()).decode()
    assert str(tmp_path) not in text
    assert os.uname().nodename not in json.loads(text)["metadata"].values()
    assert read_flent(tmp_path / "cell.flent.gz")["metadata"]["TSQLAB"] == {
        "kernel": {"release": "6.12.1", "build_id": "0123abcd"},
        "factors": {"qdisc": "pfifo_fast", "seed": 1},
    }


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stored(tmp_path, to_flent(record()))
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(TsqlabError, match=r"cell\.flent\.gz: cannot be written: No space left"):
        write_flent(path, to_flent(record("ping")))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(TsqlabError, match="nowhere"):
        write_flent(tmp_path / "nowhere" / "cell.flent.gz", to_flent(record("ping")))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data[: len(data) // 2], "not a whole result file"),
        (lambda _: b"no gzip at all", "not a whole result file"),
        (lambda data: data[:20] + bytes(50) + data[70:], "not a whole result file"),
        (lambda _: gzip.compress(b"[]"), "no version"),
        (lambda _: gzip.compress(b'{"version": 3}'), "file format 3"),
        (lambda _: gzip.compress(b'{"version": 4, "metadata": []}'), "metadata are missing"),
    ],
)
def test_damage_is_found_and_named(tmp_path: Path, damage: Any, message: str) -> None:
    path = stored(tmp_path, to_flent(record("ping")))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(FileError, match=message) as caught:
        read_flent(path)
    assert str(path) in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such result file"):
        read_flent(tmp_path / "none.flent.gz")


TCP_TESTS = ["tcp_nup", "tcp_upload", "tcp_ndown", "tcp_bidirectional", "rrul"]

TOTALS = {
    "tcp_nup": {"Upload": 30.0},
    "tcp_upload": {"Upload": 10.0},
    "tcp_ndown": {"Download": 30.0},
    "tcp_bidirectional": {"Download": 10.0, "Upload": 20.0},
    "rrul": {"Upload": 100.0, "Download": 260.0},
}


@pytest.mark.parametrize("test", TCP_TESTS)
def test_flent_draws_totals(test: str, tmp_path: Path) -> None:
    lines = by_flent(stored(tmp_path, to_flent(record(test))), "totals")
    for label, mbps in TOTALS[test].items():
        x, y = labelled(lines, label)
        middle = np.argmin(abs(x - (DELAY_S + LENGTH_S / 2)))  # where rrul's smoothing is even
        assert y[middle] == pytest.approx(mbps)
    x, y = labelled(lines, "Ping (ms)")
    more_ms = 1.5 if test == "rrul" else 0  # of its four probes on average
    assert y[np.argmin(abs(x - 10))] == pytest.approx(PING_BUSY_MS + more_ms)
    assert x[0] == pytest.approx(0, abs=STEP_S)
    assert x[-1] == pytest.approx(TOTAL_S, abs=2 * STEP_S)


def test_flent_draws_totals_of_a_udp_flood(tmp_path: Path) -> None:
    lines = by_flent(stored(tmp_path, to_flent(record("udp_flood"))), "totals")
    heights = [y for _, y in lines.values()]
    assert any(np.allclose(y, 10.0) for y in heights), "the goodput"
    mean_ms = (100 * PING_BUSY_MS + 99 * PING_IDLE_MS) / 199  # of all answers: it cuts nothing
    assert any(np.allclose(y, mean_ms) for y in heights), "the mean ping"


@pytest.mark.parametrize("test", ["rrul", "rrul_be"])
def test_flent_draws_all_scaled(test: str, tmp_path: Path) -> None:
    lines = by_flent(stored(tmp_path, to_flent(record(test))), "all_scaled")
    assert len(lines) == 5 + 5 + 5, "four flows each way, four pings, and the averages"
    at_10_s = sorted(float(y[np.argmin(abs(x - 10))]) for x, y in lines.values())
    assert at_10_s == pytest.approx(
        sorted([10, 20, 30, 40, 25, 50, 60, 70, 80, 65, 20, 21, 22, 23, 21.5])
    )


@pytest.mark.parametrize("test", [*TCP_TESTS, "udp_flood", "ping"])
def test_flent_draws_ping_cdf(test: str, tmp_path: Path) -> None:
    cell = record(test)
    lines = by_flent(stored(tmp_path, to_flent(cell)), "ping_cdf")
    longest_ms = sorted(float(np.nanmax(x)) for x, _ in lines.values())
    expected_ms = [PING_BUSY_MS + at for at in range(len(cell.measurement.pings))]
    if test == "rrul":  # which draws the average as well
        expected_ms = sorted([*expected_ms, PING_BUSY_MS + 1.5])
    assert longest_ms == pytest.approx(expected_ms, abs=0.01)


@pytest.mark.parametrize("test", TCP_TESTS)
@pytest.mark.parametrize(("plot", "first", "last"), [("tcp_cwnd", 100, 200), ("tcp_rtt", 10, 30)])
def test_flent_draws_sockets(
    test: str, plot: str, first: float, last: float, tmp_path: Path
) -> None:
    cell = record(test)
    lines = by_flent(stored(tmp_path, to_flent(cell)), plot)
    assert len(lines) == len(cell.flows)
    for x, y in lines.values():
        assert (y[0], y[-1]) == (first, last)
        assert x[0] == pytest.approx(DELAY_S + STEP_S)
        assert x[-1] == pytest.approx(DELAY_S + LENGTH_S)


def test_flent_draws_the_backlog_of_every_queue(tmp_path: Path) -> None:
    lines = by_flent(stored(tmp_path, to_flent(record())), "backlog")
    assert len(lines) == 2
    assert all(np.allclose(y, 15_140) for _, y in lines.values())


def test_flent_writes_the_plot_with_its_annotation(tmp_path: Path) -> None:
    output = tmp_path / "totals.png"
    path = stored(tmp_path, to_flent(record()))
    plotter = plotted(path, "totals", str(output))
    plotter.save([flent_resultset.load(str(path))])
    assert output.stat().st_size > 0
    texts = [text.get_text() for text in plotter.figure.texts]
    assert any("C/S" in text and "Length/step: 10s/0.10s" in text for text in texts)
    assert any("qdisc=pfifo_fast, seed=1" in text for text in texts), "the cell, as a title"


def test_without_the_raw_key_flent_draws_nothing(tmp_path: Path) -> None:
    """What the tests above are about: Flent does not complain, it leaves the plot empty."""
    document = to_flent(record("tcp_upload"))
    for sample in document["raw_values"]["TCP upload"]:
        del sample["tcp_cwnd"]
    assert not by_flent(stored(tmp_path, document), "tcp_cwnd")


def test_without_t0_flent_draws_nothing(tmp_path: Path) -> None:
    document = to_flent(record("tcp_upload"))
    del document["metadata"]["T0"]
    assert not by_flent(stored(tmp_path, document), "tcp_cwnd")
