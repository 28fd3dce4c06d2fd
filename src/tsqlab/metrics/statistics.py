# SPDX-License-Identifier: GPL-2.0-or-later
"""Statistics of samples: percentiles, means with confidence intervals, fairness.

Over the repetitions of a setting, which differ in their seed alone, a mean has a 95 %
confidence interval after Student: mean ± t(n - 1) * s / sqrt(n), with s the standard
deviation of the sample. It takes the repetitions to be independent and about normal.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Estimate:
    """A mean and how far from it the true one may be."""

    mean: float
    half_width: float | None  # half of the 95 % confidence interval; None for a single value
    n: int
    # The interval's ends, where the mean is not in its middle; half_width is then the longer half.
    skewed: tuple[float, float] | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the interval; the mean itself where there is none."""
        half = self.half_width or 0.0
        return self.skewed or (self.mean - half, self.mean + half)


def student_t_95(degrees: int) -> float:
    """The two-sided 95 % point of Student's t with that many *degrees* of freedom, >= 1."""
    return student_t(degrees, 0.975)


@functools.cache
def student_t(degrees: int, share: float) -> float:
    """The point of Student's t below which that *share* of it lies."""
    # scipy.special takes 0.2 s, which a command without intervals need not wait for;
    # scipy.stats, whose t.ppf() is the same function, takes 0.6 s.
    from scipy.special import stdtrit  # noqa: PLC0415

    return float(stdtrit(degrees, share))


def estimate(values: Sequence[float]) -> Estimate | None:
    """The mean of *values* with its 95 % confidence interval; None when there are none."""
    n = len(values)
    if not n:
        return None
    mean = fmean(values)
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


PERCENTILES = (10, 50, 90)
"""Those that a distribution is told by."""


def distribution(name: str, values: ArrayLike) -> dict[str, float | None]:
    """The numbers of a quantity that has many samples: its percentiles, and its mean."""
    numbers = {f"{name}_p{q}": percentile(values, q) for q in PERCENTILES}
    return numbers | {f"{name}_mean": mean(values)}


def jain(shares: Sequence[float]) -> float | None:
    """Jain's fairness index: 1 when all shares are equal, 1/n when one has everything.

    None when there is nothing to share.
    """
    squares = math.fsum(share**2 for share in shares)
    return math.fsum(shares) ** 2 / (len(shares) * squares) if squares else None
