# SPDX-License-Identifier: GPL-2.0-or-later
"""Reading an experiment file: TOML into cells, or an error with file, line and key.

Parsing never touches the host: whether a profile or a kernel exists is asked later.
"""

from __future__ import annotations

import json
import math
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tsqlab.errors import FileError, UsageError, one_line
from tsqlab.experiment.bounds import KeyedError
from tsqlab.experiment.bundled import bundled_experiments, is_file
from tsqlab.experiment.capture import CAPTURED
from tsqlab.experiment.handles import by_handle
from tsqlab.experiment.invalid import (
    accepted_in,
    first_error,
    hint,
    reason,
    shortened,
    unknown,
)
from tsqlab.experiment.look import read_style, read_words
from tsqlab.experiment.matrix import Cell, Level, combinations, level, with_key
from tsqlab.experiment.modules import MODULES, module_name
from tsqlab.experiment.profile import (
    ChangeError,
    NoProfileError,
    Others,
    Profile,
    in_profiles,
    load_profile,
)
from tsqlab.experiment.shown import Report
from tsqlab.experiment.spec import ARRAYS, TABLES, Spec, full_key
from tsqlab.experiment.testbed import GRAPH
from tsqlab.experiment.testbed.written import gathered, place_in_file
from tsqlab.experiment.toml import TomlFile, flattened, parse_value, read_toml, there
from tsqlab.experiment.trace_events import TRACED
from tsqlab.experiment.vary_files import with_files
from tsqlab.kernels.own_source import Source, read_source
from tsqlab.results.look import Look

CELLS_MAX = 10_000
"""How many cells a matrix may have."""

ID_BYTES_MAX = 200
"""How long the name of a cell may be: 255 bytes are a file's, with what stands around the name."""

_DEVICE = "testbed.device"
_PROFILE = "testbed.profile"
_MODULES = f"lab.{MODULES}"
_QUOTES_NEEDED = 'a list\'s and a table\'s texts need quotes: ["fq", "4TSQ"], { pkts = "none" }'
_RECORDED = CAPTURED | TRACED
_RECORDED_CANNOT_VARY = "changes no result, so it cannot vary; it is a key of [lab]"

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
    against: Mapping[str, Level] = field(default_factory=dict)  # what the table compares others to
    look: Look = field(default_factory=Look)  # what [report] says of the figures' looks, read
    given: Mapping[str, str] = field(default_factory=dict)  # overrides, by the full key of each
    overrides: tuple[str, ...] = ()  # the same as they were given: KEY=VALUE
    shard: str = ""  # which shard is to be run here, as "2/8"; empty: all cells are

    @property
    def spec(self) -> Spec:
        """What the first cell specifies: the title, paper and report are common to all."""
        return self.cells[0].spec

    def profiles(self) -> list[Profile]:
        """The device profile of each cell. Raises UsageError, which names the key if there is none.

        Cells whose profiles are the same share one.
        """
        read: dict[str, Profile] = {}
        found = []
        for cell in self.cells:
            testbed = cell.spec.testbed
            key = json.dumps([testbed.device, testbed.profile], sort_keys=True)
            if key not in read:
                read[key] = self._profile_of(cell)
            found.append(read[key])
        return found

    def others(self) -> list[Others]:
        """The profiles that the links and media of each cell name. Raises UsageError as profiles().

        A layout's have none: all of it is of the cell's own.
        """
        read: dict[str, Profile] = {}
        found: list[Others] = []
        for cell in self.cells:
            testbed = cell.spec.testbed
            own: dict[str, Profile] = {}
            for name in testbed.graph.devices:
                key = json.dumps([name, testbed.profile.get(name)], sort_keys=True)
                if key not in read:
                    read[key] = self._named_by_graph(cell, name)
                own[name] = read[key]
            found.append(own)
        return found

    def modules(self) -> list[tuple[Source, ...]]:
        """What is in the folders of each cell's modules now. Raises UsageError as profiles()."""
        read: dict[Path, Source] = {}
        found = []
        for cell in self.cells:
            paths = {cell.modules_home / text: text for text in cell.spec.lab.modules}
            for path in paths.keys() - read.keys():
                try:
                    read[path] = read_source(path, module_name(paths[path]), paths[path])
                except UsageError as error:
                    raise self._error_of(_MODULES, str(error)) from None
            found.append(tuple(read[path] for path in paths))
        return found

    def _named_by_graph(self, cell: Cell, device: str) -> Profile:
        testbed = cell.spec.testbed
        try:
            return load_profile(device, cell.home, testbed.profile.get(device, {}))
        except NoProfileError as error:
            named: dict[str, str | None] = {
                f"medium.{name}": one.device for name, one in testbed.medium.items()
            }
            named |= {f"medium.{name}.members.{node}": one.device
                      for name, medium in testbed.medium.items()
                      for node, one in medium.members.items()}  # fmt: skip
            named |= {f"link.{name}": one.device for name, one in testbed.link.items()}
            where = next(where for where, name in named.items() if name == device)
            raise self._error_of(f"testbed.{where}.device", str(error)) from None
        except ChangeError as error:
            raise self._error_of(".".join([_PROFILE, device, *error.where]), str(error)) from None

    def _profile_of(self, cell: Cell) -> Profile:
        testbed = cell.spec.testbed
        if testbed.layout == GRAPH:
            return self._named_by_graph(cell, testbed.device)
        try:
            return load_profile(testbed.device, cell.home, testbed.profile)
        except NoProfileError as error:
            raise self._error_of(_DEVICE, str(error)) from None
        except ChangeError as error:
            raise self._error_of(".".join([_PROFILE, *error.where]), str(error)) from None

    def _error_of(self, key: str, message: str) -> UsageError:
        """An error at a key given in full, or where that varies."""
        return self.error_at(key.split("."), message)

    def error_at(self, where: Sequence[str], message: str) -> UsageError:
        """An error at the parts of a key, or where that varies."""
        file = read_toml(self.path)
        key = ".".join(by_handle(where, file.tables))
        varies = (name for name in self.factors if f"{key}.".startswith(f"{full_key(name)}."))
        factor = next(varies, None)
        return _error_at(file, ["matrix", factor] if factor else where, message, self.given)


