# SPDX-License-Identifier: GPL-2.0-or-later
"""Statistics of samples: percentiles, means with confidence intervals, fairness.

Over the repetitions of a setting, which differ in their seed alone, a mean has a 95 %
confidence interval after Student: mean ± t(n - 1) * s / sqrt(n), with s the standard
deviation of the sample. It takes the repetitions to be independent and about normal.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

# Two-sided 95 % points of Student's t, for 1 to 30 degrees of freedom and then for some.
# Between those the next lower number of degrees counts, which errs to the wide side.
_T_30 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
_T = dict(enumerate(_T_30, 1)) | {40: 2.021, 60: 2.000, 120: 1.980, 1000: 1.962}
_DEGREES = sorted(_T)


@dataclass(frozen=True)
class Estimate:
    """A mean and how far from it the true one may be."""

    mean: float
    half_width: float | None  # of the 95 % confidence interval; None of a single value
    n: int


def student_t_95(degrees: int) -> float:
    """The two-sided 95 % point of Student's t with that many *degrees* of freedom, >= 1."""
    return _T[_DEGREES[bisect.bisect_right(_DEGREES, degrees) - 1]]


def estimate(values: Sequence[float]) -> Estimate | None:
    """The mean of *values* with its 95 % confidence interval; None when there are none."""
    n = len(values)
    if not n:
        return None
    mean = math.fsum(values) / n
    if n == 1:
        return Estimate(mean, None, n)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    return Estimate(mean, student_t_95(n - 1) * deviation / math.sqrt(n), n)


def percentile(values: ArrayLike, percent: float) -> float | None:
    """The percentile, interpolated linearly between samples; None when there are none."""
    array = np.asarray(values, dtype=float)
    return float(np.percentile(array, percent)) if array.size else None


def mean(values: ArrayLike) -> float | None:
    """The arithmetic mean; None when there are no values."""
    array = np.asarray(values, dtype=float)
    return float(array.mean()) if array.size else None


def jain(shares: Sequence[float]) -> float | None:
    """Jain's fairness index: 1 when all shares are equal, 1/n when one has everything.

    None when there is nothing to share.
    """
    squares = math.fsum(share**2 for share in shares)
    return math.fsum(shares) ** 2 / (len(shares) * squares) if squares else None
