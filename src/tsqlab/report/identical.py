# SPDX-License-Identifier: GPL-2.0-or-later
"""Levels of a factor that made no difference at all: cells whose data are the same bytes.

The lab is deterministic, so two kernels, devices or queues that do the same to a flow give the
same bytes, and two that do anything else hardly ever do. A table shows such levels as equal
numbers, which somebody may read as "no effect of the patch" where something that the run itself
wrote was in the patch's place. So it is said, as the fact that it is: which levels, and in how
many cells.
"""

from __future__ import annotations

import itertools
import marshal
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from tsqlab.experiment.stored import Folder, Result
from tsqlab.keys import key_of
from tsqlab.report.overridden import Overridden, concerns_senders, in_short, overridden
from tsqlab.report.table import in_parts
from tsqlab.results.flent import read_flent
from tsqlab.results.record import Level

_SHOWN_MAX = 3  # cells that a note names
_LINES_MAX = 8  # on a terminal
_NO_REFERENCES = 2  # the last version of marshal in which equal data are always the same bytes


@dataclass(frozen=True)
class Identical:
    """Levels of a factor whose cells are the same bytes, be it all of them or some."""

    factor: str
    levels: tuple[Level, ...]
    same: int  # how many groups of cells that differ in the factor only are the same ...
    of: int  # ... of how many
    where: str  # which they are, if not all
    cells: tuple[Result, ...]  # those that are the same, group by group

    @property
    def overridden(self) -> list[Overridden]:
        """What these cells write over their kernels' own, if that could be why they are the same.

        A factor that is about the way and not about the sender has nothing to do with it.
        """
        if not concerns_senders(self.factor):
            return []
        return overridden(cell.conditions for cell in self.cells if cell.conditions)

    @property
    def text(self) -> str:
        """The fact: 'kernel: "6.12" and "mine" gave the same bytes in all 8 pairs of cells'."""
        *most, last = (f'"{level}"' if isinstance(level, str) else str(level)
                       for level in self.levels)  # fmt: skip
        group = "pair" if len(self.levels) == 2 else "group"
        some = "all" if self.same == self.of else f"{self.same} of"
        cells = f"{some} {self.of} {group}s of cells" if self.of > 1 else f"their {group} of cells"
        where = f": {self.where}" if self.where else ""
        return f"{self.factor}: {', '.join(most)} and {last} gave the same bytes in {cells}{where}"


@lru_cache(maxsize=1)  # the page and the terminal say it; it reads files
def identical(folder: Folder) -> tuple[Identical, ...]:
    """The levels that gave the same bytes, by factor. Raises FileError.

    Levels that are the same wherever they can be compared stand together; of others, each pair.
    """
    results = folder.whole.results
    data = {result.id: _Data(folder.path, result) for result in results}
    names = dict.fromkeys(name for result in results for name in result.factors)
    return tuple(found for name in names for found in _of_factor(name, results, data))


def identical_lines(folder: Folder) -> list[str]:
    """The same for the terminal: a line for each. Raises FileError."""
    found = identical(folder)
    lines = []
    for one in found[:_LINES_MAX]:
        lines.append(f"no difference: {one.text}")
        lines += in_parts("  written over the kernel's own", in_short(one.overridden))
    more = [f"no difference: {len(found) - _LINES_MAX} more, in the report"]
    return lines + (more if len(found) > _LINES_MAX else [])


@dataclass(frozen=True)
class _Data:
    """What a cell measured, to be compared with what others did."""

    path: Path
    result: Result

    @cached_property
    def numbers(self) -> tuple[tuple[str, float | None], ...]:
        """Its metrics, which are at hand: cells that differ in these need not be read again."""
        return tuple((name, value) for name, value in self.result.metrics.items()
                     if name != "wall_s")  # fmt: skip

    @cached_property
    def key(self) -> str:
        """The key of all its data: what the file has but for the metadata that are not measured."""
        document = read_flent(self.path / self.result.file)
        metadata = document.pop("metadata")
        measured = {**document, "SERIES_META": metadata.get("SERIES_META")}
        # Files have their keys in order. As JSON, numbers take six times as long to write.
        return key_of(marshal.dumps(measured, _NO_REFERENCES))