def _error_at(
    file: TomlFile, where: Sequence[str], message: str, given: Mapping[str, str]
) -> UsageError:
    """An error at the key *where*: of the file, or of the one of the overrides that changed it."""
    varies = where[0] == "matrix" and len(where) > 1
    full = (full_key(where[1]) or "") if varies else ".".join(where)
    for key, option in given.items():
        if f"{full}.".startswith(f"{key}."):
            return UsageError(one_line(f"{option}: {full}: {message}"))
    place, shown = place_in_file(file.tables, where)
    return file.error(place, message, shown)


def load(name: str, overrides: Sequence[str] = ()) -> Experiment:
    """Read an experiment: a path, or a bundled one's name.

    *overrides* are "KEY=VALUE" texts, VALUE as in TOML (one may lack its quotes); a key that
    is set no longer varies, and a list makes it vary. Raises FileError and UsageError.
    """
    return _Reader(read_toml(_find(name))).read(overrides)


def _find(name: str) -> Path:
    if is_file(name):
        if there(path := Path(name)):
            return path
        raise UsageError(f"{name}: no such experiment file")
    known = bundled_experiments()
    if name in known:
        return known[name]
    raise UsageError(f'no bundled experiment "{shortened(name)}"; {hint(name, known)}')


class _Reader:
    """Turns the file's data into cells, and pydantic's errors into ours."""

    def __init__(self, file: TomlFile) -> None:
        self.file = file
        self.home = file.path.parent  # where the path of a device's profile starts
        self.modules_home = self.home  # and those of modules
        self.given: dict[str, str] = {}  # the overrides, by the full key that each changes

    def read(self, overrides: Sequence[str]) -> Experiment:
        raw = self._tables()
        matrix = self._matrix(self.file.tables.get("matrix", {}))
        for override in overrides:
            raw, matrix, full = _override(raw, matrix, override)
            self.given[full] = _option(override)
            if full == _DEVICE:  # whoever types a path means the folder that the shell is in
                self.home = Path()
            if full == _MODULES:
                self.modules_home = Path()
        self._check_count(matrix)
        cells = tuple(self._cell(raw, factors) for factors in combinations(matrix))
        self._check_unique(cells)
        comment = "\n".join(self.file.comment)
        report = cells[0].spec.report
        return Experiment(
            self.file.path.stem, self.file.path, comment, tuple(matrix), cells,
            self._against(report, matrix, changed=bool(overrides)), self._look(report), self.given,
            tuple(overrides),
        )  # fmt: skip

    def _tables(self) -> dict[str, Any]:
        """All but the matrix."""
        raw = {key: table for key, table in self.file.tables.items() if key != "matrix"}
        try:
            return gathered(with_files(raw, self.home))
        except KeyedError as error:
            raise self._error(error.where, str(error)) from None

    def _against(
        self, report: Report, matrix: Mapping[str, Sequence[Any]], *, changed: bool
    ) -> Mapping[str, Level]:
        """What others are compared to; it has to vary unless this run was told that it does not."""
        against = {}
        for name, value in report.against.items():
            levels = [str(level(one)) for one in matrix.get(name, ())]
            if str(value) in levels:
                against[name] = value
            elif not changed:
                known = f"there are {', '.join(levels)}" if levels else (
                    f"it does not vary; {', '.join(matrix) or 'nothing'} does")  # fmt: skip
                raise self._error(["report", "against"], f'no {name} = "{value}"; {known}')
        return against

    def _look(self, report: Report) -> Look:
        folder = self.file.path.parent
        key = "style"
        try:
            style = read_style(report.style, folder) if report.style else ""
            key = "language"
            words = read_words(report.language, folder)
        except FileError:
            raise
        except UsageError as error:
            raise self._error(["report", key], str(error)) from None
        return Look(style=style, size=report.size, words=words)

    def _matrix(self, raw: Any) -> dict[str, list[Any]]:
        if not isinstance(raw, dict):
            raise self._error(["matrix"], "expected a table")
        matrix: dict[str, list[Any]] = {}
        for key, levels in flattened(raw).items():
            if full_key(key) is None:
                raise self._error(["matrix", key], _no_key(key))
            if full_key(key) in _RECORDED:
                raise self._error(["matrix", key], _RECORDED_CANNOT_VARY)
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
            raise self._from_pydantic(error, factors) from None
        levels = {key: level(value) for key, value in factors.items()}
        cell = Cell(levels, spec, self.home, self.modules_home)
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

    def _from_pydantic(self, error: ValidationError, factors: Mapping[str, Any]) -> UsageError:
        where, first = first_error(error)
        full = ".".join(by_handle(where, {name: self.file.tables.get(name) for name in ARRAYS}))
        varied = (key for key in factors if f"{full}.".startswith(f"{full_key(key)}."))
        if factor := next(varied, None):
            where = ["matrix", factor]
        return self._error(where, reason(first, _unknown_key))

    def _error(self, where: Sequence[str], message: str) -> UsageError:
        return _error_at(self.file, where, message, self.given)


