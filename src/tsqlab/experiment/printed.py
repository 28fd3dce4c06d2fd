# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers out of what programs print: ``[[program.figure]]`` and ``[[program.series]]``.

A number is found by a regular expression, or by a path in JSON: names and places, with dots
between, ``*`` for all: ``intervals.*.sum``. Numbers are kept in the units of summary.csv, whatever
unit a program prints.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from tsqlab.experiment.bounds import KeyedError
from tsqlab.experiment.invalid import shortened, shown
from tsqlab.experiment.testbed.keys import Table

UNITS: Mapping[str, tuple[str, float]] = {
    "": ("", 1.0),
    "s": ("s", 1.0), "ms": ("ms", 1.0), "us": ("ms", 1e-3), "ns": ("ms", 1e-6),
    "bit/s": ("mbps", 1e-6), "kbit/s": ("mbps", 1e-3), "Mbit/s": ("mbps", 1.0),
    "Gbit/s": ("mbps", 1e3),
    "B/s": ("mbps", 8e-6), "kB/s": ("mbps", 8e-3), "MB/s": ("mbps", 8.0),
    "B": ("bytes", 1.0), "kB": ("bytes", 1e3), "MB": ("bytes", 1e6), "KiB": ("bytes", 1024.0),
    "MiB": ("bytes", 1048576.0),
    "%": ("percent", 1.0),
}  # fmt: skip
"""What each unit makes of a column's name, and how much of the column's unit one of it is."""

VALUES_MAX = 100_000
"""How many values a series may have."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,23}")
_JSON_PATH = re.compile(r"[^.\s]+(\.[^.\s]+)*")
_TEXT_MAX = 500
_LARGEST = 1e15
_LINE_MAX = 10_000


def _check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(
            "expected a small letter, and up to 23 small letters, digits and _ after it, not "
            f"{shown(name)}"
        )
    return name


def _check_unit(unit: str) -> str:
    if unit not in UNITS:
        raise ValueError(f'no unit "{shortened(unit)}"; there are {", ".join(filter(None, UNITS))}')
    return unit


def _check_json(path: str) -> str:
    if len(path) > _TEXT_MAX or not _JSON_PATH.fullmatch(path):
        raise ValueError(
            f'expected names and places with dots between, as "end.sum.bytes", not {shown(path)}'
        )
    return path


def _check_regex(text: str) -> str:
    if len(text) > _TEXT_MAX:
        raise ValueError(f"expected {_TEXT_MAX} characters at most")
    try:
        re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"no regular expression: {error}, in {shown(text)}") from None
    return text


_Json = Annotated[str, AfterValidator(_check_json)] | None


class _Found(Table):
    """What both kinds have."""

    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True)

    name: Annotated[str, AfterValidator(_check_name)]
    unit: Annotated[str, AfterValidator(_check_unit)] = ""  # that it is printed in
    json_path: _Json = Field(None, alias="json")
    regex: Annotated[str, AfterValidator(_check_regex)] | None = None
    stream: Literal["stdout", "stderr"] = Field("stdout", alias="from")

    @property
    def column(self) -> str:
        """The name of it with its unit, as columns have it: "goodput_mbps"."""
        suffix, _ = UNITS[self.unit]
        return f"{self.name}_{suffix}" if suffix else self.name

    @property
    def how(self) -> str:
        """How it is found, in a few words."""
        where = f"JSON {self.json_path}" if self.json_path else f"'{self.regex}'"
        return f"by {where} in {self.stream}"

    def _check_one(self) -> None:
        if (self.json_path is None) == (self.regex is None):
            raise KeyedError(["regex"], "expected one of json and regex, by which it is found")

    def _number(self, value: object) -> float:
        """A value in the column's unit. Raises ValueError."""
        # Twelve digits: a unit's factor is not exact.
        return float(f"{_number(value) * UNITS[self.unit][1]:.12g}")


