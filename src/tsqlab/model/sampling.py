# SPDX-License-Identifier: GPL-2.0-or-later
"""How sure a simulated number is: batch means.

A run is cut into batches that are long beside whatever the system remembers, so that they are
nearly independent; the spread between them gives the standard error of the whole.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

BATCHES = 20


@dataclass(frozen=True)
class Sampled:
    """What a run has shown, and its standard error."""

    value: float
    standard_error: float


def ratio(numerators: Sequence[float], denominators: Sequence[float]) -> Sampled:
    """The ratio of two sums over batches, with the standard error of a ratio estimator."""
    n = len(numerators)
    total = math.fsum(denominators)
    value = math.fsum(numerators) / total
    squares = math.fsum(
        (above - value * below) ** 2 for above, below in zip(numerators, denominators, strict=True)
    )
    return Sampled(value, math.sqrt(squares * n / (n - 1)) / total)
