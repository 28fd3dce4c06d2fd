# SPDX-License-Identifier: GPL-2.0-or-later
"""The knee of a curve: the smallest limit that has all but a few percent of the best goodput.

Every limit was run with the same seeds. The knee is that of the means over the seeds. Its
interval is a bootstrap's: the seeds are drawn again with replacement, all limits of a seed
together, and the means and their knee are computed again; the interval holds the middle 95 % of
these knees. Only the limits that were tried can be knees, so the ends of the interval are among
them, and it is no narrower than the steps between them. Fewer than three seeds give no interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from tsqlab.metrics.series import Floats

WITHIN = 0.03
"""A goodput below the best by at most this share is good enough; the bound is chosen."""

_Number = TypeVar("_Number", float, Floats)

_DRAWS = 2000  # a chosen number
_SEEDS_MIN = 3


@dataclass(frozen=True)
class Knee:
    """The smallest limit that is enough."""

    limit: float
    goodput: float  # the mean goodput at the knee
    best: float  # the highest mean goodput
    low: float | None = None  # the lower end of the interval; None, like *high*, with too few seeds
    high: float | None = None
    missed: float = 0.0  # the share of draws in which no limit was enough


def find_knee(
    limits: Sequence[float], goodputs: Floats, reference: Floats | None = None
) -> Knee | None:
    """The knee of *goodputs*, a row per seed and a column per limit, which ascend.

    *reference* is the goodput of each seed with no limit: where that is higher than any limit's
    it is the best, and where no limit comes near it there is no knee, None.
    """
    mean = goodputs.mean(axis=0)
    best = float(mean.max())
    if reference is not None:
        best = max(best, float(reference.mean()))
    first = first_enough(mean, best)
    if first is None:
        return None
    knee = Knee(limits[first], float(mean[first]), best)
    seeds = len(goodputs)
    if seeds < _SEEDS_MIN:
        return knee
    # The seed is fixed, so the same results give the same interval.
    draws = np.random.default_rng(seeds).integers(0, seeds, (_DRAWS, seeds))
    means = goodputs[draws].mean(axis=1)
    bests = means.max(axis=1)
    if reference is not None:
        bests = np.maximum(bests, reference[draws].mean(axis=1))
    enough = means >= _enough(bests)[:, np.newaxis]
    # A draw without a knee counts as one whose knee is beyond the last limit.
    places = np.sort(np.where(enough.any(axis=1), enough.argmax(axis=1), len(limits)))
    low, high = (int(places[round(share * (_DRAWS - 1))]) for share in (0.025, 0.975))
    last = len(limits) - 1
    return Knee(
        knee.limit, knee.goodput, best, limits[min(low, last)], limits[min(high, last)],
        float(np.mean(places > last)),
    )  # fmt: skip


def first_enough(values: ArrayLike, best: float) -> int | None:
    """The place of the first value that is within WITHIN of *best*; None when there is none."""
    enough = np.flatnonzero(np.asarray(values) >= _enough(best))
    return int(enough[0]) if enough.size else None


def _enough(best: _Number) -> _Number:
    """What is good enough beside *best*, be that one goodput or an array of them."""
    return (1 - WITHIN) * best