class FigureTable(_Found):
    """A number that a program prints: the last, if it prints several."""

    @model_validator(mode="after")
    def _one_group(self) -> FigureTable:
        self._check_one()
        if self.regex is not None and re.compile(self.regex).groups != 1:
            raise KeyedError(["regex"], "expected one group, ( ), which is the number")
        return self

    def of(self, text: str) -> float:
        """The number in what was printed. Raises ValueError, which says what was not found."""
        if self.json_path is not None:
            found = list(_at(_documents(text), self.json_path))
        else:
            found = [match[1] for match in _matches(self.regex or "", text)]
        if not found:
            raise ValueError(_nothing(self.how, text))
        return self._number(found[-1])


class SeriesTable(_Found):
    """Numbers over time that a program prints."""

    # With json, which leads to tables: the paths in each of them.
    time: _Json = None
    value: _Json = None
    # What times count from, in seconds: the program's start, or 1970, as the guest's clock has it.
    clock: Literal["program", "unix"] = "program"

    @model_validator(mode="after")
    def _two_groups(self) -> SeriesTable:
        self._check_one()
        for key in ("time", "value"):
            if (getattr(self, key) is None) != (self.json_path is None):
                said = "is a path in what json leads to, which is missing" if getattr(self, key) \
                    else "is missing: the path in what json leads to"  # fmt: skip
                raise KeyedError([key], said)
        if self.regex is not None and set(re.compile(self.regex).groupindex) != {"time", "value"}:
            raise KeyedError(
                ["regex"], "expected the groups (?P<time>...) and (?P<value>...), and no other name"
            )
        return self

    def of(self, text: str) -> list[tuple[float, float]]:
        """Seconds and values, in the order in which they were printed. Raises ValueError."""
        found = list(self._pairs(text))
        if not found:
            raise ValueError(_nothing(self.how, text))
        if len(found) > VALUES_MAX:
            raise ValueError(f"has {len(found)} values; expected {VALUES_MAX} at most")
        return found

    def _pairs(self, text: str) -> Iterator[tuple[float, float]]:
        if self.regex is not None:
            for match in _matches(self.regex, text):
                yield _number(match["time"]), self._number(match["value"])
            return
        assert self.json_path and self.time and self.value, "checked"
        for table in _at(_documents(text), self.json_path):
            times, values = (list(_at([table], path)) for path in (self.time, self.value))
            if not times or not values:
                raise ValueError(f"{self.how}: no {self.time if not times else self.value} in it")
            yield _number(times[0]), self._number(values[0])


def _number(value: object) -> float:
    """A value that is a number, or the text of one. Raises ValueError."""
    try:
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            number = float(value)
            if abs(number) <= _LARGEST:
                return number
    except (ValueError, OverflowError):
        pass
    raise ValueError(f"expected a number of up to {_LARGEST:g}, not {shown(value)}")


def _matches(regex: str, text: str) -> Iterator[re.Match[str]]:
    """All matches, line by line, of lines that are no longer than people read."""
    pattern = re.compile(regex)
    for line in text.splitlines():
        yield from pattern.finditer(line[:_LINE_MAX])


def _documents(text: str) -> list[Any]:
    """The JSON in a text: all of it, or the lines that are JSON."""
    try:
        return [json.loads(text)]
    except (ValueError, RecursionError):
        return [found for line in text.splitlines() if (found := _of_line(line)) is not None]


def _of_line(line: str) -> Any:
    """A line's table or list; None if it is none."""
    if not line.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _at(documents: list[Any], path: str) -> Iterator[Any]:
    """All that a path leads to."""
    found = documents
    for part in path.split("."):
        found = [inner for one in found for inner in _inside(one, part)]
    yield from found


def _inside(value: Any, part: str) -> list[Any]:
    if part == "*":
        return list(value.values() if isinstance(value, dict) else
                    value if isinstance(value, list) else ())  # fmt: skip
    if isinstance(value, dict):
        return [value[part]] if part in value else []
    if isinstance(value, list) and re.fullmatch(r"-?[0-9]{1,6}", part):
        at = int(part)
        return [value[at]] if -len(value) <= at < len(value) else []
    return []


def _nothing(how: str, text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    last = f"whose last line is {shortened(repr(lines[-1]))}" if lines else "which is empty"
    return f"found nothing {how}, {last}"
