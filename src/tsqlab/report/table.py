# SPDX-License-Identifier: GPL-2.0-or-later
"""A summary as people read it: a line per setting, means over its seeds."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tsqlab.metrics.flows import FLOW_METRIC
from tsqlab.metrics.pings import MANY
from tsqlab.metrics.programs import PROGRAM_METRIC, RAN
from tsqlab.metrics.statistics import Estimate
from tsqlab.metrics.summarise import NODE_METRIC
from tsqlab.report.limits import COLUMN, SHARES, limited_by
from tsqlab.results.repetitions import HasMetrics, Setting, by_setting, over_seeds
from tsqlab.results.summary import SummaryRow

COLUMNS = ("goodput_mbps", "ping_ms_p50", "ping_ms_p90", "tcp_rtt_ms_p50", "tcp_rtt_ms_p90",
           "aggregate_mean")  # fmt: skip
"""What is worth a column unless somebody asks for others."""

LOST = "ping_lost_share"
_OF_PINGS = re.compile(r"ping_ms(?:_(?:p\d+|mean))?(_\d+)?")
MANY_MARK = "*"
LOST_NOTE = (
    f"{MANY_MARK} of pings of which more than a tenth were lost: it is of those that came back"
)
_DECIMALS_MAX = 4
_COLUMNS, _NAME_COLUMNS = 95, 9

UNITS = {"mbps": "Mbit/s", "ms": "ms", "s": "s", "percent": "%", "bytes": "bytes"}

_NAMES = {
    "goodput_up": "goodput up",
    "goodput_down": "goodput down",
    "fairness_stations": "fairness of stations",
    "fairness_airtime": "fairness of airtime",
    "up_airtime": "airtime up",
    "down_airtime": "airtime down",
    "tcp_rtt": "TCP RTT",
    "tcp_rtt_dip_period": "TCP RTT dip period",
    "tcp_rtt_sawtooth": "TCP RTT sawtooth",
    "tcp_rtt_swing": "TCP RTT swing",
    "cwnd": "cwnd",
    "cwnd_sawtooth": "cwnd sawtooth",
    "cwnd_still": "cwnd longest rest",
    "pings_sent": "pings sent",
    "fct": "completion time",
    "ce_marks": "CE marks",
    "ce_marked_share": "CE marks, share",
    "ping_lost_share": "pings lost, share",
    "sim": "simulated",
    "wall": "wall clock",
    **SHARES,
}
_STATISTICS = {"p10": "10 %", "p50": "median", "p90": "90 %", "mean": "mean"}


def heading(metric: str) -> tuple[str, str]:
    """A metric's name and unit for people: ("ping median", "ms") of "ping_ms_p50"."""
    if printed := PROGRAM_METRIC.fullmatch(metric):
        name, unit = heading(printed[2])
        return f"{printed[1]}: {name}", unit
    for pattern, whose in ((NODE_METRIC, ""), (FLOW_METRIC, "flow ")):
        if single := pattern.fullmatch(metric):
            name, unit = heading(single[1])
            return f"{name} {whose}{single[2]}", unit
    *parts, last = metric.split("_")
    statistic = _STATISTICS.get(last, "")
    parts = parts if statistic else [*parts, last]
    unit = UNITS.get(parts[-1], "")
    name = "_".join(parts[:-1] if unit else parts)
    return f"{_NAMES.get(name, name)} {statistic}".strip(), unit


@dataclass(frozen=True)
class Beside:
    """A further column beside a metric's own."""

    heading: str
    texts: Mapping[Setting, str]


def format_table(
    rows: Sequence[SummaryRow],
    columns: Sequence[str] = (),
    beside: Mapping[str, Beside] | None = None,
) -> str:
    """A table for the terminal: factors, then the mean of each of *columns* over the seeds.

    Without *columns* it has the usual ones. With several seeds, "± " gives the 95 % confidence
    interval. A column that no cell has a number for is left out, and so is a line's end of blanks.
    *beside* has further columns.
    """
    shown = known(rows, columns or usual_columns(rows))
    head, units, *body = summary_lines(rows, shown, beside)
    factors = len(factor_names(rows))
    limits = [limited_by(cells) for cells in by_setting(rows).values()]
    if any(limits):
        head, units = [*head, COLUMN], [*units, ""]
        body = [[*line, text] for line, text in zip(body, limits, strict=True)]
    lines = [head, *([units] if any(units) else []), *body]
    marked = any(text.endswith(MANY_MARK) for line in body for text in line[factors:])
    return "\n".join([*aligned(lines, factors), *([LOST_NOTE] if marked else [])])


