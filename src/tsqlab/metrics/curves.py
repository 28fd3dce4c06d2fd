# SPDX-License-Identifier: GPL-2.0-or-later
"""The step and the span of a curve, over seeds.

The step is the smallest ratio of a level's value to the level's before: 1 or more of a curve that
never falls. The span is the largest ratio of any level's to any other's: 1 of a flat curve. Both
are those of the means over the seeds. (The smallest ratio of each seed's own curve is no measure:
noise makes each of them fall somewhere, so that their mean is below 1 although the truth grows.
And the highest over the lowest of each is above 1 although the truth is flat.)

The 95 % interval follows from those of the single ratios. A ratio of two levels is estimated over
the seeds as one of two means is: its error is the mean of b - R a over the seeds, a and b being a
seed's two levels and R the ratio, so what a seed does to both of them is in neither. These errors
have Student's distribution, each ratio with its own spread, as levels differ in theirs.

- The lower end of the step is the lowest of all ratios' lower ends. The true smallest ratio is one
  of them, and lies below its own lower end in 2.5 % of cases: so does it below the lowest.
- The upper end is the lowest of all upper ends. It is too low if any one of k is, so each of them
  leaves out 2.5 % / k (Bonferroni's bound, which holds although ratios share levels).
- Of the span it is the other way round: the highest of all upper ends is the upper one, and the
  highest of all lower ends, each of which leaves out 2.5 % / k, the lower one; or 1, as no span is
  less.

The interval covers the truth in 95 % of cases or more, whether the curve is flat, grows or falls.
The number itself lies on one side of it where several ratios are nearly the extreme one: of a flat
curve the step is below 1 more often than not, and the span always above, and it is the interval
that says that nothing is settled. A bootstrap would be no way out: three seeds drawn again are
three values, and its intervals are too narrow then.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from tsqlab.metrics.statistics import Estimate, student_t

_OUTSIDE = 0.025  # the share of cases that either end of the interval leaves out


def step(curves: Sequence[Sequence[float]]) -> Estimate:
    """The step of *curves*, one of each seed over the same levels, two or more.

    Raises ZeroDivisionError where a level's mean is 0.
    """
    ratios = [_Ratio(*pair) for pair in itertools.pairwise(zip(*curves, strict=True))]
    number = min(ratio.value for ratio in ratios)
    if len(curves) == 1:
        return Estimate(number, None, 1)
    low = min(ratio.below(_OUTSIDE) for ratio in ratios)
    high = min(ratio.above(_OUTSIDE / len(ratios)) for ratio in ratios)
    return _estimate(number, low, high, len(curves))


def span(curves: Sequence[Sequence[float]]) -> Estimate:
    """The span of *curves*, one of each seed over the same levels, two or more.

    Raises ZeroDivisionError where a level's mean is 0.
    """
    ratios = [_Ratio(*pair) for pair in itertools.permutations(zip(*curves, strict=True), 2)]
    number = max(ratio.value for ratio in ratios)
    if len(curves) == 1:
        return Estimate(number, None, 1)
    low = max(1.0, *(ratio.below(_OUTSIDE / len(ratios)) for ratio in ratios))
    high = max(ratio.above(_OUTSIDE) for ratio in ratios)
    return _estimate(number, low, high, len(curves))


def _estimate(number: float, low: float, high: float, seeds: int) -> Estimate:
    return Estimate(number, max(number - low, high - number), seeds, (low, high))


@dataclass(frozen=True)
class _Ratio:
    """The ratio of two levels' means, each with a value of each seed."""

    before: Sequence[float]
    after: Sequence[float]

    @cached_property
    def value(self) -> float:
        return fmean(self.after) / fmean(self.before)

    def below(self, outside: float) -> float:
        """The lower end of an interval that leaves out that share of cases there."""
        return self.value - student_t(len(self.before) - 1, 1 - outside) * self._error

    def above(self, outside: float) -> float:
        """The upper end of one that leaves out that share there."""
        return self.value + student_t(len(self.before) - 1, 1 - outside) * self._error

    @cached_property
    def _error(self) -> float:
        """The standard error, paired by seeds."""
        n = len(self.before)
        residuals = [b - self.value * a for a, b in zip(self.before, self.after, strict=True)]
        scale = abs(fmean(self.before))
        return math.sqrt(math.fsum(one**2 for one in residuals) / (n - 1) / n) / scale
