# SPDX-License-Identifier: GPL-2.0-or-later
"""A summary as people read it: a line per setting, means over its seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from tsqlab.metrics.statistics import Estimate
from tsqlab.metrics.summarise import NODE_METRIC
from tsqlab.results.repetitions import by_setting, over_seeds
from tsqlab.results.summary import SummaryRow, read_summary

COLUMNS = ("goodput_mbps", "ping_ms_p50", "ping_ms_p90", "tcp_rtt_ms_p50", "tcp_rtt_ms_p90",
           "aggregate_mean")  # fmt: skip
"""What is worth a column unless somebody asks for others."""

_DECIMALS_MAX = 4

UNITS = {"mbps": "Mbit/s", "ms": "ms", "s": "s"}

_NAMES = {
    "fairness_stations": "fairness of stations",
    "air_busy": "air busy",
    "tcp_rtt": "TCP RTT",
    "tcp_rtt_dip_period": "TCP RTT dip period",
    "tcp_rtt_sawtooth": "TCP RTT sawtooth",
    "tcp_rtt_swing": "TCP RTT swing",
    "cwnd": "cwnd",
    "cwnd_sawtooth": "cwnd sawtooth",
    "cwnd_still": "cwnd longest rest",
    "sim": "simulated",
    "wall": "wall clock",
}
_STATISTICS = {"p10": "10 %", "p50": "median", "p90": "90 %", "mean": "mean"}


def heading(metric: str) -> tuple[str, str]:
    """A metric's name and unit for people: ("ping median", "ms") of "ping_ms_p50"."""
    if node := NODE_METRIC.fullmatch(metric):
        name, unit = heading(node[1])
        return f"{name} {node[2]}", unit
    *parts, last = metric.split("_")
    statistic = _STATISTICS.get(last, "")
    parts = parts if statistic else [*parts, last]
    unit = UNITS.get(parts[-1], "")
    name = "_".join(parts[:-1] if unit else parts)
    return f"{_NAMES.get(name, name)} {statistic}".strip(), unit


def format_table(rows: Sequence[SummaryRow], columns: Sequence[str] = COLUMNS) -> str:
    """A table for the terminal: factors, then the mean of each of *columns* over the seeds.

    With several seeds, "± " gives the 95 % confidence interval. A column that no cell has a
    number for is left out, and so is a line's end of blanks.
    """
    columns = [name for name in columns if any(row.metrics.get(name) is not None for row in rows)]
    head, *body = summary_lines(rows, columns)
    factors = len(head) - len(columns)
    units = [""] * factors + [heading(name)[1] for name in columns]
    lines = [head, *([units] if any(units) else []), *body]
    return "\n".join(aligned(lines, factors))


def summary_table(folder: Path) -> str:
    """The table of an experiment's folder, from its summary.csv. Raises FileError."""
    _, rows = read_summary(folder / "summary.csv")
    return format_table(rows)


def summary_lines(rows: Sequence[SummaryRow], columns: Sequence[str]) -> list[list[str]]:
    """The table as text, the headings first; as many factors come first as rows have."""
    groups = by_setting(rows)
    factors = list(dict.fromkeys(name for setting in groups for name, _ in setting))
    lines = [[*factors, *(heading(name)[0] for name in columns)]]
    for setting, cells in groups.items():
        levels = dict(setting)
        lines.append([
            *(str(levels.get(name, "")) for name in factors),
            *(format_estimate(over_seeds(cells, name)) for name in columns),
        ])  # fmt: skip
    return lines


def format_estimate(value: Estimate | None) -> str:
    """A mean to three significant digits, or to as many as its interval's first needs."""
    if value is None:
        return "-"
    decimals = _decimals(value.mean, 3)
    if not value.half_width:
        return f"{value.mean:.{decimals}f}" + ("" if value.half_width is None else " ± 0")
    decimals = max(decimals, _decimals(value.half_width, 1))
    return f"{value.mean:.{decimals}f} ± {value.half_width:.{decimals}f}"


def _decimals(value: float, digits: int) -> int:
    """How many decimals show that many significant *digits*."""
    size = math.floor(math.log10(abs(value))) if value else 0
    return min(max(0, digits - 1 - size), _DECIMALS_MAX)


def aligned(lines: Sequence[Sequence[str]], left: int) -> list[str]:
    """Lines of fields as text, the first *left* fields at their left and the rest at their right.

    A line's end of blanks is left out.
    """
    widths = [max(map(len, fields)) for fields in zip(*lines, strict=True)]
    return [
        "  ".join(text.ljust(width) if column < left else text.rjust(width)
                  for column, (text, width) in enumerate(zip(line, widths, strict=True))).rstrip()
        for line in lines
    ]  # fmt: skip