def known(rows: Sequence[HasMetrics], names: Sequence[str]) -> list[str]:
    """The metrics that at least one row has a number for."""
    return [name for name in names if any(row.metrics.get(name) is not None for row in rows)]


def usual_columns(rows: Sequence[HasMetrics]) -> list[str]:
    """COLUMNS, the share of lost pings if any was lost, and the figures that programs printed."""
    lost = any(row.metrics.get(LOST) for row in rows)
    found = dict.fromkeys(name for row in rows for name in row.metrics)
    figures = [name for name in found
               if (printed := PROGRAM_METRIC.fullmatch(name)) and printed[2] != RAN]  # fmt: skip
    return [*COLUMNS, *([LOST] if lost else []), *figures]


def many_lost(cells: Iterable[HasMetrics], metric: str) -> bool:
    """Whether a number is of pings of which many have no answer."""
    lost = lost_of(metric)
    share = over_seeds(cells, lost) if lost else None
    return share is not None and share.mean > MANY


def lost_of(metric: str) -> str | None:
    """The metric of how many of the pings were lost that a number is of; None if of no pings."""
    of = _OF_PINGS.fullmatch(metric)
    return f"{LOST}{of[1] or ''}" if of else None


def factor_names(rows: Sequence[SummaryRow]) -> list[str]:
    """The factors of a table's settings, in their order."""
    return list(dict.fromkeys(name for setting in by_setting(rows) for name, _ in setting))


def summary_lines(
    rows: Sequence[SummaryRow],
    columns: Sequence[str],
    beside: Mapping[str, Beside] | None = None,
) -> list[list[str]]:
    """The table as text: a line of headings, one of units, then the settings.

    As many factors come first as factor_names() has.
    """
    beside = beside or {}
    factors = factor_names(rows)
    head, units = [*factors], [""] * len(factors)
    for name in columns:
        text, unit = heading(name)
        head += [text, *([beside[name].heading] if name in beside else [])]
        units += [unit, *([unit] if name in beside else [])]
    lines = [head, units]
    for setting, cells in by_setting(rows).items():
        levels = dict(setting)
        line = [str(levels.get(name, "")) for name in factors]
        for name in columns:
            text = format_estimate(over_seeds(cells, name))
            line.append(text + (f" {MANY_MARK}" if many_lost(cells, name) else ""))
            line += [beside[name].texts.get(setting, "")] if name in beside else []
        lines.append(line)
    return lines


def format_estimate(value: Estimate | None) -> str:
    """A mean to three significant digits, or to as many as its interval's first needs."""
    if value is None:
        return "-"
    decimals = _decimals(value.mean, 3)
    if value.skewed:
        low, high = value.skewed
        if width := high - low:
            decimals = max(decimals, _decimals(width, 1))
        return f"{value.mean:.{decimals}f} ({low:.{decimals}f} to {high:.{decimals}f})"
    if not value.half_width:
        return f"{value.mean:.{decimals}f}" + ("" if value.half_width is None else " ± 0")
    decimals = max(decimals, _decimals(value.half_width, 1))
    return f"{value.mean:.{decimals}f} ± {value.half_width:.{decimals}f}"


def _decimals(value: float, digits: int) -> int:
    """How many decimals show that many significant *digits*."""
    size = math.floor(math.log10(abs(value))) if value else 0
    return min(max(0, digits - 1 - size), _DECIMALS_MAX)


def distinct(values: Iterable[object]) -> str:
    """What there is of values, each once: "1 to 5" of numbers in a row."""
    found = list(dict.fromkeys(str(value) for value in values if str(value)))
    if len(found) > 2 and all(text.isdigit() for text in found):
        numbers = sorted(map(int, found))
        if numbers == list(range(numbers[0], numbers[-1] + 1)):
            return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(found)


def in_parts(name: str, parts: Iterable[str]) -> Iterator[str]:
    """What there is of *parts* under a name, as lines that break between parts only."""
    line, first = f"{name + ': ':{_NAME_COLUMNS}}", True
    for part in filter(None, parts):
        if not first and len(line) + len(part) > _COLUMNS:
            yield f"{line};"
            line = " " * _NAME_COLUMNS + part
        else:
            line += part if first else f"; {part}"
        first = False
    if not first:
        yield line


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


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of Markdown, its first column of text and the others of numbers."""
    lines = [head, ["---", *("---:" for _ in head[1:])], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
