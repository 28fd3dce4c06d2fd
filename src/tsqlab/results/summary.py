# SPDX-License-Identifier: GPL-2.0-or-later
"""summary.csv: a row per cell, its factors first and then its metrics.

Numbers have six significant digits, and an empty field is a number that the cell does not
have. ``wall_s``, how long the run took, is the one column that differs from run to run.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from tsqlab.errors import FileError
from tsqlab.metrics.limits import SHARES
from tsqlab.metrics.summarise import summarise
from tsqlab.results.files import read_regular, write_whole
from tsqlab.results.record import Level

MEASURED = (
    "goodput_mbps",
    "ping_ms_p10", "ping_ms_p50", "ping_ms_p90", "ping_ms_mean",
    "tcp_rtt_ms_p10", "tcp_rtt_ms_p50", "tcp_rtt_ms_p90", "tcp_rtt_ms_mean",
    "aggregate_mean", "cwnd_mean", "retransmits",
)  # fmt: skip
METRICS = (*MEASURED, *SHARES, "sim_s", "wall_s")

_WITHOUT_SHARES = tuple(name for name in METRICS if name not in SHARES)
"""The columns of a summary that was written before there were shares."""

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
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*factors, *METRICS])
    for row in rows:
        numbers = (format_number(row.metrics.get(name)) for name in METRICS)
        writer.writerow([*(row.factors[name] for name in factors), *numbers])
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
    known = next((names for names in (METRICS, _WITHOUT_SHARES)
                  if tuple(header[-len(names) :]) == names), None)  # fmt: skip
    if known is None:
        raise FileError(path, f"not a summary: its last columns are not {', '.join(METRICS)}", 1)
    factors = header[: -len(known)]
    rows = enumerate(lines[1:], 2)
    return factors, [_row(path, number, factors, known, line) for number, line in rows]


def _row(
    path: Path, number: int, factors: Sequence[str], known: Sequence[str], line: Sequence[str]
) -> SummaryRow:
    width = len(factors) + len(known)
    if len(line) != width:
        raise FileError(path, f"{len(line)} fields where there are {width} columns", number)
    try:
        values = [_number(text) for text in line[len(factors) :]]
    except ValueError as error:
        raise FileError(path, str(error), number) from error
    return SummaryRow(dict(zip(factors, line, strict=False)), dict(zip(known, values, strict=True)))


def _number(text: str) -> float | None:
    if not text:
        return None
    value = float(text)
    if not abs(value) <= _LARGEST:
        raise ValueError(f"expected a number of up to {_LARGEST:g}, or nothing, not {text[:100]!r}")
    return value


_LARGEST = 1e30  # sums of counters of 64 bits are less
