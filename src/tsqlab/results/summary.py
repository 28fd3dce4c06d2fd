# SPDX-License-Identifier: GPL-2.0-or-later
"""summary.csv: a row per cell, its factors first, then its metrics, then those that few cells have.

Numbers have six significant digits, and an empty field is a number that the cell does not
have. ``wall_s``, how long the run took, is the one column that differs from run to run.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from tsqlab.errors import FileError
from tsqlab.metrics.airtime import FAIRNESS_AIRTIME
from tsqlab.metrics.ecn import ECN
from tsqlab.metrics.flows import FLOW_METRIC, flow_order
from tsqlab.metrics.limits import SHARES
from tsqlab.metrics.programs import PROGRAM_METRIC
from tsqlab.metrics.summarise import DIRECTED, NODE_METRIC, NODE_QUANTITIES, summarise
from tsqlab.results.files import read_regular, write_whole
from tsqlab.results.record import Level
from tsqlab.results.repetitions import HasMetrics

MEASURED = (
    "goodput_mbps",
    "ping_ms_p10", "ping_ms_p50", "ping_ms_p90", "ping_ms_mean", "pings_sent", "ping_lost_share",
    "tcp_rtt_ms_p10", "tcp_rtt_ms_p50", "tcp_rtt_ms_p90", "tcp_rtt_ms_mean",
    "aggregate_mean", "cwnd_mean", "retransmits",
    "fairness", "fairness_stations",
)  # fmt: skip
METRICS = (*MEASURED, *SHARES, "sim_s", "wall_s")

PINGS = ("pings_sent", "ping_lost_share")
_OLDER = tuple(
    tuple(name for name in METRICS if name not in without) for without in (PINGS, (*PINGS, *SHARES))
)
"""The columns of summaries that were written before lost pings, and shares, were in them."""

_DIGITS = 6
SUMMARY_BYTES_MAX = 64 << 20


@dataclass(frozen=True)
class SummaryRow:
    """One cell."""

    factors: Mapping[str, Level]
    metrics: Mapping[str, float | None]  # a key of METRICS that is missing is None


def summary_row(
    factors: Mapping[str, Level], document: Mapping[str, Any], wall_s: float | None
) -> SummaryRow:
    """The row of a finished cell, from its Flent document."""
    return SummaryRow(factors, summarise(document) | {"wall_s": wall_s})


def write_summary(path: Path, factors: Sequence[str], rows: Sequence[SummaryRow]) -> None:
    """Write the rows, the columns of *factors* in that order. Raises TsqlabError."""
    columns = [*METRICS, *further_metrics(rows)]
    write_table(path, [
        [*factors, *columns],
        *([*(str(row.factors.get(name, "")) for name in factors),
           *(format_number(row.metrics.get(name)) for name in columns)] for row in rows),
    ])  # fmt: skip


def further_metrics(rows: Iterable[HasMetrics]) -> list[str]:
    """Those that not every cell has: of directions, airtime, ECN, nodes, flows and programs.

    The goodput of either direction is there if any row has both.
    """
    cells = list(rows)
    both = any(all(row.metrics.get(name) is not None for name in DIRECTED) for row in cells)
    fair = any(row.metrics.get(FAIRNESS_AIRTIME) is not None for row in cells)
    found = dict.fromkeys(name for row in cells for name in row.metrics)
    nodes = sorted((name for name in found if NODE_METRIC.fullmatch(name)), key=_node_order)
    flows = sorted((name for name in found if FLOW_METRIC.fullmatch(name)), key=flow_order)
    had = [name for name in flows if any(row.metrics.get(name) is not None for row in cells)]
    programs = [name for name in found if PROGRAM_METRIC.fullmatch(name)]
    directed, shared = DIRECTED if both else (), [FAIRNESS_AIRTIME] if fair else ()
    marked = [name for name in ECN if name in found]
    return [*directed, *shared, *marked, *nodes, *had, *programs]


def _node_order(name: str) -> tuple[int, int, str]:
    match = NODE_METRIC.fullmatch(name)
    assert match, "only such are sorted"
    return NODE_QUANTITIES.index(match[1]), len(match[2]), match[2]


def is_metric(name: str) -> bool:
    """Whether a summary may have a column of that name."""
    return name in METRICS or _is_further(name)


def _is_further(name: str) -> bool:
    return name in (*DIRECTED, FAIRNESS_AIRTIME, *ECN) or any(
        of.fullmatch(name) for of in (NODE_METRIC, FLOW_METRIC, PROGRAM_METRIC)
    )


def write_table(path: Path, lines: Iterable[Sequence[str]]) -> None:
    """Write lines of fields as CSV, whole or not at all. Raises TsqlabError."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    write_whole(path, text.getvalue().encode())


def format_number(value: float | None) -> str:
    """A number with six significant digits and no exponent; nothing for None."""
    if value is None:
        return ""
    text = f"{value:.{_DIGITS}g}"
    return f"{Decimal(text):f}" if "e" in text else text


def read_summary(path: Path) -> tuple[list[str], list[SummaryRow]]:
    """The names of the factors, and the rows; their factors as text. Raises FileError."""
    try:
        text = read_regular(path, SUMMARY_BYTES_MAX).decode()
        lines = list(csv.reader(io.StringIO(text, newline="")))
    except FileNotFoundError as error:
        raise FileError(path, "no such summary") from error
    except (OSError, ValueError, csv.Error) as error:
        raise FileError(path, f"not a summary: {error}") from error
    header = lines[0] if lines else []
    first = next((at for at in range(len(header)) if _are_metrics(header[at:])), None)
    if first is None:
        raise FileError(path, f"not a summary: its last columns are not {', '.join(METRICS)}", 1)
    return header[:first], [
        _row(path, number, header, first, line) for number, line in enumerate(lines[1:], 2)
    ]


def _are_metrics(columns: Sequence[str]) -> bool:
    """Whether these are all the columns of metrics, the further ones included."""
    return any(
        tuple(columns[: len(names)]) == names and all(map(_is_further, columns[len(names) :]))
        for names in (METRICS, *_OLDER)
    )


def _row(
    path: Path, number: int, header: Sequence[str], first: int, line: Sequence[str]
) -> SummaryRow:
    """A line's row; the columns of metrics begin with the *first*."""
    if len(line) != len(header):
        raise FileError(path, f"{len(line)} fields where there are {len(header)} columns", number)
    try:
        values = [_number(text) for text in line[first:]]
    except ValueError as error:
        raise FileError(path, str(error), number) from error
    return SummaryRow(
        dict(zip(header[:first], line[:first], strict=True)),
        dict(zip(header[first:], values, strict=True)),
    )


def _number(text: str) -> float | None:
    if not text:
        return None
    value = float(text)
    if not abs(value) <= _LARGEST:
        raise ValueError(f"expected a number of up to {_LARGEST:g}, or nothing, not {text[:100]!r}")
    return value


_LARGEST = 1e30  # sums of counters of 64 bits are less
