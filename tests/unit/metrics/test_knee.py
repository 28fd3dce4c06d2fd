# SPDX-License-Identifier: GPL-2.0-or-later
"""The knee of a curve, and how sure it is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsqlab.metrics.knee import WITHIN, find_knee
from tsqlab.paths import ROOT

LIMITS = [1.0, 2.0, 4.0, 6.0, 8.0]
CURVE = [40.0, 60.0, 85.0, 98.0, 100.0]


def seeds(*rows):
    return np.array(rows)


def test_the_smallest_limit_within_three_percent():
    knee = find_knee(LIMITS, seeds(CURVE))
    assert (knee.limit, knee.goodput, knee.best) == (6, 98, 100)
    assert (knee.low, knee.high) == (None, None), "one seed has no interval"


def test_exactly_three_percent_is_enough():
    assert find_knee([1.0, 2.0], seeds([97.0, 100.0])).limit == 1
    assert find_knee([1.0, 2.0], seeds([96.9, 100.0])).limit == 2


def test_a_flat_curve_has_its_knee_at_the_start():
    assert find_knee(LIMITS, seeds([95.0] * 5)).limit == 1


def test_a_dip_beyond_the_knee_does_not_move_it():
    assert find_knee(LIMITS, seeds([40.0, 99.0, 90.0, 100.0, 95.0])).limit == 2


def test_no_limit_at_all_counts_for_the_best():
    assert find_knee(LIMITS, seeds(CURVE), np.array([102.0])).limit == 8
    assert find_knee(LIMITS, seeds(CURVE), np.array([99.0])).limit == 6
    assert find_knee(LIMITS, seeds(CURVE), np.array([110.0])) is None


def test_equal_seeds_leave_no_doubt():
    knee = find_knee(LIMITS, seeds(CURVE, CURVE, CURVE))
    assert (knee.low, knee.limit, knee.high) == (6, 6, 6)


def test_seeds_that_disagree_widen_the_interval():
    early, late = [40.0, 60.0, 99.0, 99.5, 100.0], [40.0, 60.0, 80.0, 90.0, 100.0]
    knee = find_knee(LIMITS, seeds(early, late, early, late, early))
    assert (knee.low, knee.high) == (4, 8)
    assert knee == find_knee(LIMITS, seeds(early, late, early, late, early)), "the same each time"


def test_draws_without_a_knee_are_counted():
    goodputs = seeds(CURVE, CURVE, CURVE)
    knee = find_knee(LIMITS, goodputs, np.array([100.0, 100.0, 108.0]))
    assert knee.limit == 8
    assert knee.high == 8
    assert 0.2 < knee.missed < 0.4, "the third seed was drawn at least twice: 7 of 27"


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.lists(
            st.lists(st.floats(1, 1000), min_size=4, max_size=4), min_size=n, max_size=n
        )
    )
)
def test_the_knee_is_the_first_that_is_enough(rows):
    goodputs = np.array(rows)
    knee = find_knee([1.0, 2.0, 3.0, 4.0], goodputs)
    mean = goodputs.mean(axis=0)
    at = int(knee.limit) - 1
    assert mean[at] >= (1 - WITHIN) * mean.max()
    assert (mean[:at] < (1 - WITHIN) * mean.max()).all()
    if knee.low is not None:
        assert knee.low <= knee.high


@pytest.mark.parametrize("count", [3, 5, 8])
def test_more_noise_never_narrows(count):
    random = np.random.default_rng(1)
    noise = random.normal(size=(count, 5))
    widths = []
    for size in (0.0, 8.0):
        knee = find_knee(LIMITS, np.array(CURVE) + size * noise)
        widths.append(knee.high - knee.low)
    assert widths[0] <= widths[1]


@pytest.mark.parametrize("page", ["claims.md", "tune.md"])
def test_the_docs_say_how_near_is_enough(page):
    text = " ".join((ROOT / "docs" / page).read_text().split())
    assert f"is within {100 * WITHIN:.0f} % of" in text
