# SPDX-License-Identifier: GPL-2.0-or-later
"""The step and the span of a curve, and how often their intervals have the truth."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsqlab.metrics.curves import span, step
from tsqlab.metrics.statistics import Estimate, student_t

FLAT = (100.0,) * 5
GROWS = (40.0, 60.0, 80.0, 90.0, 92.0)
FALLS = (40.0, 60.0, 80.0, 76.0, 90.0)
RUNS = 1000


def test_it_is_that_of_the_mean_curve() -> None:
    """Two of these seeds fall somewhere, and the means grow: 4.35, 4.38, 4.41."""
    seeds = [(4.27, 4.29, 4.34), (4.37, 4.36, 4.48), (4.41, 4.49, 4.41)]
    found = step(seeds)
    assert found.mean == pytest.approx(13.23 / 13.14)
    assert found.mean > 1
    assert found.n == 3
    each = [min(two / one, three / two) for one, two, three in seeds]
    assert np.mean(each) < 1, "as the step was once"


def test_an_interval_worked_by_hand() -> None:
    # Means 10 and 12, R = 1.2; residuals b - 1.2 a: -0.8, 0, 0.8; their error: 0.8 / sqrt(3) / 10.
    found = step([(9.0, 10.0), (10.0, 12.0), (11.0, 14.0)])
    half = student_t(2, 0.975) * 0.8 / 3**0.5 / 10
    assert found.mean == pytest.approx(1.2)
    assert found.ends == pytest.approx((1.2 - half, 1.2 + half)), "a single step is a ratio"


def test_what_a_seed_does_to_all_levels_is_no_noise() -> None:
    found = step([(10.0, 20.0, 30.0), (11.0, 22.0, 33.0), (8.0, 16.0, 24.0)])
    assert found.mean == pytest.approx(1.5)
    assert found.ends == pytest.approx((1.5, 1.5))


def test_one_seed_has_no_interval() -> None:
    assert step([(1.0, 2.0, 3.0)]).half_width is None
    with pytest.raises(ZeroDivisionError):
        step([(0.0, 1.0), (0.0, 2.0)])


@given(st.lists(st.tuples(*[st.floats(1, 1e6)] * 4), min_size=2, max_size=6))
def test_the_number_lies_in_its_interval(curves: list[tuple[float, ...]]) -> None:
    found = step(curves)
    low, high = found.ends
    slack = 1e-9 * found.mean
    assert low - slack <= found.mean <= high + slack


def drawn(
    truth: tuple[float, ...],
    seeds: int,
    noise: float,
    measure: Callable[[list[list[float]]], Estimate] = step,
) -> list[tuple[float, float, float]]:
    """A measure and the ends of its interval in many runs over a noisy curve.

    A seed moves all levels alike, by 5 %, and each by itself, by *noise*; the first level, as TSQ's
    is, by three times as much.
    """
    random = np.random.default_rng(seeds)
    shape = (RUNS, seeds, len(truth))
    spread = noise * np.array([3, *[1] * (len(truth) - 1)])
    common = random.normal(1, 0.05, (RUNS, seeds, 1))
    curves = np.array(truth) * common * random.normal(1, spread, shape)
    found = [measure(run.tolist()) for run in curves]
    return [(one.mean, *one.ends) for one in found]


@pytest.mark.parametrize("seeds", [3, 5, 10])
@pytest.mark.parametrize("truth", [FLAT, GROWS, FALLS], ids=["flat", "grows", "falls"])
def test_the_interval_has_the_truth_in_95_of_100_runs(truth: tuple[float, ...], seeds: int) -> None:
    true_step = min(after / before for before, after in itertools.pairwise(truth))
    runs = drawn(truth, seeds, 0.01)
    covered = np.mean([low <= true_step <= high for _, low, high in runs])
    # Two standard errors of a share of 0.95 in so many runs.
    assert covered >= 0.95 - 2 * (0.95 * 0.05 / RUNS) ** 0.5


@pytest.mark.parametrize("seeds", [3, 5, 10])
def test_a_settled_verdict_on_growth_is_wrong_in_5_of_100_runs_at_most(seeds: int) -> None:
    """Settled is what has 1 outside of its interval; a flat curve is at the bound, and holds."""
    for truth, wrong in ((FLAT, "falls"), (GROWS, "falls"), (FALLS, "grows")):
        runs = drawn(truth, seeds, 0.01)
        settled = ["falls" if high < 1 else "grows" if low > 1 else "" for _, low, high in runs]
        assert settled.count(wrong) <= 0.05 * RUNS


def test_seeds_enough_settle_what_can_be_settled() -> None:
    for truth, right in ((GROWS, "grows"), (FALLS, "falls")):
        runs = drawn(truth, 20, 0.01)
        settled = ["falls" if high < 1 else "grows" if low > 1 else "" for _, low, high in runs]
        assert settled.count(right) >= 0.95 * RUNS


def test_a_growing_curve_is_no_longer_said_to_fall() -> None:
    """Steps of 2.2 % and more under a noise of 1 %: the mean of each seed's own step is below 1."""
    runs = drawn(GROWS, 5, 0.01)
    assert np.mean([mean >= 1 for mean, _, _ in runs]) >= 0.95


def test_a_span_is_that_of_the_mean_curve() -> None:
    """Each of these seeds goes up and down, and the means do not."""
    seeds = [(10.0, 12.0, 11.0), (12.0, 11.0, 10.0), (11.0, 10.0, 12.0)]
    found = span(seeds)
    assert found.mean == pytest.approx(1)
    assert found.ends[0] == 1, "no span is less"
    assert np.mean([max(one) / min(one) for one in seeds]) == pytest.approx(1.2), "as it was once"


def test_the_interval_of_a_span_worked_by_hand() -> None:
    # The ratio of the step's test above; the other way round it is less than 1.
    found = span([(9.0, 10.0), (10.0, 12.0), (11.0, 14.0)])
    error = 0.8 / 3**0.5 / 10
    assert found.mean == pytest.approx(1.2)
    high = 1.2 + student_t(2, 0.975) * error
    low = 1.2 - student_t(2, 1 - 0.025 / 2) * error
    assert found.ends == pytest.approx((max(1, low), high))


def test_a_span_of_one_seed_has_no_interval() -> None:
    found = span([(3.0, 2.0, 4.0)])
    assert (found.mean, found.half_width) == (2, None)
    with pytest.raises(ZeroDivisionError):
        span([(0.0, 1.0), (0.0, 2.0)])


@pytest.mark.parametrize("seeds", [3, 5, 10])
@pytest.mark.parametrize("truth", [FLAT, GROWS, FALLS], ids=["flat", "grows", "falls"])
def test_a_spans_interval_has_the_truth_in_95_of_100_runs(
    truth: tuple[float, ...], seeds: int
) -> None:
    runs = drawn(truth, seeds, 0.01, span)
    true_span = max(truth) / min(truth)
    covered = np.mean([low <= true_span <= high for _, low, high in runs])
    assert covered >= 0.95 - 2 * (0.95 * 0.05 / RUNS) ** 0.5
