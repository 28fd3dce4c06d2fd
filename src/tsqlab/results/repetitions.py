# SPDX-License-Identifier: GPL-2.0-or-later
"""Cells that differ in their seed alone are repetitions of one setting.

A setting is named by the factors that vary in the experiment; what is the same in every cell
says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from tsqlab.metrics.statistics import Estimate, estimate
from tsqlab.results.record import Level

SEED = "seed"

NOTHING = "-"
"""The level of a factor that a cell does not have, beside cells that have it."""

Setting = tuple[tuple[str, Level], ...]
"""Factors and their levels, without the seed."""


class HasFactors(Protocol):
    """Whatever has a place in the matrix."""

    @property
    def factors(self) -> Mapping[str, Level]:
        """Levels by factor."""


class HasMetrics(Protocol):
    """Whatever has a cell's numbers."""

    @property
    def metrics(self) -> Mapping[str, float | None]:
        """Numbers by name; None is one that it does not have."""


Placed = TypeVar("Placed", bound=HasFactors)


def setting_of(factors: Mapping[str, Level]) -> Setting:
    """The setting that a cell repeats."""
    return tuple((name, level) for name, level in factors.items() if name != SEED)


def by_setting(cells: Iterable[Placed]) -> dict[Setting, list[Placed]]:
    """The repetitions of each setting, in the order in which they come."""
    groups: dict[Setting, list[Placed]] = {}
    for cell in cells:
        groups.setdefault(setting_of(cell.factors), []).append(cell)
    return groups


def side_by_side(cells: Iterable[Placed], factor: str) -> list[Placed]:
    """The cells in their order, but those together that differ in a factor and the seed only."""
    groups: dict[frozenset[tuple[str, Level]], list[Placed]] = {}
    for cell in cells:
        rest = frozenset(item for item in cell.factors.items() if item[0] not in (factor, SEED))
        groups.setdefault(rest, []).append(cell)
    return [cell for group in groups.values() for cell in group]


def varying(settings: Sequence[Setting]) -> list[str]:
    """The factors that do not have the same level everywhere."""
    levels: dict[str, set[Level]] = {}
    for setting in settings:
        for name, level in setting:
            levels.setdefault(name, set()).add(level)
    return [name for name, found in levels.items() if len(found) > 1]


def level_texts(setting: Setting, factors: Sequence[str]) -> tuple[str, ...]:
    """The levels of those *factors*, as text."""
    levels = dict(setting)
    return tuple(str(levels[name]) for name in factors if name in levels)


def label(setting: Setting, factors: Sequence[str]) -> str:
    """A setting's name among others that differ in those *factors*."""
    levels = (text for text in level_texts(setting, factors) if text != NOTHING)
    return ", ".join(levels) or "all cells"


def over_seeds(cells: Iterable[HasMetrics], metric: str) -> Estimate | None:
    """The mean of a metric over the cells that have it; None when none has."""
    values = (cell.metrics.get(metric) for cell in cells)
    return estimate([value for value in values if value is not None])


def most_seeds(cells: Iterable[HasFactors]) -> int:
    """How many repetitions a setting has, at most."""
    return max((len(group) for group in by_setting(cells).values()), default=0)
