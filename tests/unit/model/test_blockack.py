# SPDX-License-Identifier: GPL-2.0-or-later
"""Lost MPDUs: closed forms, sums by hand, and what a window of 64 does to ath9k."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsqlab.model.blockack import Air, Sender, _Queue, ideal_goodput_bit_per_s, simulate
from tsqlab.model.exchange import exchange
from tsqlab.model.phy import Rate

RATE = Rate("HT", 40, 2, 7, 400)
EXCHANGES = tuple(exchange(RATE, 1538, n).total_ns for n in range(1, 65))
ATH9K = Sender()


def air(error):
    return Air(error, EXCHANGES, 1472 * 8)


def test_without_losses_aggregates_are_full():
    outcome = simulate(ATH9K, air(0), aggregates=2_000)
    assert outcome.subframes.value == 32
    assert outcome.goodput_bit_per_s.value / 1e6 == pytest.approx(248.16, abs=0.005)
    assert outcome.delivered == 1


def test_ath9k_with_5_percent_of_losses():
    """The reference: aggregates of 20.2, and 7 % less than the ideal."""
    outcome = simulate(ATH9K, air(0.05))
    assert outcome.subframes.standard_error < 0.1
    assert outcome.subframes.value == pytest.approx(20.2, abs=0.2)
    loss = 1 - outcome.goodput_bit_per_s.value / ideal_goodput_bit_per_s(ATH9K, air(0.05))
    assert loss == pytest.approx(0.07, abs=0.005)


def test_just_in_time_loses_almost_nothing():
    outcome = simulate(replace(ATH9K, ahead=1), air(0.05))
    assert outcome.subframes.value > 31
    ideal = ideal_goodput_bit_per_s(ATH9K, air(0.05))
    assert outcome.goodput_bit_per_s.value == pytest.approx(ideal, rel=0.006)


def test_with_a_window_that_never_closes_it_is_the_ideal():
    for ahead in (1, 2):
        sender = Sender(ahead=ahead, window=10**6)
        outcome = simulate(sender, air(0.1))
        assert outcome.subframes.value == 32
        error = outcome.goodput_bit_per_s.standard_error
        ideal = ideal_goodput_bit_per_s(sender, air(0.1))
        assert abs(outcome.goodput_bit_per_s.value - ideal) < 4 * error


@pytest.mark.parametrize(
    ("sender", "mean"),
    [
        (Sender(subframes=40), 32),  # 40 and 24 by turns: the rest of the window
        (Sender(subframes=64), 64),  # the whole window; nothing is left to form ahead
        (Sender(subframes=17, ahead=1), 17),
        (Sender(subframes=17, window=33), 16.5),  # 17 and 16 by turns
    ],
)
def test_a_window_without_losses_by_hand(sender, mean):
    assert simulate(sender, air(0), aggregates=2_000).subframes.value == mean


def test_frames_are_given_up_after_their_retries():
    outcome = simulate(replace(ATH9K, retries=1, ahead=1), air(0.1))
    frames = 20_000 * 28
    assert 1 - outcome.delivered == pytest.approx(0.01, abs=4 * math.sqrt(0.01 / frames))
    assert simulate(replace(ATH9K, retries=0), air(0.1)).subframes.value == 32  # nothing returns


def test_a_loss_returns_in_the_aggregate_after_the_next_by_hand():
    queue = _Queue(Sender(subframes=4, window=10))
    queue.fill()
    assert list(queue.aggregates) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert queue.complete(queue.aggregates.popleft(), [False, True, False, True]) == (2, 0)
    queue.fill()  # the window is 1 .. 10
    assert list(queue.aggregates) == [[4, 5, 6, 7], [1, 3, 8, 9]]
    assert queue.complete(queue.aggregates.popleft(), [False] * 4) == (4, 0)
    queue.fill()  # and still: only 10 is left in it
    assert list(queue.aggregates) == [[1, 3, 8, 9], [10]]
    queue.complete(queue.aggregates.popleft(), [True, False, False, False])
    queue.fill()
    assert list(queue.aggregates) == [[10], [1]]


@given(
    st.builds(
        Sender,
        subframes=st.integers(1, 64),
        ahead=st.integers(1, 3),
        window=st.integers(1, 64),
        retries=st.integers(0, 3),
    ),
    st.data(),
)
def test_what_holds_at_all_times(sender, data):
    queue, arrived = _Queue(sender), 0
    for _ in range(12):
        queue.fill()
        assert 1 <= len(queue.aggregates) <= sender.ahead
        sent = [number for one in queue.aggregates for number in one]
        assert len(set(sent)) == len(sent)
        assert all(one == sorted(one) for one in queue.aggregates)
        assert all(len(one) <= sender.subframes for one in queue.aggregates)
        assert all(queue.start <= number < queue.start + sender.window for number in sent)
        assert queue.pending == set(sent) | set(queue.repeat)
        aggregate = queue.aggregates.popleft()
        lost = data.draw(st.lists(st.booleans(), min_size=len(aggregate), max_size=len(aggregate)))
        delivered, given_up = queue.complete(aggregate, lost)
        arrived += delivered + given_up
        assert queue.repeat == sorted(queue.repeat)
    assert arrived + len(queue.pending) == queue.new


def test_durations_for_all_sizes_are_needed():
    with pytest.raises(ValueError, match="up to 8 MPDUs are not enough for 32"):
        simulate(ATH9K, Air(0, EXCHANGES[:8], 1))
