# SPDX-License-Identifier: GPL-2.0-or-later
"""The plots that an experiment file may ask for, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tsqlab.report import aggregates, candlesticks, goodput_latency, goodput_ping
from tsqlab.report.figure import Plot, style
from tsqlab.report.folder import Latency, Result
from tsqlab.report.settings import by_setting

Draw = Callable[[Sequence[Result], str], list[Plot]]


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
    aggregates.NAME: Kind(
        "Aggregation",
        "Frames in an aggregate of the radios that send the flows' data. Box: 10th to 90th "
        "percentile of the means of all sampling periods while flows ran, all seeds together. "
        "Line and number: the median.",
        aggregates.aggregates,
    ),
    goodput_latency.NAME: Kind(
        "Goodput against latency",
        "A point per cell; an ellipse per setting, two standard deviations over its seeds. "
        "Up and to the right is better.",
        goodput_latency.goodput_latency,
    ),
}


@dataclass(frozen=True)
class Section:
    """What a page shows of one kind of plot."""

    name: str
    title: str
    legend: str
    plots: tuple[Plot, ...]
    left_out: int = 0  # settings that have no panel, for want of room


def draw(name: str, results: Sequence[Result], latency: Latency) -> Section:
    """Draw one of KINDS."""
    kind = KINDS[name]
    with style():
        plots = tuple(kind.draw(results, latency))
    left_out = len(by_setting(results)) - len(plots) if name == goodput_ping.NAME else 0
    return Section(name, kind.title, kind.legend, plots, left_out)
