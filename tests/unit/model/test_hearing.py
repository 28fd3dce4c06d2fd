# SPDX-License-Identifier: GPL-2.0-or-later
"""Stations that do not all hear each other: by hand, and where other models say the same."""

import pytest

from tsqlab.model import contention
from tsqlab.model.exchange import Settings, exchange
from tsqlab.model.hearing import Node, Traffic, _Air, _Batch, simulate
from tsqlab.model.mac import mpdu_bytes
from tsqlab.model.phy import Rate

RATE, MPDU_BYTES = Rate("HT", 40, 1, 7, 400), mpdu_bytes(1500)
ONE = Traffic(RATE, MPDU_BYTES)
ALONE = exchange(RATE, MPDU_BYTES)


def saturated(hears, to):
    return Node(frozenset(hears), to, saturated=True)


def silent(hears):
    return Node(frozenset(hears))


def cell(stations, first=0):
    """A receiver, and so many that send to it; all hear each other."""
    numbers = range(first, first + stations + 1)
    others = [frozenset(numbers) - {number} for number in numbers]
    return [silent(others[0]), *(saturated(hears, first) for hears in others[1:])]


HIDDEN = [silent({1, 2}), saturated({0}, 0), saturated({0}, 0)]
"""A receiver between two that do not hear each other."""


class Scripted(_Air):
    """An air whose backoffs are known beforehand."""

    def __init__(self, nodes, traffic, draws):
        self.draws = list(draws)
        super().__init__(nodes, traffic, 0)

    def draw(self, state):
        state.counter = self.draws.pop(0)


def run(nodes, draws, until_ns, traffic=ONE):
    """What came to the nodes by then, and how many attempts failed."""
    batch = _Batch([0] * len(nodes))
    air = Scripted(nodes, traffic, draws)
    air.run(until_ns, batch)
    return batch, air


def test_a_hidden_station_begins_within_the_others_frame_by_hand():
    """It would have counted down in silence had it heard: 20 slots are 180 us later, not 83."""
    # One begins at 43 us, the other at 43 + 9: their frames overlap at the receiver.
    batch, _ = run(HIDDEN, [0, 0, 1, 20, 20], 150_000)
    assert (batch.received, batch.attempts, batch.failed) == ([0, 0, 0], 2, 0)
    # Nobody answers: each knows 45 us after its own end.
    end_ns = 43_000 + ALONE.ppdu_ns
    batch, air = run(HIDDEN, [0, 0, 1, 20, 20], end_ns + 54_000)
    assert (batch.received, batch.failed) == ([0, 0, 0], 2)
    assert [state.idle_ns for state in air.states[1:]] == [end_ns + 45_000, end_ns + 54_000]
    # The receiver has heard both, and would wait EIFS.
    assert air.states[0].eifs_ns == end_ns + 9_000 + 60_000


def test_a_hidden_station_hears_the_answer_by_hand():
    """And is silent in it, and AIFS after it: it counts down from there."""
    batch, air = run(HIDDEN, [0, 0, 100, 50], 400_000)
    assert (batch.received, batch.failed) == ([1, 0, 0], 0)
    answered_ns = 43_000 + ALONE.busy_ns
    assert air.states[2].idle_ns == answered_ns
    passed = (43_000 + ALONE.ppdu_ns + 16_000 - 43_000) // 9_000 + 1
    assert air.states[2].counter == 100 - passed


def test_a_relay_sends_at_once_what_comes_while_it_is_idle_by_hand():
    """Its counter is 0 and the medium idle: AIFS after its own ACK it sends."""
    chain = [saturated({1}, 1), Node(frozenset({0, 2}), 2), silent({1})]
    end_ns = 2 * (43_000 + ALONE.busy_ns)
    batch, _ = run(chain, [0, 0, 0, 5, 3], end_ns + 40_000)
    assert batch.received == [0, 1, 1]


@pytest.mark.parametrize("stations", [1, 2, 5])
def test_where_all_hear_all_it_is_the_contention_of_saturated_stations(stations):
    run_ = simulate(cell(stations), ONE, 6)
    one = contention.Contender(ALONE.ppdu_ns, ALONE.sifs_ns + ALONE.response_ns, 1, attempts=7)
    model = contention.simulate([one] * stations, 20_000)
    assert run_.received_per_s[0].value == pytest.approx(model.goodput_bit_per_s.value, rel=0.01)
    assert run_.failure_probability.value == pytest.approx(
        model.collision_probability.value, abs=0.01
    )


def test_cells_that_do_not_hear_each_other_do_not_share():
    """Each has what a station alone has, 1 / (AIFS + backoff + exchange)."""
    outcome = simulate([*cell(1), *cell(1, first=2)], ONE, 4)
    for number in (0, 2):
        assert outcome.received_per_s[number].value == pytest.approx(1e9 / ALONE.total_ns, rel=0.01)
    assert outcome.failure_probability.value == 0


def test_rts_protects_long_frames_of_hidden_stations():
    bare = simulate(HIDDEN, Traffic(RATE, MPDU_BYTES, 16), 3)
    careful = simulate(HIDDEN, Traffic(RATE, MPDU_BYTES, 16, Settings(rts=True)), 3)
    assert careful.received_per_s[0].value > 3 * bare.received_per_s[0].value
    assert careful.failure_probability.value < 0.3 < bare.failure_probability.value


def test_rts_costs_a_station_alone_what_the_closed_form_says():
    outcome = simulate(cell(1), Traffic(RATE, MPDU_BYTES, 16, Settings(rts=True)), 4)
    expected = exchange(RATE, MPDU_BYTES, 16, Settings(rts=True))
    assert outcome.received_per_s[0].value == pytest.approx(16e9 / expected.total_ns, rel=0.01)


def test_a_chain_passes_on_what_its_first_hop_takes():
    """Two hops share one medium: each has about half of it; and no frame is lost on the way."""
    chain = [saturated({1, 2}, 1), Node(frozenset({0, 2}), 2), silent({0, 1})]
    outcome = simulate(chain, ONE, 6)
    first, second = (outcome.received_per_s[number].value for number in (1, 2))
    assert first == pytest.approx(second, rel=0.03)
    assert first + second == pytest.approx(3870, rel=0.02), "what two stations have together"


def test_a_frame_comes_once_though_its_answer_is_lost_by_hand():
    """The answer meets a frame that only its receiver hears: 70 us later than the first one's."""
    nodes = [saturated({1, 2}, 1), silent({0}), saturated({3}, 3), silent({2})]
    lost_ns = 43_000 + ALONE.busy_ns  # the answer ends garbled, and EIFS begins
    again_ns = lost_ns + 60_000 + ALONE.aifs_ns + ALONE.busy_ns
    batch, _ = run(nodes, [0, 0, 3, 0, 0, 100], again_ns - 1)
    assert (batch.received, batch.attempts, batch.failed) == ([0, 1, 0, 1], 3, 1)
    batch, air = run(nodes, [0, 0, 3, 0, 0, 100, 5], again_ns)
    assert (batch.received, batch.attempts, batch.failed) == ([0, 1, 0, 1], 3, 1)
    assert air.states[0].failures == 0, "the second answer has come"
