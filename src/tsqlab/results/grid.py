# SPDX-License-Identifier: GPL-2.0-or-later
"""From samples to series: the common time axis of a cell's results.

The axis has a point every step, from the start of the measurement to its end. A sampled
quantity has the value of its sample there; a rate is that of the step which ends there; a
ping's answers come at instants of their own and are interpolated, as Flent does it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Number = float | int
Series = list[Number | None]
Samples = list[dict[str, Any]]
"""Records of one instant each; their values are numbers but for a radio's, by station."""

_REACH_STEPS = 5.0  # Flent does not interpolate to a value that is further ahead than this
_REACH_FIRST_STEPS = 0.5  # Flent does not extend the first value further back than this


def axis(total_s: float, step_s: float) -> list[float]:
    """The points of the time axis, in seconds."""
    step_ns = round(step_s * 1e9)
    return [k * step_ns / 1e9 for k in range(round(total_s / step_s) + 1)]


def goodput_mbps(
    t_ns: NDArray[np.int64], received_bytes: NDArray[np.int64], step_ns: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The rate over the time up to each sample, and that time in seconds.

    *received_bytes* counts from the start of the flow, which the first sample's step contains.
    """
    if not len(t_ns):
        return np.empty(0), np.empty(0)
    duration_ns = np.diff(t_ns, prepend=t_ns[0] - step_ns)
    got_bytes = np.diff(received_bytes, prepend=0)
    return got_bytes * 8e3 / duration_ns, duration_ns / 1e9


def sampled(samples: Iterable[Mapping[str, Any]], key: str, t0_s: float, step_s: float,
            points: int) -> Series:  # fmt: skip
    """The series of *key*: at each point the sample taken there, or None."""
    series: Series = [None] * points
    for sample in samples:
        point = round((sample["t"] - t0_s) / step_s)
        if key in sample and 0 <= point < points:
            series[point] = sample[key]
    return series


def interpolated(samples: Samples, t0_s: float, step_s: float, points: int) -> Series:
    """The series of samples that have instants of their own, interpolated linearly."""
    if not samples:
        return [None] * points
    t_s = np.array([sample["t"] for sample in samples]) - t0_s
    value = np.array([sample["val"] for sample in samples])
    at_s = np.arange(points) * step_s
    after = np.searchsorted(t_s, at_s, side="right")
    ahead_s = t_s[np.minimum(after, len(t_s) - 1)] - at_s
    reach_s = np.where(after == 0, _REACH_FIRST_STEPS, _REACH_STEPS) * step_s
    known = (after < len(t_s)) & (ahead_s <= reach_s)
    between = np.interp(at_s, t_s, value)
    return [round(float(v), 6) if k else None for v, k in zip(between, known, strict=True)]
