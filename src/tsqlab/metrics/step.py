# SPDX-License-Identifier: GPL-2.0-or-later
"""The step of a curve: the smallest ratio of a level's value to the level's before.

It is 1 or more of a curve that never falls, and it is that of the means over the seeds. (The
smallest ratio of each seed's own curve is no measure of it: noise makes each of them fall
somewhere, so that their mean is below 1 although the truth grows.)

Its 95 % interval follows from those of the single steps. A step is estimated over the seeds as a
ratio of two means is: its error is the mean of b - R a over the seeds, a and b being a seed's two
levels and R the ratio, so what a seed does to both of them is in neither. These errors have
Student's distribution, each step with its own spread, as levels differ in theirs.

- The lower end is the lowest of all steps' lower ends. The true smallest step is one of them, and
  lies below its own lower end in 2.5 % of cases: so does it below the lowest.
- The upper end is the lowest of all upper ends. It is too low if any one of k is, so each of them
  leaves out 2.5 % / k (Bonferroni's bound, which holds although neighbours share a level).

The interval covers the truth in 95 % of cases or more, whether the curve is flat, grows or falls.
The number itself lies on the low side of it where several steps are nearly the smallest: of a flat
curve it is below 1 more often than not, and it is the interval that says that nothing is settled.
A bootstrap would be no way out: three seeds drawn again are three values, and its intervals are
too narrow then.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from statistics import fmean

from tsqlab.metrics.statistics import Estimate, student_t

_OUTSIDE = 0.025  # the share of cases that either end of the interval leaves out


def step(curves: Sequence[Sequence[float]]) -> Estimate:
    """The step of *curves*, one of each seed over the same levels, two or more.

    Raises ZeroDivisionError where a level's mean is 0.
    """
    pairs = list(itertools.pairwise(zip(*curves, strict=True)))
    ratios = [fmean(after) / fmean(before) for before, after in pairs]
    seeds = len(curves)
    if seeds == 1:
        return Estimate(min(ratios), None, seeds)
    errors = [_error(before, after, ratio)
              for (before, after), ratio in zip(pairs, ratios, strict=True)]  # fmt: skip
    below = student_t(seeds - 1, 1 - _OUTSIDE)
    above = student_t(seeds - 1, 1 - _OUTSIDE / len(pairs))
    low = min(ratio - below * error for ratio, error in zip(ratios, errors, strict=True))
    high = min(ratio + above * error for ratio, error in zip(ratios, errors, strict=True))
    number = min(ratios)
    return Estimate(number, max(number - low, high - number), seeds, (low, high))


def _error(before: Sequence[float], after: Sequence[float], ratio: float) -> float:
    """The standard error of a ratio of two means, paired."""
    n = len(before)
    residuals = [b - ratio * a for a, b in zip(before, after, strict=True)]
    return math.sqrt(math.fsum(one**2 for one in residuals) / (n - 1) / n) / abs(fmean(before))
