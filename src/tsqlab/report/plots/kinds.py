# SPDX-License-Identifier: GPL-2.0-or-later
"""The plots that an experiment file may ask for, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tsqlab.experiment.claims import Claim
from tsqlab.experiment.stored import Result
from tsqlab.metrics.knee import WITHIN
from tsqlab.report.plots import (
    aggregate_rtt,
    aggregates,
    candlesticks,
    capacity,
    cdf,
    cwnd,
    goodput_latency,
    goodput_ping,
    marks,
    model_overlay,
    panels,
    printed,
    sweep,
    up_down,
    wqm,
)
from tsqlab.report.plots.figure import Plot, style
from tsqlab.report.plots.stated import Asked
from tsqlab.results.folder import Latency
from tsqlab.results.look import Look
from tsqlab.results.repetitions import by_setting

Draw = Callable[[Sequence[Result], Asked], list[Plot]]


@dataclass(frozen=True)
class Kind:
    """A kind of plot."""

    title: str
    legend: str  # how to read it
    draw: Draw


KINDS: Mapping[str, Kind] = {
    goodput_ping.NAME: Kind(
        "Goodput and ping over time",
        "Of each setting, the cell with the median goodput. Flows run between the dotted lines.",
        goodput_ping.goodput_ping,
    ),
    candlesticks.NAME: Kind(
        "Latency",
        "Box: 10th to 90th percentile of all samples while flows ran, all seeds together. "
        "Line and number: the median.",
        candlesticks.candlesticks,
    ),
    up_down.NAME: Kind(
        "Goodput both ways, and latency",
        "Bars: the mean over the seeds with its 95 % interval, of all flows down, and of all up. "
        "Box: 10th to 90th percentile of all samples while flows ran, all seeds together. "
        "Line and number: the median.",
        up_down.up_down,
    ),
    aggregates.NAME: Kind(
        "Aggregation",
        "Frames in an aggregate of the radios that send the flows' data. Box: 10th to 90th "
        "percentile of the means of all sampling periods while flows ran, all seeds together. "
        "Line and number: the median. Dashed: the largest that the device's profile allows.",
        aggregates.aggregates,
    ),
    goodput_latency.NAME: Kind(
        "Goodput against latency",
        "A point per setting: the mean over its seeds, with the 95 % interval either way; dots are "
        "cells. Up and to the right is better. A line's arrow is at its largest number.",
        goodput_latency.goodput_latency,
    ),
    aggregate_rtt.NAME: Kind(
        "Aggregation against TCP RTT",
        "A point per setting: the mean over its seeds, with the 95 % interval either way; dots are "
        "cells. Down and to the right is better. A line's arrow is at its largest number.",
        aggregate_rtt.aggregate_rtt,
    ),
    cwnd.NAME: Kind(
        "Congestion window over time",
        "Of each setting, the cell with the median goodput. Flows run between the dotted lines.",
        cwnd.cwnd,
    ),
    cdf.NAME: Kind(
        "Distribution of latency",
        "The share of all samples while flows ran, all seeds together, that are at most so long; "
        "up to 99.5 % of them.",
        cdf.cdf,
    ),
    wqm.NAME: Kind(
        "WQM over time",
        "Of each setting, the cell with the median goodput: the limit that WQM sets of each "
        "radio's queue, and how long what waits there takes to drain. Flows run between the dotted "
        "lines.",
        wqm.wqm,
    ),
    printed.NAME: Kind(
        "What programs print, over time",
        "Of each setting, the cell with the median goodput. Flows run between the dotted lines.",
        printed.printed,
    ),
    capacity.NAME: Kind(
        "Capacity, goodput and latency over time",
        "Of each setting, the cell with the median goodput. Grey: what a link carries, as its "
        "[[vary]] says, of deliveries the mean of 0.1 s or a step. Flows run between the dotted "
        "lines.",
        capacity.capacity,
    ),
    marks.NAME: Kind(
        "CE marks and drops over time",
        "Of each setting whose hosts ask for ECN, the cell with the median goodput: what each "
        "queue marks, and what it drops. Flows run between the dotted lines.",
        marks.marks,
    ),
    sweep.NAME: Kind(
        "Goodput and latency by setting",
        "Means over the seeds with their 95 % confidence interval. A ring is a knee: the fewest "
        f"ms whose goodput is within {100 * WITHIN:.0f} % of the best, no TSQ's included; its "
        "interval is a bootstrap's over the seeds. Beyond a break of the axis (//) stands what is "
        "no number.",
        sweep.sweep,
    ),
    model_overlay.NAME: Kind(
        "The model beside the lab",
        "Points: means over the seeds with their 95 % confidence interval. Lines: the aggregation "
        "model of the aggregating paper, its c and t_oh fitted to the points.",
        model_overlay.model_overlay,
    ),
}


_PANELS = (
    goodput_ping.NAME, cwnd.NAME, wqm.NAME, printed.NAME, capacity.NAME, marks.NAME,
)  # fmt: skip
"""The plots that have a panel per setting."""


@dataclass(frozen=True)
class Section:
    """What a page shows of one kind of plot."""

    name: str
    title: str
    legend: str
    plots: tuple[Plot, ...]
    left_out: int = 0  # how many settings have no panel because there are too many


def draw(
    name: str,
    results: Sequence[Result],
    latency: Latency,
    claims: Sequence[Claim] = (),
    look: Look | None = None,
) -> Section:
    """Draw one of KINDS; *claims* have the paper's numbers. Raises UsageError for a bad look."""
    kind = KINDS[name]
    with style(look):
        plots = tuple(kind.draw(results, Asked(latency, claims)))
    left_out = max(0, len(by_setting(results)) - panels.PANELS_MAX) if name in _PANELS else 0
    return Section(name, kind.title, kind.legend, plots, left_out)
