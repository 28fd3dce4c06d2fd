# SPDX-License-Identifier: GPL-2.0-or-later
"""Goodput and ping against a factor that is a number: the TSQ limit, or the last that varies.

The TSQ limit counts in ms of data, or in packets where those limit. A point is the mean over
the seeds with its 95 % confidence interval. Stock TSQ and no TSQ at all, which are no numbers,
are lines across. Where ms vary, a ring marks the knee of each curve: the fewest ms that are
enough for nearly the best goodput, no limit's included (tsqlab.metrics.knee says how nearly).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from tsqlab.experiment.stored import Result
from tsqlab.experiment.tsq import NONE, STOCK, Reference, Tsq
from tsqlab.metrics.knee import Knee, find_knee
from tsqlab.report.plots.axes import LABELS, short
from tsqlab.report.plots.figure import (
    COLOURS,
    FILLS,
    INK,
    LINES,
    MARKERS,
    MUTED,
    PLOT_WIDTH_IN,
    Plot,
    new_figure,
    to_plot,
)
from tsqlab.results.record import Level
from tsqlab.results.repetitions import SEED, Setting, label, over_seeds, setting_of, varying

NAME = "sweep"

_TSQ = "tsq"
_VERSION = "kernel"  # a factor whose levels look like numbers, but are not
_MS = "TSQ limit (ms of data)"
_PACKETS = "TSQ limit (packets)"
_HEIGHT_IN = 4.2
_LEGEND_COLUMNS = 3
_LOG_FROM = 10.0  # the axis is logarithmic if the highest number is this many times the lowest
_REFERENCES: Mapping[Reference, tuple[int, tuple[int, int]]] = {
    STOCK: (0, (1, 2)),
    NONE: (0, (6, 2)),
}
_QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(\D*)")


@dataclass
class Curve:
    """One setting's cells by what is on the axis."""

    points: dict[float, list[Result]] = field(default_factory=dict)
    references: dict[Reference, list[Result]] = field(default_factory=dict)

    def knee(self) -> Knee | None:
        """The knee of the goodput over the seeds that have every limit; None if there is none."""
        limits = sorted(self.points)
        columns = [_by_seed(self.points[limit]) for limit in limits]
        unlimited = _by_seed(self.references.get(NONE, []))
        seeds = set.intersection(*map(set, columns), *([set(unlimited)] if unlimited else []))
        if len(limits) < 2 or not seeds:
            return None
        order = sorted(seeds, key=str)
        return find_knee(
            limits,
            np.array([[column[seed] for column in columns] for seed in order]),
            np.array([unlimited[seed] for seed in order]) if unlimited else None,
        )


def _by_seed(cells: Iterable[Result]) -> dict[Level, float]:
    return {cell.factors.get(SEED, 0): goodput for cell in cells
            if (goodput := cell.metrics["goodput_mbps"]) is not None}  # fmt: skip


def sweep(results: Sequence[Result], latency: str) -> list[Plot]:
    """The plot, if there is a number that varies."""
    found = curves_of(results)
    if found is None:
        return []
    axis, curves = found
    names = varying(list(curves))
    rows = math.ceil((len(curves) + len(_REFERENCES)) / _LEGEND_COLUMNS)
    figure = new_figure(PLOT_WIDTH_IN, _HEIGHT_IN, rows)
    above, below = figure.subplots(2, 1, sharex=True)
    for place, (setting, curve) in enumerate(curves.items()):
        _draw(above, curve, "goodput_mbps", place, label(setting, names))
        _draw(below, curve, f"{latency}_p50", place, label(setting, names))
        if axis == _MS and (knee := curve.knee()):
            above.plot(knee.limit, knee.goodput, "o", color=INK, fillstyle="none", markersize=11)
    _dress(above, below, axis, sorted({x for curve in curves.values() for x in curve.points}))
    below.set_ylabel(f"median {LABELS[latency]}")
    _legend(figure, above, curves)
    description = f"Goodput and median {LABELS[latency]} against the {axis}. "
    title = f"Goodput and median {LABELS[latency]} against the {axis}"
    knees = _knees(curves, names) if axis == _MS else ""
    return [to_plot(figure, NAME, title + knees, description)]


def curves_of(results: Sequence[Result]) -> tuple[str, dict[Setting, Curve]] | None:
    """The axis and the curves on it; None when no factor is a number."""
    for axis, number in ((_MS, _limit_ms), (_PACKETS, _limit_packets)):
        numbers = {number(cell) for cell in results} - {None}
        if len(numbers) > 1:
            return axis, _collect(results, _TSQ, number)
    names = varying([setting_of(cell.factors) for cell in results])
    for name in reversed([name for name in names if name.rpartition(".")[2] != _VERSION]):
        levels = [_QUANTITY.fullmatch(str(cell.factors.get(name, ""))) for cell in results]
        units = {level[2].strip() if level else None for level in levels}
        if len(units) == 1 and (unit := units.pop()) is not None:
            axis = f"{name} ({unit})" if unit else name
            return axis, _collect(results, name, _number_of(name))
    return None


