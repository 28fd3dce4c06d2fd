# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames in an aggregate, by setting: candlesticks of the mean in each sampling period.

The radios are those that send the flows' data, and the time is that of the flows. A period in
which a radio sends nothing has no mean. A dashed line is the largest aggregate that the radio's
profile allows at its rate.
"""

from __future__ import annotations

from collections.abc import Sequence

from tsqlab.airlink.rates import kbps
from tsqlab.experiment.profile import Airlink, data_rate
from tsqlab.experiment.stored import Result
from tsqlab.experiment.testbed import GRAPH
from tsqlab.report.plots.candlesticks import boxes
from tsqlab.report.plots.figure import Plot
from tsqlab.report.plots.model_overlay import largest_aggregate, sending_radio
from tsqlab.report.plots.stated import Asked

NAME = "aggregates"


def aggregates(results: Sequence[Result], _asked: Asked) -> list[Plot]:
    """The plot, if any cell has a radio."""
    most = {cell.id: limit for cell in results if (limit := largest_of(cell)) is not None}
    return boxes(results, "aggregate", NAME, most)


def largest_of(cell: Result) -> float | None:
    """The largest aggregate of the radios that send a cell's data; None where nothing says so."""
    if cell.device is None or cell.spec is None:
        return None
    if cell.spec.testbed.layout == GRAPH:
        sending = sending_radio(cell.spec, cell.device, cell.others)
        return None if sending is None else float(largest_aggregate(*sending))
    if not isinstance(cell.device, Airlink):
        return None
    rate_bit_per_s = 1000 * kbps(data_rate(cell.spec.testbed.rate, cell.device))
    up = any(flow.direction == "up" for flow in cell.trace.flows)
    sender = cell.device if up else cell.device.access_point
    return None if sender is None else float(largest_aggregate(sender, rate_bit_per_s))
