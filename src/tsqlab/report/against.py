# SPDX-License-Identifier: GPL-2.0-or-later
"""Differences to one level of a factor, as text: "+1.43 ± 0.20", or that there is none at all."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from tsqlab.errors import UsageError
from tsqlab.experiment.stored import Result
from tsqlab.metrics.statistics import Estimate
from tsqlab.report.table import format_estimate
from tsqlab.results.paired import Against, difference, is_reference, pairs
from tsqlab.results.repetitions import SEED, Setting, by_setting

IDENTICAL = "identical"
"""What stands for differences between cells whose data are the same, to the last digit."""

_CHANGES = ("goodput_mbps", "ping_ms")
"""What the metrics begin with whose differences are worth a column unless others are asked for."""


def check_against(results: Sequence[Result], against: Against) -> None:
    """Whether there is something to compare. Raises UsageError."""
    for name, level in against.items():
        levels = dict.fromkeys(str(result.factors[name]) for result in results
                               if name in result.factors)  # fmt: skip
        if name == SEED:
            raise UsageError("against: seeds repeat a setting; name another factor")
        if not levels:
            known = dict.fromkeys(name for result in results for name in result.factors)
            factors = ", ".join(name for name in known if name != SEED) or "none"
            raise UsageError(f'against: no factor "{name}" varies; there are {factors}')
        if str(level) not in levels:
            raise UsageError(
                f'against: {name} has no level "{level}"; there are {", ".join(levels)}'
            )
    if against and not pairs(results, against):
        raise UsageError(
            f"against: no cell has a counterpart at {level_text(against)} with the same seed"
        )


def level_text(against: Against) -> str:
    """The levels that others are compared to: "6.12", or with several "6.12, TSQ"."""
    return ", ".join(map(str, against.values()))


def compared(metric: str, columns: Sequence[str]) -> bool:
    """Whether differences of a metric stand beside it, where a user asked for *columns* or none."""
    return bool(columns) or metric.startswith(_CHANGES)


def differences(results: Sequence[Result], against: Against, metric: str) -> Mapping[Setting, str]:
    """The difference of each setting's metric, as text."""
    found = pairs(results, against)
    return {
        setting: "" if is_reference(setting, against) else _text(found.get(setting, []), metric)
        for setting in by_setting(results)
    }


def _text(both: Sequence[tuple[Result, Result]], metric: str) -> str:
    value = difference(both, metric)
    if value is None:
        return "-"
    if all(same_data(cell, other) for cell, other in both):
        return IDENTICAL
    return signed(value)


def signed(value: Estimate) -> str:
    """A difference, with its sign."""
    text = format_estimate(value)
    return text.replace("-", "−", 1) if value.mean < 0 else f"+{text}"


def same_data(one: Result, other: Result) -> bool:
    """Whether two cells measured the same at every instant; how long they took does not count."""
    numbers = [{name: value for name, value in cell.metrics.items() if name != "wall_s"}
               for cell in (one, other)]  # fmt: skip
    return numbers[0] == numbers[1] and _same(one.trace, other.trace)


def _same(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if dataclasses.is_dataclass(one) and type(one) is type(other):
        return all(_same(getattr(one, field.name), getattr(other, field.name))
                   for field in dataclasses.fields(one))  # fmt: skip
    return one == other
