# SPDX-License-Identifier: GPL-2.0-or-later
"""Reading an experiment file: TOML into cells, or an error with file, line and key.

Parsing never touches the host: whether a profile or a kernel exists is asked later.
"""

from __future__ import annotations

import difflib
import math
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from tsqlab.errors import FileError, UsageError
from tsqlab.experiment.bounds import KeyedError
from tsqlab.experiment.bundled import bundled_experiments
from tsqlab.experiment.invalid import reason, shortened
from tsqlab.experiment.matrix import Cell, combinations, level, with_key
from tsqlab.experiment.spec import Spec, full_key
from tsqlab.experiment.toml import TomlFile, parse_value, read_toml, there

CELLS_MAX = 10_000
"""How many cells a matrix may have."""

ID_BYTES_MAX = 200
"""How long the name of a cell may be: 255 bytes are a file's, with what stands around the name."""

KEY_MAX = 200
"""How long the key of an override may be."""


@dataclass(frozen=True)
class Experiment:
    """A whole experiment file."""

    name: str  # the file's name without its suffix
    path: Path
    comment: str  # the file's first lines: what is tested, and the number expected
    factors: tuple[str, ...]  # what varies, in the file's order
    cells: tuple[Cell, ...]

    @property
    def spec(self) -> Spec:
        """What the first cell specifies: the title, paper and report are common to all."""
        return self.cells[0].spec


def load(name: str, overrides: Sequence[str] = ()) -> Experiment:
    """Read an experiment: a path, or a bundled one's name.

    *overrides* are "KEY=VALUE" texts, VALUE as in TOML (quotes may be left out); a key that
    is set no longer varies, and a list makes it vary. Raises FileError and UsageError.
    """
    return _Reader(read_toml(_find(name))).read(overrides)


def _find(name: str) -> Path:
    path = Path(name)
    if path.suffix == ".toml" or "/" in name:
        if there(path):
            return path
        raise UsageError(f"{name}: no such experiment file")
    known = bundled_experiments()
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(known)}"
    raise UsageError(f'no bundled experiment "{shortened(name)}"; {hint}')


