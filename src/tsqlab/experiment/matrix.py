# SPDX-License-Identifier: GPL-2.0-or-later
"""A matrix of factors, spread into cells.

A factor is a key of the experiment file that varies; a cell is one value for each factor.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tsqlab.errors import UsageError
from tsqlab.experiment.handles import with_key_of
from tsqlab.experiment.invalid import hint, shortened
from tsqlab.experiment.spec import Spec, array_of
from tsqlab.experiment.testbed.written import WRITTEN_AS
from tsqlab.experiment.toml import flattened

Level = str | int | float


@dataclass(frozen=True)
class Cell:
    """One run: a place in the matrix and what it specifies."""

    factors: Mapping[str, Level]
    spec: Spec
    home: Path = Path()  # where the path of the device's profile starts, if that is a file
    modules_home: Path = Path()  # where the paths of modules start
    further: bool = False  # whether it repeats a setting by a seed beyond the experiment's own
    today: bool = False  # whether it is one of the experiment's own once more, in era "today"
    elsewhere: bool = False  # whether it is of another shard, and so for another run

    @property
    def id(self) -> str:
        """A name for files, unique in the experiment: "bottleneck=L100M,seed=1"."""
        pairs = (f"{name}={level}" for name, level in self.factors.items())
        return re.sub(r"[^\w.,=+-]+", "_", ",".join(pairs)) or "cell"

    @property
    def title(self) -> str:
        """What an error calls it: "cell bottleneck=L100M,seed=1", or "the cell"."""
        return f"cell {self.id}" if self.factors else "the cell"


def combinations(matrix: Mapping[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """Every combination, the last factor varying fastest."""
    for levels in itertools.product(*matrix.values()):
        yield dict(zip(matrix, levels, strict=True))


def level(value: Any) -> Level:
    """A factor's value as a plain word or number, for tables and names."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return "+".join(f"{key}={item}" for key, item in flattened(value).items())
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value) or "none"
    return str(value)


def with_key(raw: Mapping[str, Any], full_key: str, value: Any) -> dict[str, Any]:
    """A copy of the file's data with one key, given in full, set to *value*."""
    if array := array_of(full_key):
        return {**raw, array: with_key_of(raw.get(array, []), full_key, value)}
    *tables, last = _split(full_key)
    result = table = dict(raw)
    walked: list[str] = []
    for name in tables:
        part = table.get(name, {})
        if not isinstance(part, dict):
            raise UsageError(f'{full_key} cannot be set: "{name}" is no table')
        if walked[:1] == ["testbed"] and len(walked) == 2 and walked[1] in WRITTEN_AS:
            _check_there(walked[1], name, table)
        walked.append(name)
        # What is not on the way to the key is shared: nobody changes it.
        table[name] = dict(part)
        table = table[name]
    table[last] = value
    return result


def _check_there(kind: str, name: str, table: Mapping[str, Any]) -> None:
    """A part of a graph is made by its own table alone."""
    if name not in table:
        known = hint(name, list(table)) if table else "the file has none"
        raise UsageError(f'no {kind} "{shortened(name)}"; {known}')


def _split(full_key: str) -> list[str]:
    """Split at dots, but for a sysctl's name, whose dots are its own."""
    match = re.fullmatch(r"(testbed)\.(sysctl)\.([^.]+)\.(.+)", full_key)
    return list(match.groups()) if match else full_key.split(".")
