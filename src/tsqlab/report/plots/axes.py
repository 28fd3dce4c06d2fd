# SPDX-License-Identifier: GPL-2.0-or-later
"""Axes that begin at zero, or are logarithmic where the values span decades, and say so.

What is compared has one scale. Where one half would be a flat line under the other's scale, as a
wire's beside a radio's, each has its own, and the figure says that, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis
from matplotlib.ticker import FuncFormatter

from tsqlab.metrics.series import Floats
from tsqlab.report.plots.look import number, say
from tsqlab.results.repetitions import Setting, varying

LABELS = {"tcp_rtt_ms": "TCP RTT (ms)", "ping_ms": "ping (ms)",
          "aggregate": "frames in an aggregate"}  # fmt: skip

GOODPUT = "goodput (Mbit/s)"

_LOG_FROM_DECADES = 2.0
_ROOM = 0.08  # the share of an axis that is free beyond the values
_APART = 4.0  # values of which some are so many times the others share no scale


def median_of(latency: str) -> str:
    """What an axis of a median latency says."""
    return say("median {quantity}", quantity=say(LABELS[latency]))


def short(value: float) -> str:
    """A number to three significant digits, without an exponent where it is large."""
    return number(f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}")


def spans_decades(values: Iterable[Floats]) -> bool:
    """Whether positive values span more than two decades."""
    low, high = _ends(values)
    return bool(np.log10(high / low) > _LOG_FROM_DECADES)


def limits_of(
    values: Sequence[Floats], *, log: bool = True, numbers: Sequence[Floats] | None = None
) -> tuple[float, float]:
    """The ends of an axis for *values*: from zero, or from above it if it is to be logarithmic.

    That is up to the values, unless *log* is False, or to the *numbers* among them where others are
    ends of intervals: these may come near zero, where few seeds are, and say nothing of the scale.
    """
    deciding = values if numbers is None else numbers
    high = _ends(values)[1]
    if log and spans_decades(deciding):
        low = _ends(deciding)[0]
        room = (high / low) ** _ROOM
        return low / room, high * room
    return 0.0, high * (1 + _ROOM)


def set_limits(axis: Axis, limits: tuple[float, float]) -> None:
    """Scale an axis as limits_of() says: one that does not begin at zero is logarithmic."""
    horizontal = isinstance(axis, XAxis)
    if limits[0] > 0:
        (axis.axes.set_xscale if horizontal else axis.axes.set_yscale)("log")
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    (axis.axes.set_xlim if horizontal else axis.axes.set_ylim)(*limits)


def scale(axis: Axis, values: Sequence[Floats], numbers: Sequence[Floats] | None = None) -> None:
    """Scale an axis for *values*, with room about them; *numbers* as in limits_of()."""
    set_limits(axis, limits_of(values, numbers=numbers))


def name_axis(axis: Axis, text: str, length_in: float | None = None) -> None:
    """Give an axis its title, which says so when it is logarithmic.

    It is broken before its unit, and before that, where the axis is too short for it.
    """
    log = axis.get_scale() == "log"
    words = say("{quantity}, log scale", quantity=text) if log else text
    if length_in is not None and len(words) * _LETTER_IN > length_in:
        words = words.replace(", ", ",\n") if log else words.replace(" (", "\n(")
    axis.set_label_text(words)


_LETTER_IN = 0.075  # of an axis' title, on average


def scale_groups(
    tops: Mapping[Setting, float], not_by: Sequence[str] = (), most: int | None = None
) -> dict[Setting, str]:
    """The level by which each setting's scale goes, by the highest value of each: "" if all share.

    It is the first factor, *not_by* left out, that has levels several times as high as others, and
    no more levels than *most*.
    """
    for name in varying(list(tops)):
        levels = {setting: str(dict(setting).get(name, "")) for setting in tops}
        if name in not_by or (most is not None and len(set(levels.values())) > most):
            continue
        highest: dict[str, float] = {}
        for setting, top in tops.items():
            highest[levels[setting]] = max(highest.get(levels[setting], 0.0), top)
        if max(highest.values()) > _APART * min(highest.values()):
            return levels
    return dict.fromkeys(tops, "")


def say_own_scale(axes: Axes, level: str) -> None:
    """Say at a panel that its scale is not the others'."""
    axes.set_title(say("{level} (a scale of its own)", level=level))


def _ends(values: Iterable[Floats]) -> tuple[float, float]:
    positive = [part[part > 0] for part in values]
    ends = [(float(part.min()), float(part.max())) for part in positive if part.size]
    return min((low for low, _ in ends), default=1.0), max((high for _, high in ends), default=1.0)
