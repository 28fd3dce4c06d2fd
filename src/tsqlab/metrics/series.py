# SPDX-License-Identifier: GPL-2.0-or-later
"""Arrays over time, out of a Flent document's records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MISSING = -1.0
"""What stands for a value that a sample does not have."""

_INSTANT_S = 1e-3  # two samples are never so near; Unix time as a float is not exact
_VALUE_MAX = 1e19  # a counter of 64 bits is less


@dataclass(frozen=True)
class Samples:
    """Values over time."""

    t_s: Floats
    value: Floats

    def between(self, begin_s: float, end_s: float) -> Floats:
        """The values from *begin_s* to *end_s*."""
        return self.value[_inside(self.t_s, begin_s, end_s)]


@dataclass(frozen=True)
class Rows:
    """Values that are sampled together, by their keys in a file."""

    t_s: Floats
    value: Mapping[str, Floats]  # MISSING where a sample has none

    def between(self, begin_s: float, end_s: float) -> Rows:
        """The samples from *begin_s* to *end_s*."""
        inside = _inside(self.t_s, begin_s, end_s)
        return Rows(self.t_s[inside], {key: value[inside] for key, value in self.value.items()})


def _inside(t_s: Floats, begin_s: float, end_s: float) -> NDArray[np.bool_]:
    return (t_s >= begin_s - _INSTANT_S) & (t_s <= end_s + _INSTANT_S)


def rows(records: list[dict[str, Any]], keys: Sequence[str], t0_unix_s: float) -> Rows:
    """The records that have any of the keys, with all of these."""
    have = [record for record in records if any(key in record for key in keys)]
    values = {key: numbers(have, key, MISSING) for key in keys}
    return Rows(numbers(have, "t") - t0_unix_s, values)


def samples(records: list[dict[str, Any]], key: str, t0_unix_s: float) -> Samples:
    """The values of *key* of the records that have one."""
    have = [record for record in records if record.get(key) is not None]
    return Samples(numbers(have, "t") - t0_unix_s, numbers(have, key))


def numbers(records: list[dict[str, Any]], key: str, default: float | None = None) -> Floats:
    """The values of *key*, which every record has if there is no default. Raises ValueError."""
    values = [record[key] if default is None else record.get(key, default) for record in records]
    if not set(map(type, values)) <= {int, float}:
        raise ValueError(f'a sample\'s "{key}" is no number')
    found = np.array(values, dtype=float)
    if not (np.abs(found) <= _VALUE_MAX).all():
        raise ValueError(f'a sample\'s "{key}" is more than {_VALUE_MAX:g}')
    return found


def share_of_time(counter_ns: Samples, begin_s: float, end_s: float) -> float | None:
    """How fast a time grows, of the time in which it does."""
    within = (counter_ns.t_s >= begin_s) & (counter_ns.t_s <= end_s)
    t_s, value_ns = counter_ns.t_s[within], counter_ns.value[within]
    if len(t_s) < 2 or t_s[-1] <= t_s[0]:
        return None
    return float((value_ns[-1] - value_ns[0]) / 1e9 / (t_s[-1] - t_s[0]))
