# SPDX-License-Identifier: GPL-2.0-or-later
"""Cells along a factor that is a number: the TSQ limit, or the last number that varies.

The TSQ limit counts in ms of data, or in packets where those limit. Stock TSQ and no TSQ at all
are not numbers of their own, but references beside them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from tsqlab.experiment.stored import Result
from tsqlab.experiment.tsq import NONE, STOCK_MS, Reference, Tsq
from tsqlab.metrics.knee import Knee, find_knee
from tsqlab.report.plots.axes import short
from tsqlab.report.plots.look import say
from tsqlab.results.record import Level
from tsqlab.results.repetitions import SEED, Setting, setting_of, varying

MS = "TSQ limit (ms of data)"
PACKETS = "TSQ limit (packets)"

_TSQ = "tsq"
_VERSION = "kernel"  # a factor whose levels look like numbers, but are not
_QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(\D*)")
# Pacing is two ratios: what slow start sends, and what is sent after it, by which they are ordered.
_PACING, _RATIOS = "pacing", re.compile(r"[0-9.]+/([0-9]+\.[0-9]+)")


@dataclass
class Curve:
    """One setting's cells by what is on the axis."""

    points: dict[float, list[Result]] = field(default_factory=dict)
    references: dict[Reference, list[Result]] = field(default_factory=dict)

    def seeds(self) -> list[Level]:
        """The seeds that have every limit, of which the knee is."""
        columns, unlimited = self._goodputs()
        every = [*columns, *([unlimited] if unlimited else [])]
        return sorted(set.intersection(*map(set, every)), key=str) if columns else []

    def knee(self) -> Knee | None:
        """The knee of the goodput over the seeds that have every limit; None if there is none."""
        limits, order = sorted(self.points), self.seeds()
        if len(limits) < 2 or not order:
            return None
        columns, unlimited = self._goodputs()
        return find_knee(
            limits,
            np.array([[column[seed] for column in columns] for seed in order]),
            np.array([unlimited[seed] for seed in order]) if unlimited else None,
        )

    def _goodputs(self) -> tuple[list[dict[Level, float]], dict[Level, float]]:
        """Those of each limit, from the smallest on, and those without a limit, by seed."""
        columns = [_by_seed(self.points[limit]) for limit in sorted(self.points)]
        return columns, _by_seed(self.references.get(NONE, []))


def _by_seed(cells: Iterable[Result]) -> dict[Level, float]:
    return {cell.factors.get(SEED, 0): goodput for cell in cells
            if (goodput := cell.metrics["goodput_mbps"]) is not None}  # fmt: skip


def curves_of(results: Sequence[Result]) -> tuple[str, dict[Setting, Curve]] | None:
    """The axis and the curves on it; None when no factor is a number."""
    for axis, number in ((MS, _limit_ms), (PACKETS, _limit_packets)):
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


def format_knee(knee: Knee) -> str:
    """A knee with its interval: "6 ms (5 to 8)"."""
    if knee.low is None or knee.high is None:
        return f"{short(knee.limit)} ms"
    interval = say("{low} to {high}", low=short(knee.low), high=short(knee.high))
    more = f" {say('or more')}" if knee.missed > 0.025 else ""
    return f"{short(knee.limit)} ms ({interval}{more})"


def ranks_of(results: Sequence[Result], factor: str) -> dict[str, float]:
    """The number by which each level of a factor is ordered; empty where levels have no order."""
    ranks: dict[str, float | None] = {}
    units = set()
    for cell in results:
        text = str(cell.factors.get(factor, ""))
        if factor.rpartition(".")[2] == _TSQ:
            ranks[text] = _rank(cell)
        elif factor.rpartition(".")[2] == _PACING and (match := _RATIOS.fullmatch(text)):
            ranks[text] = float(match[1])
        elif factor.rpartition(".")[2] != _VERSION and (match := _QUANTITY.fullmatch(text)):
            ranks[text] = float(match[1])
            units.add(match[2].strip())
        else:
            ranks[text] = None
    known = {text: rank for text, rank in ranks.items() if rank is not None}
    return known if len(known) == len(ranks) > 1 and len(units) < 2 else {}


def _rank(cell: Result) -> float | None:
    """Where a TSQ setting stands among others of its kind."""
    if not (tsq := tsq_of(cell)):
        return None
    if tsq.reference:
        return math.inf if tsq.reference == NONE else float(STOCK_MS)
    return tsq.limit_ms if tsq.limit_ms is not None else tsq.limit_packets
