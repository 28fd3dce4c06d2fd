# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames in an aggregate, by setting: candlesticks of the mean in each sampling period.

The radios are those that send the flows' data, and the time is that of the flows. A period in
which a radio sends nothing has no mean.
"""

from __future__ import annotations

from collections.abc import Sequence

from tsqlab.experiment.stored import Result
from tsqlab.report.plots.candlesticks import boxes
from tsqlab.report.plots.figure import Plot

NAME = "aggregates"


def aggregates(results: Sequence[Result], _latency: str) -> list[Plot]:
    """The plot, if any cell has a radio."""
    return boxes(results, "aggregate", NAME)
