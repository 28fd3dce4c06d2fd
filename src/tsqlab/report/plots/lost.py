# SPDX-License-Identifier: GPL-2.0-or-later
"""An asterisk, as in the tables, on a latency of pings of which many have no answer.

Such a latency is of those that came back, and the figure travels without the table beside it.
"""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from tsqlab.report.plots.figure import ink
from tsqlab.report.plots.look import say


def mark_lost(axes: Axes, x: float, y: float) -> None:
    """Put the mark on a point."""
    axes.plot([x], [y], **_look())


def lost_entry() -> tuple[Line2D, str]:
    """The mark in a legend, and what it says."""
    return Line2D([], [], **_look()), say("more than a tenth of the pings lost")


def _look() -> dict[str, Any]:
    return {"marker": (6, 2, 0), "color": ink(), "markersize": 9, "markeredgewidth": 1.0,
            "linestyle": "", "zorder": 5}  # fmt: skip
