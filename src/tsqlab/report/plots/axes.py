# SPDX-License-Identifier: GPL-2.0-or-later
"""Axes that begin at zero, or are logarithmic where the values span decades."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axis import Axis, XAxis
from matplotlib.ticker import FuncFormatter

from tsqlab.metrics.document import Floats

LABELS = {"tcp_rtt_ms": "TCP RTT (ms)", "ping_ms": "ping (ms)",
          "aggregate": "frames in an aggregate"}  # fmt: skip

_LOG_FROM_DECADES = 2.0
_ROOM = 0.08  # the share of an axis that is free beyond the values


def short(value: float) -> str:
    """A number to three significant digits, without an exponent where it is large."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def spans_decades(values: Iterable[Floats]) -> bool:
    """Whether positive values span more than two decades."""
    low, high = _ends(values)
    return bool(np.log10(high / low) > _LOG_FROM_DECADES)


def scale(axis: Axis, values: Sequence[Floats]) -> bool:
    """Scale an axis for *values*, with room about them; returns whether it is logarithmic."""
    horizontal = isinstance(axis, XAxis)
    low, high = _ends(values)
    log = spans_decades(values)
    if log:
        (axis.axes.set_xscale if horizontal else axis.axes.set_yscale)("log")
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        room = (high / low) ** _ROOM
        limits = low / room, high * room
    else:
        limits = 0.0, high * (1 + _ROOM)
    (axis.axes.set_xlim if horizontal else axis.axes.set_ylim)(*limits)
    return log


def _ends(values: Iterable[Floats]) -> tuple[float, float]:
    positive = [part[part > 0] for part in values]
    ends = [(float(part.min()), float(part.max())) for part in positive if part.size]
    return min((low for low, _ in ends), default=1.0), max((high for _, high in ends), default=1.0)