_Group = Mapping[Level, Result]
"""Cells that differ in one factor only, by their level of it."""


def _of_factor(
    name: str, results: Sequence[Result], data: Mapping[str, _Data]
) -> Iterator[Identical]:
    groups = _groups(name, results)
    classes = [_classes(group, data) for group in groups]
    same = Counter(pair for alike in classes for levels in alike for pair in _pairs(levels))
    having: dict[Level, set[int]] = {}  # the groups that have a cell of each level
    for number, group in enumerate(groups):
        for level in group:
            having.setdefault(level, set()).add(number)
    together: list[list[Level]] = []  # levels that are the same wherever they can be compared
    some = []
    for pair, count in same.items():
        if count == len(having[pair[0]] & having[pair[1]]):
            _join(together, *pair)
        else:
            some.append(pair)
    for levels in (*together, *some):
        yield _identical(name, levels, groups, classes)


def _groups(name: str, results: Sequence[Result]) -> list[_Group]:
    """The cells that differ in a factor only, two or more in each group."""
    groups: dict[frozenset[tuple[str, Level]], dict[Level, Result]] = {}
    for result in results:
        if name in result.factors:
            rest = frozenset(item for item in result.factors.items() if item[0] != name)
            groups.setdefault(rest, {})[result.factors[name]] = result
    return [group for group in groups.values() if len(group) > 1]


def _classes(group: _Group, data: Mapping[str, _Data]) -> list[list[Level]]:
    """The levels of a group whose cells are the same, two or more in each class."""
    alike: dict[object, list[Level]] = {}
    for level, result in group.items():
        alike.setdefault(data[result.id].numbers, []).append(level)
    classes: dict[str, list[Level]] = {}
    for levels in alike.values():
        for level in levels if len(levels) > 1 else ():
            classes.setdefault(data[group[level].id].key, []).append(level)
    return [levels for levels in classes.values() if len(levels) > 1]


def _pairs(levels: Sequence[Level]) -> Iterator[tuple[Level, Level]]:
    return itertools.combinations(levels, 2)


def _join(together: list[list[Level]], one: Level, other: Level) -> None:
    """Note that two levels are the same."""
    known = next((levels for levels in together if one in levels or other in levels), None)
    if known is None:
        together.append([one, other])
    else:
        known += (level for level in (one, other) if level not in known)


def _identical(
    name: str,
    levels: Sequence[Level],
    groups: Sequence[_Group],
    classes: Sequence[Sequence[Sequence[Level]]],
) -> Identical:
    same: list[_Group] = []
    different: list[_Group] = []
    for group, alike in zip(groups, classes, strict=True):
        here = {level for level in levels if level in group}
        if len(here) > 1:
            (same if any(here <= set(one) for one in alike) else different).append(group)
    return Identical(
        name,
        tuple(levels),
        len(same),
        len(same) + len(different),
        _where(name, same, different) if different else "",
        tuple(group[level] for group in same for level in levels if level in group),
    )


def _where(name: str, same: Sequence[_Group], different: Sequence[_Group]) -> str:
    """Which groups are the same: the levels of another factor that only they have, or their own."""
    mine, others = _places(name, same), _places(name, different)
    for factor in mine[0]:
        levels = list(dict.fromkeys(place[factor] for place in mine))
        if not {place.get(factor) for place in others} & set(levels):
            return f"{factor}={' or '.join(map(str, levels))}"
    shown = [", ".join(f"{key}={level}" for key, level in place.items())
             for place in mine[:_SHOWN_MAX]]  # fmt: skip
    more = [f"{len(mine) - _SHOWN_MAX} more"] if len(mine) > _SHOWN_MAX else []
    return "; ".join([*shown, *more])


def _places(name: str, groups: Sequence[_Group]) -> list[dict[str, Level]]:
    """The levels that each group has in common."""
    return [
        {key: level for key, level in next(iter(group.values())).factors.items() if key != name}
        for group in groups
    ]
