# SPDX-License-Identifier: GPL-2.0-or-later
"""The papers' own arithmetic, by hand, and fits that find what made the data."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsqlab.model import wqm
from tsqlab.model.aggregation import (
    Parameters,
    aggregate_ns,
    goodput_bit_per_s,
    one_packet,
    packets_in_card,
    rtt_ns,
)
from tsqlab.model.fit import FREE, fit

PAPER = Parameters()
LIMITS = np.arange(1, 401, 8)


def test_the_papers_values():
    assert PAPER.aggregate_max_packets == 72  # 4 ms at 216 Mbit/s are 864000 bits
    assert packets_in_card(100, PAPER) == 96
    assert aggregate_ns(72, PAPER) == pytest.approx(864_384 / 216e6 * 1e9 + 500_000)
    assert goodput_bit_per_s(400, PAPER) / 1e6 == pytest.approx(864_000 / 4_501.778, rel=1e-6)


def test_one_packet_by_hand():
    goodput, rtt = one_packet(PAPER)  # 12384 bits are 57.33 us, and 500 us of access
    assert goodput / 1e6 == pytest.approx(12_000 / 557.333, rel=1e-5)
    assert rtt == pytest.approx(2_500_000 + 2 * 557_333, abs=1)


def test_the_staircase_by_hand():
    one = replace(PAPER, pacing=1, backlog=1)  # t is k
    full = 4_501_778  # ns: the largest aggregate
    for limit, ahead in ((72, 2), (73, 2), (143, 2), (144, 3), (215, 3), (216, 4), (400, 6)):
        assert rtt_ns(limit, one) == pytest.approx(2_500_000 + ahead * full, abs=3)


def test_vectors_are_what_scalars_are():
    for function in (goodput_bit_per_s, rtt_ns, packets_in_card):
        assert function(LIMITS, PAPER).tolist() == [
            function(limit, PAPER).item() for limit in LIMITS
        ]


@given(st.floats(0.5, 400), st.floats(0.5, 4), st.floats(0.1, 1))
def test_pacing_and_backlog_scale_the_limit(limit, pacing, backlog):
    scaled = replace(PAPER, pacing=pacing, backlog=backlog)
    one = replace(PAPER, pacing=1, backlog=1)
    same = limit * pacing * backlog
    assert goodput_bit_per_s(limit, scaled) == pytest.approx(goodput_bit_per_s(same, one))


def test_goodput_and_rtt_only_grow():
    limits = np.arange(1, 1000)
    assert (np.diff(goodput_bit_per_s(limits, PAPER)) >= 0).all()
    assert (np.diff(rtt_ns(limits, PAPER)) >= 0).all()


def test_what_no_channel_is_like():
    with pytest.raises(ValueError, match="rate_bit_per_s is above 0"):
        replace(PAPER, rate_bit_per_s=0)


def measured(truth, seed=None, limits=LIMITS):
    """What the model gives, with errors of 3 Mbit/s and 0.3 ms if there is a *seed*."""
    random = np.random.default_rng(seed)
    size = (2, len(limits)) if seed is not None else (2, 1)
    errors = random.standard_normal(size) * (seed is not None)
    return (
        goodput_bit_per_s(limits, truth) + 3e6 * errors[0],
        rtt_ns(limits, truth) + 3e5 * errors[1],
    )


@pytest.mark.parametrize("backlog", [0.1, 0.3, 0.8, 1])
@pytest.mark.parametrize("free", [FREE[:1], FREE[:2], FREE])
def test_perfect_data_give_the_parameters_back(backlog, free):
    truth = replace(PAPER, backlog=backlog)
    if "access_ns" in free:
        truth = replace(truth, access_ns=350_000)
    if "rtt_base_ns" in free:
        truth = replace(truth, rtt_base_ns=3_100_000)
    found = fit(LIMITS, measured(truth), PAPER, free)
    for name in free:
        assert found.intervals[name].value == pytest.approx(getattr(truth, name), rel=1e-4)
    assert found.rtt_rms_ns < 1_000
    assert found.goodput_rms_bit_per_s < 10_000


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """60 data sets: 95 % is 57; fewer than 50 would be 4 deviations of the binomial away."""
    truth = replace(PAPER, backlog=0.6, access_ns=400_000)
    held = dict.fromkeys(FREE[:2], 0)
    for seed in range(60):
        found = fit(LIMITS, measured(truth, seed), PAPER, FREE[:2])
        for name in held:
            interval = found.intervals[name]
            assert interval.low < interval.value < interval.high
            held[name] += interval.low <= getattr(truth, name) <= interval.high
    assert all(count >= 50 for count in held.values()), held


def test_a_fit_says_what_is_left():
    found = fit(LIMITS, measured(PAPER, 1), PAPER)
    assert found.goodput_rms_bit_per_s == pytest.approx(3e6, rel=0.3)
    assert found.parameters == replace(PAPER, backlog=found.intervals["backlog"].value)


def test_the_rtt_tells_two_parameters_apart_on_the_ramp():
    limits = np.arange(1, 60, 4)
    truth = replace(PAPER, backlog=0.5, access_ns=400_000)
    found = fit(limits, measured(truth, limits=limits), PAPER, FREE[:2])
    assert found.intervals["backlog"].value == pytest.approx(0.5, rel=1e-3)


def test_what_cannot_be_fitted():
    beyond = np.arange(200, 400, 10)
    data = measured(PAPER, limits=beyond)
    with pytest.raises(ValueError, match="cannot tell backlog apart"):
        fit(beyond, data, PAPER)
    with pytest.raises(ValueError, match="too few"):
        fit([1], ([1e6], [1e6]), PAPER, FREE)
    with pytest.raises(ValueError, match="not as many"):
        fit([1, 2], ([1e6], [1e6]), PAPER)
    with pytest.raises(ValueError, match="what can be fitted is backlog"):
        fit(LIMITS, measured(PAPER), PAPER, ("pacing",))
    with pytest.raises(ValueError, match="start above 0"):
        fit(LIMITS, measured(PAPER), replace(PAPER, rtt_base_ns=0), FREE)


def test_wqms_round_trip_by_hand():
    # access: 63 + 34 + 66 + 16 + 40 = 219 us, twice; 64 * 1538 + 32 * 78 bytes at 600 Mbit/s
    assert wqm.round_trip_ns(600e6, 64) == pytest.approx(438_000 + 100_928 * 8 / 0.6)
    assert wqm.initial_buffer_packets(600e6, 64) == pytest.approx(89.2, abs=0.05)
    assert wqm.aggregate_frames() == 42


def test_wqms_bound_is_what_the_paper_says():
    assert 600e6 * 1.9e-3 / 8 / wqm.DATA_BYTES == wqm.BUFFER_MAX_PACKETS


def test_wqms_drain_time_by_hand():
    assert wqm.drain_ns(95 * 1500, 600e6, 1) == pytest.approx(1_900_000)
    assert wqm.drain_ns(1500, 6.5e6, 0.5) == pytest.approx(2 * 1500 * 8 / 6.5e6 * 1e9)
    for share in (0, 1.5):
        with pytest.raises(ValueError, match="share of the time"):
            wqm.drain_ns(1500, 6.5e6, share)