def _unknown_key(where: Sequence[str]) -> str:
    accepted = [*accepted_in(Spec, where[:-1]), *(["matrix"] if len(where) == 1 else [])]
    return unknown(where[-1], accepted, _elsewhere(where[-1]))


def _no_key(key: str) -> str:
    """What to say of a bare or dotted *key* that is none that can vary or be set."""
    *tables, last = key.split(".")
    if tables and (array := tables[0]) in ARRAYS:
        keys = ", ".join(ARRAYS[array])
        of_first = f"of {array} 1, {array}.1. and one of {keys}"
        return f'no key "{shortened(key)}" can vary or be set; {of_first}'
    elsewhere = _elsewhere(last)
    bare = [name for table in TABLES.values() for name in table.model_fields]
    return f'no key "{shortened(key)}" can vary or be set; {elsewhere or hint(last, bare)}'


def _elsewhere(key: str) -> str:
    """Where else there is a *key* of just this name; empty if nowhere."""
    if full := full_key(key):
        return f"it is a key of [{full.partition('.')[0]}]"
    if key in Spec.model_fields and key not in TABLES:
        return "it stands above the tables of an experiment"
    if in_profiles(key):
        return f"device profiles have it: profile.{key} is that of this experiment's device"
    return ""


def _override(
    raw: dict[str, Any], matrix: dict[str, list[Any]], text: str
) -> tuple[dict[str, Any], dict[str, list[Any]], str]:
    """The data and the matrix as *text* changes them, and the full key that it changes."""
    if not text.isprintable():
        given = shortened(repr(text))
        raise UsageError(f"--set {given}: expected KEY=VALUE, one line of printable characters")
    option = _option(text)
    written, equals, word = text.partition("=")
    key = _unquoted(written.strip())
    full = full_key(key)
    if not equals:
        raise UsageError(f'{option}: expected KEY=VALUE, as in "qdisc=fq"')
    if full is None:
        raise UsageError(f"{option}: {_no_key(key)}")
    try:
        value = parse_value(word)
    except tomllib.TOMLDecodeError:
        value = word.strip()
        if value.startswith(("[", "{")):
            raise UsageError(f"{option}: {_QUOTES_NEEDED}") from None
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from None
    kept = {name: levels for name, levels in matrix.items() if full_key(name) != full}
    if isinstance(value, list) and value and full not in _RECORDED:
        return raw, {**kept, key: value}, full
    try:
        return with_key(raw, full, value), kept, full
    except UsageError as error:
        raise UsageError(f"{option}: {error}") from None


def _option(override: str) -> str:
    return f"--set {shortened(override)}"


def _unquoted(key: str) -> str:
    """A dotted key without TOML's quotes, which parts of it need in a file."""
    if len(key) > KEY_MAX:
        return key
    try:
        (name,) = flattened(tomllib.loads(f"{key} = 0"))
    except ValueError:
        return key
    return name
