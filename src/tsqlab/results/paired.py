# SPDX-License-Identifier: GPL-2.0-or-later
"""Differences between settings, paired by seed.

A cell has a counterpart in the setting that differs from its own only in the levels that are
named, and has the same seed. The difference of each such pair is a number of its own, and what
seeds have in common (the instants at which flows start, the draws of the air) is in neither. The
mean of these numbers has the confidence interval that any mean has (tsqlab.metrics.statistics).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from tsqlab.metrics.statistics import Estimate, estimate
from tsqlab.results.record import Level
from tsqlab.results.repetitions import SEED, HasFactors, Setting, by_setting

Against = Mapping[str, Level]
"""Factors, and the level of each that others are compared to."""


class Cell(HasFactors, Protocol):
    """Whatever has a place in the matrix, and numbers."""

    @property
    def metrics(self) -> Mapping[str, float | None]:
        """Numbers by name; None is one that it does not have."""


Paired = TypeVar("Paired", bound=HasFactors)


def is_reference(setting: Setting, against: Against) -> bool:
    """Whether a setting has the levels that others are compared to."""
    return _moved(setting, against) == _moved(setting, {})


def pairs(cells: Sequence[Paired], against: Against) -> dict[Setting, list[tuple[Paired, Paired]]]:
    """Each setting's cells with their counterparts; a setting that has none is not there."""
    groups = by_setting(cells)
    places = {_moved(setting, {}): setting for setting in groups}
    found: dict[Setting, list[tuple[Paired, Paired]]] = {}
    for setting, own in groups.items():
        counterpart = places.get(_moved(setting, against))
        if counterpart is None or counterpart == setting:
            continue
        others = {cell.factors.get(SEED): cell for cell in groups[counterpart]}
        both = [(cell, others[cell.factors.get(SEED)]) for cell in own
                if cell.factors.get(SEED) in others]  # fmt: skip
        if both:
            found[setting] = both
    return found


def difference(both: Sequence[tuple[Cell, Cell]], metric: str) -> Estimate | None:
    """The mean of how much each cell is above its counterpart; None where none has the number."""
    numbers = ((cell.metrics.get(metric), other.metrics.get(metric)) for cell, other in both)
    return estimate([one - other for one, other in numbers if one is not None
                     and other is not None])  # fmt: skip


def _moved(setting: Setting, against: Against) -> frozenset[tuple[str, str]]:
    """A setting with other levels, as texts: what a user writes has no types."""
    levels = {name: str(level) for name, level in setting}
    return frozenset((levels | {name: str(level) for name, level in against.items()}).items())
