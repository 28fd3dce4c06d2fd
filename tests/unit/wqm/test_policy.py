# SPDX-License-Identifier: GPL-2.0-or-later
"""WQM's policy: by hand, and C against Python over a hundred thousand random steps."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest

import wqm_c
from tsqlab.model import wqm
from tsqlab.model.wqm import Interval, Policy

FAST = Interval(rate_kbps=144_400, backlog_bytes=0, free_permille=1000, sent=True)
"""B_min is 42 here, B_initial 49, and 2.5 ms are 45,125 bytes."""
EMPTY, LONG = FAST, replace(FAST, backlog_bytes=45_126)
ALARMS = (None, "low", "high")


def limits(policy, *intervals):
    return [policy.step(seen) for seen in intervals]


@pytest.fixture(scope="module")
def c(tmp_path_factory):
    return wqm_c.compiled_policy(tmp_path_factory.mktemp("policy"))


@pytest.mark.parametrize(
    ("rate_kbps", "least", "start"),
    [
        (1, 1, 1),
        (6_500, 1, 1),  # two would be in the air for 3.8 ms
        (7_200, 2, 2),
        (13_000, 4, 4),
        (65_000, 21, 24),
        (144_400, 42, 49),
        (600_000, 42, 66),  # 65,535 bytes; the paper's 64 frames are for B_max
        (1_200_000, 42, 87),
        (wqm.RATE_MAX_KBPS, 42, 95),
    ],
)
def test_the_bounds_and_the_start_at_the_papers_rates(c, rate_kbps, least, start):
    assert wqm.buffer_min_packets(rate_kbps) == least
    assert wqm.buffer_start_packets(rate_kbps) == start
    assert c.wqm_buffer_min_packets(rate_kbps) == least
    assert c.wqm_buffer_start_packets(rate_kbps) == start


@pytest.mark.parametrize("rate_kbps", [6_500, 13_000, 65_000, 144_400])
def test_the_start_is_the_whole_part_of_the_closed_form(rate_kbps):
    frames = wqm.buffer_min_packets(rate_kbps)
    held = wqm.initial_buffer_packets(1000 * rate_kbps, frames)
    assert wqm.buffer_start_packets(rate_kbps) == int(held)


def test_two_long_queues_in_a_row_halve_the_limit_and_one_does_not():
    policy = Policy()
    policy.buffer_packets = 95
    assert limits(policy, LONG, LONG, LONG) == [95, 47, 42]


def test_two_short_queues_in_a_row_add_one_and_each_further_one_another():
    assert limits(Policy(), EMPTY, EMPTY, EMPTY, EMPTY) == [49, 50, 51, 52]


def test_an_alarm_is_cleared_by_one_of_the_other_kind():
    policy = Policy()
    assert limits(policy, LONG, EMPTY, LONG, EMPTY, EMPTY, LONG) == [49, 49, 49, 49, 50, 50]
    assert policy.alarm == "high"


def test_a_queue_that_drains_in_the_very_limit_changes_nothing():
    """45,125 bytes at 144.4 Mbit/s: the alarm stays, too."""
    exact = replace(FAST, backlog_bytes=45_125)
    assert exact.drain_ns == wqm.DRAIN_LIMIT_NS
    assert limits(Policy(), EMPTY, exact, exact, EMPTY) == [49, 49, 49, 50]


def test_the_limit_stays_between_its_bounds():
    policy = Policy()
    assert limits(policy, *[LONG] * 50)[-1] == 42
    assert limits(policy, *[EMPTY] * 100)[-1] == wqm.BUFFER_MAX_PACKETS


def test_a_faster_rate_lifts_the_limit_to_its_bound_at_once():
    policy = Policy()
    slow = replace(LONG, rate_kbps=13_000)
    assert limits(policy, slow, slow, slow) == [4, 4, 4]
    assert limits(policy, LONG) == [42]


def test_an_interval_without_sending_or_a_rate_keeps_all():
    policy = Policy()
    nothing = (replace(LONG, sent=False), replace(LONG, rate_kbps=0))
    assert limits(policy, *nothing) == [None, None]
    assert limits(policy, LONG, *nothing) == [49, 49, 49]
    assert policy.alarm == "high"
    assert limits(policy, LONG) == [42]


def test_a_free_share_below_a_20th_counts_as_a_20th():
    least = replace(FAST, backlog_bytes=45_125, free_permille=50)
    assert least.drain_ns == 20 * wqm.DRAIN_LIMIT_NS
    assert replace(least, free_permille=0).drain_ns == least.drain_ns


def test_the_drain_time_is_the_papers_rounded_down():
    seen = Interval(rate_kbps=65_000, backlog_bytes=31_500, free_permille=700, sent=True)
    exact = Fraction(8 * 31_500, 65_000_000) / Fraction(7, 10) * 10**9
    assert seen.drain_ns == int(exact)
    assert seen.drain_ns == int(wqm.drain_ns(31_500, 65e6, 0.7))


def random_interval(rng):
    """All sizes of numbers alike, and often what a radio says."""
    usual = rng.random() < 0.7
    return Interval(
        rate_kbps=rng.choice((0, 6_500, 13_000, 65_000, 144_400, 600_000))
        if usual
        else rng.getrandbits(rng.randint(0, 32)),
        backlog_bytes=rng.randint(0, 80) * 1514 if usual else rng.getrandbits(rng.randint(0, 32)),
        free_permille=rng.randint(0, 1000),
        sent=rng.random() < 0.9,
    )


def test_c_and_python_are_equal_over_a_hundred_thousand_steps(c):
    """The same limit, drain time and alarm after each; a new policy every 100 steps.

    A tenth of the intervals are one of which a third of the policies have the very drain limit.
    """
    rng = random.Random(15)
    halved = 0
    for step in range(100_000):
        if step % 100 == 0:
            exact = replace(random_interval(rng), rate_kbps=rng.choice((6_500, 65_000, 144_400)))
            drain_limit_ns = rng.choice((wqm.DRAIN_LIMIT_NS, rng.randint(0, 10**8), exact.drain_ns))
            here, there = Policy(drain_limit_ns), c.wqm_policy(drain_limit_ns)
        seen = exact if rng.random() < 0.1 else random_interval(rng)
        before = there.buffer_packets
        as_c = wqm_c.Interval(seen.rate_kbps, seen.backlog_bytes, seen.free_permille, seen.sent)
        limit = c.wqm_policy_step(there, as_c)
        assert limit == (here.step(seen) or 0)
        assert ALARMS[there.alarm] == here.alarm
        assert c.wqm_drain_ns(as_c) == (seen.drain_ns if seen.rate_kbps else 0)
        halved += limit < before
    assert halved > 1000
