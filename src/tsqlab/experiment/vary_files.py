# SPDX-License-Identifier: GPL-2.0-or-later
"""The files that ``[[vary]]`` may name: tables of what changes, and Mahimahi's traces.

A table is CSV. Its first line names the columns, of which the first is ``t_s``, and its numbers are
decimal. A trace has a line for each delivery, a whole number of ms. What they say is read when the
experiment is, and kept with each result.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tsqlab.errors import FileError
from tsqlab.experiment.bounds import KeyedError
from tsqlab.experiment.invalid import hint, shown
from tsqlab.experiment.vary import VARY
from tsqlab.results.files import read_regular

BYTES_MAX = 4 << 20

FILE, DELIVERIES = "file", "deliveries"
"""The keys that name a file."""

COLUMNS: Mapping[str, tuple[str, str]] = {
    "rate_mbps": ("rate", "Mbit/s"),
    "rate_kbps": ("rate", "kbit/s"),
    "phy_rate": ("rate", ""),
    "delay_ms": ("delay", "ms"),
    "loss_percent": ("loss", "%"),
    "snr_db": ("snr", "dB"),
}
"""What each column is of a [[vary]], and its unit."""


def with_files(tables: Mapping[str, Any], home: Path) -> dict[str, Any]:
    """A file's tables with what the files say that [[vary]] names, whose paths start at *home*.

    Raises FileError, and KeyedError for keys that do not go with a file.
    """
    changes = tables.get(VARY)
    if not isinstance(changes, list):
        return dict(tables)
    read = [_read(table, home, [VARY, str(number)]) for number, table in enumerate(changes, 1)]
    return {**tables, VARY: read}


def _read(table: Any, home: Path, at: list[str]) -> Any:
    if not isinstance(table, dict):
        return table
    found = dict(table)
    if isinstance(name := table.get(DELIVERIES), str):
        found[DELIVERIES] = _deliveries(home / name, [*at, DELIVERIES])
    if FILE in table:
        name = found.pop(FILE)
        if not isinstance(name, str):
            raise KeyedError([*at, FILE], f"expected the name of a file, not {shown(name)}")
        for key, steps in _table(home / name, [*at, FILE]).items():
            if key in found:
                raise KeyedError([*at, key], f'"{name}" says it, too')
            found[key] = steps
    return found


def _lines(path: Path, named_at: list[str]) -> list[str]:
    """The lines of a file; that it cannot be read is an error of the key that names it."""
    try:
        return read_regular(path, BYTES_MAX).decode().splitlines()
    except UnicodeDecodeError:
        raise KeyedError(named_at, f"{path}: cannot be read: not UTF-8") from None
    except (OSError, ValueError) as error:  # a path with a NUL in it is a ValueError
        said = getattr(error, "strerror", None) or error
        raise KeyedError(named_at, f"{path}: cannot be read: {said}") from None


def _deliveries(path: Path, named_at: list[str]) -> list[int]:
    found = []
    for number, line in enumerate(_lines(path, named_at), 1):
        text = line.strip()
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise FileError(path, f"expected a whole number of ms, not {shown(line)}", number)
        found.append(int(text))
    return found


def _table(path: Path, named_at: list[str]) -> dict[str, list[list[str]]]:
    """Instants and values, by what they are of."""
    rows = list(csv.reader(_lines(path, named_at)))
    head = [name.strip() for name in rows[0]] if rows else []
    _check_head(path, head)
    found: dict[str, list[list[str]]] = {COLUMNS[name][0]: [] for name in head[1:]}
    for number, row in enumerate(rows[1:], 2):
        if not row:
            continue
        if len(row) != len(head):
            raise FileError(path, f"has {len(row)} values; expected {len(head)}", number)
        for name, value in zip(head[1:], row[1:], strict=True):
            key, unit = COLUMNS[name]
            found[key].append([f"{row[0].strip()} s", f"{value.strip()} {unit}".strip()])
    return found


def _check_head(path: Path, head: Sequence[str]) -> None:
    if len(head) < 2 or head[0] != "t_s":
        columns = ", ".join(COLUMNS)
        raise FileError(path, f"expected a line of names: t_s, and of {columns}", 1)
    for name in head[1:]:
        if name not in COLUMNS:
            raise FileError(path, f'no column "{name}"; {hint(name, COLUMNS)}', 1)
    keys = [COLUMNS[name][0] for name in head[1:]]
    for place, key in enumerate(keys):
        if key in keys[:place]:
            raise FileError(path, f'"{head[place + 1]}" says {key} once more', 1)