class _Reader:
    """Turns the file's data into cells, and pydantic's errors into ours."""

    def __init__(self, file: TomlFile) -> None:
        self.file = file

    def read(self, overrides: Sequence[str]) -> Experiment:
        raw = {key: value for key, value in self.file.tables.items() if key != "matrix"}
        matrix = self._matrix(self.file.tables.get("matrix", {}))
        for override in overrides:
            raw, matrix = _override(raw, matrix, override)
        self._check_count(matrix)
        cells = tuple(self._cell(raw, factors) for factors in combinations(matrix))
        self._check_unique(cells)
        lines = _leading_comment(self.file.text)
        comment = "\n".join(line.removeprefix("#").strip() for line in lines)
        return Experiment(self.file.path.stem, self.file.path, comment, tuple(matrix), cells)

    def _matrix(self, raw: Any) -> dict[str, list[Any]]:
        if not isinstance(raw, dict):
            raise self._error(["matrix"], "expected a table")
        matrix: dict[str, list[Any]] = {}
        for key, levels in _flatten(raw).items():
            if full_key(key) is None:
                raise self._error(["matrix", key], "no key of this name can vary")
            if not isinstance(levels, list) or not levels:
                raise self._error(["matrix", key], "expected a list of values, at least one")
            if twin := next((name for name in matrix if full_key(name) == full_key(key)), None):
                raise self._error(["matrix", key], f'is the same key as "{twin}"')
            matrix[key] = levels
        return matrix

    def _check_count(self, matrix: Mapping[str, Sequence[Any]]) -> None:
        count = math.prod(len(levels) for levels in matrix.values())
        if count > CELLS_MAX:
            raise self._error(["matrix"], f"has {count} cells; expected {CELLS_MAX} at most")

    def _cell(self, raw: Mapping[str, Any], factors: Mapping[str, Any]) -> Cell:
        data = dict(raw)
        for key, value in factors.items():
            try:
                data = with_key(data, full_key(key) or key, value)
            except UsageError as error:
                raise self._error(["matrix", key], str(error)) from None
        try:
            spec = Spec.model_validate(data)
        except ValidationError as error:
            raise self._from_pydantic(error.errors()[0], factors) from None
        cell = Cell({key: level(value) for key, value in factors.items()}, spec)
        self._check_name(cell)
        return cell

    def _check_name(self, cell: Cell) -> None:
        """A cell's name is that of a file, too."""
        size = len(os.fsencode(cell.id))
        if size > ID_BYTES_MAX:
            longest = max(cell.factors, key=lambda key: len(f"{key}={cell.factors[key]}"))
            message = (
                f"the name of the cell {cell.id[:40]}... has {size} bytes; a name of a file has "
                f"room for {ID_BYTES_MAX}: write shorter levels"
            )
            raise self._error(["matrix", longest], message)

    def _check_unique(self, cells: Sequence[Cell]) -> None:
        seen: dict[str, str] = {}  # what each cell's id stands for, and the id of each cell
        for cell in cells:
            specified = cell.spec.model_dump_json()
            if cell.id in seen or specified in seen:
                raise self._error(["matrix"], f"two cells are the same: {cell.id}")
            seen |= {cell.id: specified, specified: cell.id}

    def _from_pydantic(self, error: ErrorDetails, factors: Mapping[str, Any]) -> FileError:
        where = [str(part) for part in error["loc"] if not str(part).startswith("[")]
        if isinstance(cause := error.get("ctx", {}).get("error"), KeyedError):
            where += cause.where
        varied = {full_key(key): key for key in factors}
        full = ".".join(where)
        if full in varied:
            return self._error(["matrix", varied[full]], reason(error, _unknown_key))
        return self._error(where, reason(error, _unknown_key))

    def _error(self, where: Sequence[str], message: str) -> FileError:
        return self.file.error(where, message)


def _unknown_key(where: Sequence[str]) -> str:
    model: type[BaseModel] | None = Spec
    for part in where[:-1]:
        model = _table_in(model, part)
    accepted = [*model.model_fields, *(["matrix"] if model is Spec else [])] if model else []
    near = difflib.get_close_matches(where[-1], accepted, n=1)
    if near:
        return f'unknown key; did you mean "{near[0]}"?'
    return f"unknown key; there are {', '.join(accepted)}" if accepted else "unknown key"


def _table_in(model: type[BaseModel] | None, key: str) -> type[BaseModel] | None:
    kind: object = model.model_fields[key].annotation if model else None
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def _override(
    raw: dict[str, Any], matrix: dict[str, list[Any]], text: str
) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    if not text.isprintable():
        given = shortened(repr(text))
        raise UsageError(f"--set {given}: expected KEY=VALUE, one line of printable characters")
    option = f"--set {shortened(text)}"
    written, equals, word = text.partition("=")
    key = _unquoted(written.strip())
    full = full_key(key)
    if not equals or full is None:
        raise UsageError(f"{option}: expected KEY=VALUE, KEY as in an experiment file")
    try:
        value = parse_value(word)
    except tomllib.TOMLDecodeError:
        value = word.strip()
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from None
    kept = {name: levels for name, levels in matrix.items() if full_key(name) != full}
    if isinstance(value, list) and value:
        return raw, {**kept, key: value}
    try:
        return with_key(raw, full, value), kept
    except UsageError as error:
        raise UsageError(f"{option}: {error}") from None


def _unquoted(key: str) -> str:
    """A dotted key without TOML's quotes, which parts of it need in a file."""
    if len(key) > KEY_MAX:
        return key
    try:
        (name,) = _flatten(tomllib.loads(f"{key} = 0"))
    except ValueError:
        return key
    return name


def _flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Tables inside [matrix] as dotted keys: TOML reads testbed.mtu as a table."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            flat |= _flatten(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


def _leading_comment(text: str) -> list[str]:
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line)
    return lines