def tsq_of(cell: Result) -> Tsq | None:
    """The TSQ setting that a cell ran; None in a file that the lab did not write."""
    return cell.spec.sender.tsq if cell.spec else None


def _limit_ms(cell: Result) -> float | None:
    return tsq.limit_ms if (tsq := tsq_of(cell)) else None


def _limit_packets(cell: Result) -> float | None:
    return tsq.limit_packets if (tsq := tsq_of(cell)) else None


def _number_of(name: str) -> Callable[[Result], float | None]:
    def number(cell: Result) -> float | None:
        match = _QUANTITY.fullmatch(str(cell.factors[name]))
        return float(match[1]) if match else None

    return number


def _collect(
    results: Sequence[Result], factor: str, number: Callable[[Result], float | None]
) -> dict[Setting, Curve]:
    curves: dict[Setting, Curve] = {}
    for cell in results:
        own = tuple(item for item in setting_of(cell.factors)
                    if factor not in (item[0], item[0].rpartition(".")[2]))  # fmt: skip
        curve = curves.setdefault(own, Curve())
        if (x := number(cell)) is not None:
            curve.points.setdefault(x, []).append(cell)
        elif factor == _TSQ and (tsq := tsq_of(cell)) and (name := tsq.reference):
            curve.references.setdefault(name, []).append(cell)
    return {setting: curve for setting, curve in curves.items() if curve.points}


def _draw(axes: Axes, curve: Curve, metric: str, place: int, name: str) -> None:
    colour = COLOURS[place % len(COLOURS)]
    points = [(x, value) for x in sorted(curve.points)
              if (value := over_seeds(curve.points[x], metric))]  # fmt: skip
    if points:
        axes.errorbar(
            [x for x, _ in points], [value.mean for _, value in points],
            [value.half_width or 0.0 for _, value in points], color=colour, capsize=2,
            linestyle=LINES[place % len(LINES)], marker=MARKERS[place % len(MARKERS)],
            fillstyle=FILLS[place % 2], elinewidth=0.8, label=name,
        )  # fmt: skip
    for reference, cells in curve.references.items():
        if value := over_seeds(cells, metric):
            axes.axhline(value.mean, color=colour, linewidth=0.9, linestyle=_REFERENCES[reference])
            axes.plot(
                1, value.mean, color=colour, marker=MARKERS[place % len(MARKERS)],
                fillstyle=FILLS[place % 2], clip_on=False, transform=axes.get_yaxis_transform(),
            )  # fmt: skip


def _legend(figure: Figure, above: Axes, curves: Mapping[Setting, Curve]) -> None:
    """The curves, if there are several, and what the lines across are."""
    handles, names = above.get_legend_handles_labels() if len(curves) > 1 else ([], [])
    found = dict.fromkeys(name for curve in curves.values() for name in curve.references)
    handles += [Line2D([], [], color=MUTED, linewidth=0.9, linestyle=_REFERENCES[name])
                for name in found]  # fmt: skip
    if handles:
        figure.legend(handles, [*names, *found], loc="outside lower center", ncols=_LEGEND_COLUMNS)


def _dress(above: Axes, below: Axes, axis: str, numbers: Sequence[float]) -> None:
    for axes in (above, below):
        axes.set_ylim(bottom=0)
    above.set_ylabel("goodput (Mbit/s)")
    below.set_xlabel(axis)
    if numbers[0] > 0 and numbers[-1] / numbers[0] >= _LOG_FROM:
        below.set_xscale("log")
        below.xaxis.set_minor_locator(NullLocator())
    below.xaxis.set_major_locator(FixedLocator(_apart(numbers, log=below.get_xscale() == "log")))
    below.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _apart(numbers: Sequence[float], *, log: bool) -> list[float]:
    """The numbers that have room for a label, taken from the highest down."""
    places = np.log(numbers) if log else np.array(numbers)
    room = (places[-1] - places[0]) / 16
    kept = [len(numbers) - 1]
    for candidate in range(len(numbers) - 2, -1, -1):
        if places[kept[-1]] - places[candidate] >= room:
            kept.append(candidate)
    return [numbers[index] for index in reversed(kept)]


def _knees(curves: Mapping[Setting, Curve], names: Sequence[str]) -> str:
    """What the rings mark: "; knee at 6 ms (5 to 6)"."""
    found = [(label(setting, names), curve.knee()) for setting, curve in curves.items()]
    texts = [
        format_knee(knee) + (f", {name}" if len(curves) > 1 else "") for name, knee in found if knee
    ]
    return f"; knee at {'; '.join(texts)}" if texts else ""


def format_knee(knee: Knee) -> str:
    """A knee with its interval: "6 ms (5 to 8)"."""
    if knee.low is None or knee.high is None:
        return f"{short(knee.limit)} ms"
    more = " or more" if knee.missed > 0.025 else ""
    return f"{short(knee.limit)} ms ({short(knee.low)} to {short(knee.high)}{more})"
