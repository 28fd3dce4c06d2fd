# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers out of measurements."""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthetic import DELAY_S, LENGTH_S, PING_BUSY_MS, TOTAL_S, radio, record
from tsqlab.metrics.document import trace, unix_seconds
from tsqlab.metrics.statistics import estimate, jain, mean, percentile, student_t_95
from tsqlab.metrics.summarise import summarise
from tsqlab.results.flent import to_flent
from tsqlab.results.grid import goodput_mbps, interpolated
from tsqlab.results.summary import METRICS

finite = st.floats(min_value=-1e9, max_value=1e9, allow_nan=False)
values = st.lists(finite, min_size=1, max_size=50)


@given(values, st.floats(0, 100), st.floats(0, 100))
def test_percentiles_are_bounded_and_monotone(sample: list[float], one: float, two: float) -> None:
    lower, upper = (percentile(sample, q) for q in sorted((one, two)))
    assert lower is not None
    assert upper is not None
    slack = 1e-9 * max(abs(value) for value in sample)  # of interpolating
    assert min(sample) <= lower + slack
    assert lower <= upper + slack
    assert upper <= max(sample) + slack


def test_percentiles_are_interpolated() -> None:
    assert percentile([1, 2, 3, 4], 50) == 2.5
    assert percentile([1, 2, 3, 4, 5], 90) == pytest.approx(4.6)


def test_nothing_has_no_statistics() -> None:
    assert percentile([], 50) is None
    assert mean([]) is None
    assert estimate([]) is None


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30))
def test_fairness_is_between_one_of_all_and_all_equal(shares: list[float]) -> None:
    index = jain(shares)
    assert index is None or 1 / len(shares) - 1e-9 <= index <= 1 + 1e-9


def test_fairness() -> None:
    assert jain([5, 5, 5]) == pytest.approx(1)
    assert jain([1, 0, 0, 0]) == pytest.approx(1 / 4)
    assert jain([0, 0]) is None


@pytest.mark.parametrize(
    ("degrees", "t"),
    [(1, 12.706), (4, 2.776), (30, 2.042), (35, 2.030), (40, 2.021), (10**6, 1.960)],
)
def test_student_t(degrees: int, t: float) -> None:
    """As the printed tables have them."""
    assert student_t_95(degrees) == pytest.approx(t, abs=0.0005)


def test_student_t_falls_towards_the_normal_distribution() -> None:
    points = [student_t_95(degrees) for degrees in range(1, 2000)]
    assert points == sorted(points, reverse=True)
    assert points[-1] > statistics.NormalDist().inv_cdf(0.975)


def test_a_confidence_interval() -> None:
    # Worked by hand: mean 12, s = sqrt(2.5), n = 5, t(4) = 2.776445.
    interval = estimate([10, 11, 12, 13, 14])
    assert interval is not None
    assert interval.mean == 12
    assert interval.half_width == pytest.approx(2.776445 * math.sqrt(2.5) / math.sqrt(5))


def test_a_single_value_has_no_interval() -> None:
    interval = estimate([7.0])
    assert interval is not None
    assert (interval.mean, interval.half_width, interval.n) == (7.0, None, 1)


def test_goodput_of_a_flow_that_begins_within_a_step() -> None:
    rate_mbps, duration_s = goodput_mbps(
        np.array([5_100_000_000, 5_200_000_000, 5_400_000_000]),
        np.array([125_000, 375_000, 625_000]),
        100_000_000,
    )
    assert rate_mbps.tolist() == [10.0, 20.0, 10.0]
    assert duration_s.tolist() == [0.1, 0.1, 0.2]


def test_pings_are_not_interpolated_over_silence() -> None:
    answers: list[dict[str, float | int]] = [
        {"t": t_s, "val": v} for t_s, v in [(100.01, 1), (100.11, 2), (101.05, 9)]
    ]
    series = interpolated(answers, 100.0, 0.1, 14)
    assert series[0] == 1, "the first counts half a step back"
    assert series[1] == pytest.approx(1.9)
    assert series[2:6] == [None] * 4, "the next answer is more than five steps ahead"
    assert series[6] is not None
    assert series[11:] == [None] * 3, "no answer came any more"


def test_unix_time() -> None:
    assert unix_seconds("2023-11-14T22:13:30.250000Z") == 1_700_000_010.25


def test_a_summary_of_uploads() -> None:
    metrics = summarise(to_flent(record("tcp_nup", streams=2)))
    assert metrics["goodput_mbps"] == pytest.approx(30)
    assert metrics["goodput_up_mbps"] == pytest.approx(30)
    assert metrics["goodput_down_mbps"] is None
    assert metrics["fairness"] == pytest.approx(30**2 / (2 * 500))
    assert metrics["ping_ms_p10"] == metrics["ping_ms_p90"] == PING_BUSY_MS
    assert metrics["tcp_rtt_ms_p50"] == pytest.approx(20, abs=0.01)
    assert metrics["tcp_rtt_ms_p10"] == pytest.approx(12, abs=0.01)
    assert metrics["cwnd_mean"] == pytest.approx(150, abs=0.01)
    assert metrics["retransmits"] == 2 * 9
    assert metrics["aggregate_mean"] is None
    assert metrics["sim_s"] == TOTAL_S


def test_a_summary_of_both_directions() -> None:
    metrics = summarise(to_flent(record("tcp_bidirectional")))
    assert metrics["goodput_down_mbps"] == pytest.approx(10)
    assert metrics["goodput_up_mbps"] == pytest.approx(20)
    assert metrics["goodput_mbps"] == pytest.approx(30)


def test_a_summary_of_datagrams() -> None:
    metrics = summarise(to_flent(record("udp_flood")))
    assert metrics["goodput_mbps"] == pytest.approx(10)
    assert metrics["tcp_rtt_ms_p50"] is metrics["cwnd_mean"] is metrics["retransmits"] is None


def test_a_summary_of_pings_alone() -> None:
    metrics = summarise(to_flent(record("ping")))
    assert metrics["goodput_mbps"] is None
    assert metrics["ping_ms_mean"] == pytest.approx(PING_BUSY_MS + 0.5), "of both probes"


def test_stations_have_their_own_goodput() -> None:
    """Flows of 10, 20 and 30 Mbit/s take turns at two stations."""
    document = to_flent(record("tcp_nup", streams=3))
    meta = document["metadata"]["SERIES_META"]
    for number, client in ((1, "C1"), (2, "C2"), (3, "C1")):
        meta[f"TCP upload::{number}"]["CLIENT"] = client
    metrics = summarise(document)
    assert metrics["goodput_mbps_C1"] == pytest.approx(40)
    assert metrics["goodput_mbps_C2"] == pytest.approx(20)
    assert metrics["fairness_stations"] == pytest.approx(60**2 / (2 * (40**2 + 20**2)))
    assert metrics["fairness"] == pytest.approx(60**2 / (3 * 1400)), "that of the flows"


def test_one_station_has_nothing_to_share() -> None:
    metrics = summarise(to_flent(record("tcp_nup", streams=3)))
    assert metrics["fairness_stations"] is None
    assert not [name for name in metrics if name.startswith("goodput_mbps_")]


def test_radios_have_a_share_of_the_time() -> None:
    """A PPDU a millisecond takes half of it on the air."""
    metrics = summarise(to_flent(record(radios={"AP": radio("C", 3), "C": radio("AP", 17)})))
    assert metrics["airtime_AP"] == pytest.approx(0.5)
    assert metrics["airtime_C"] == pytest.approx(0.5)
    wired = summarise(to_flent(record()))
    assert not [name for name in wired if name.startswith("airtime")], "a wire has none"


def test_data_after_the_flows_end_is_no_goodput_of_theirs() -> None:
    cell = record("tcp_nup", streams=1)
    table: Any = cell.measurement.receivers["TCP upload::1"]
    table["t_ns"] = np.append(table["t_ns"], 15_100_000_000)
    table["app_bytes"] = np.append(table["app_bytes"], table["app_bytes"][-1] + 10**6)
    document = to_flent(cell)
    assert len(trace(document).flows[0].goodput_mbps.t_s) == LENGTH_S * 10 + 1
    assert summarise(document)["goodput_mbps"] == pytest.approx(10)


def test_flents_own_files_can_be_read_too() -> None:
    """Flent has no "TSQLAB" and, of its UDP flows, no "dur"."""
    document = to_flent(record("udp_flood"))
    del document["metadata"]["TSQLAB"]
    for sample in document["raw_values"]["UDP upload"]:
        del sample["dur"]
    assert summarise(document)["goodput_mbps"] == pytest.approx(10)
    assert trace(document).begin_s == DELAY_S


def test_the_summary_file_has_what_a_summary_says() -> None:
    metrics = summarise(to_flent(record()))
    assert set(METRICS) - set(metrics) == {"wall_s"}
