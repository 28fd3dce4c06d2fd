# SPDX-License-Identifier: GPL-2.0-or-later
"""A ``[[program]]`` of an experiment file: a program of the host that runs in a node.

It need not know of the lab. It finds the host's programs and libraries where they are, and of the
rest only what ``see`` names; other nodes answer by their names. What it prints may become figures
and series (tsqlab.experiment.printed).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from tsqlab.experiment.bounds import KeyedError, between, one_of
from tsqlab.experiment.handles import Name, handles, keys_of
from tsqlab.experiment.invalid import shown
from tsqlab.experiment.printed import FigureTable, SeriesTable
from tsqlab.experiment.testbed.keys import Table, array_of_tables
from tsqlab.metrics.programs import RAN
from tsqlab.units import Duration

PROGRAM = "program"
"""The key of the array of tables."""

PROGRAMS_MAX = 100
WORDS_MAX = 40
"""Of a command: a line of a guest's plan has 64 words."""
VARIABLES_MAX = 15
WORD_LENGTH_MAX = 4096

PRELOADS = ("patience", "tcp_info")
"""The libraries of agent/preload."""

AHEAD_NS = 1_000_000_000
"""How long before the measurement a server starts that says no start."""

THE_END = Duration(0)
"""The stop that a file calls "end": that of the measurement."""

_OWN = ("bin", "dev", "lib", "lib32", "lib64", "libx32", "proc", "run", "sbin", "sys", "tmp",
        "tsqlab", "usr")  # fmt: skip
_OWN_OF_ETC = ("hosts", "iproute2", "nsswitch.conf")
"""The folders of a guest's root, and what of /etc, that a program cannot have otherwise."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_PATH_LENGTH_MAX = 200


def _words(value: object) -> object:
    """The words of a command; one that is a text is split as a shell splits it."""
    words = _split(value) if isinstance(value, str) else value
    if not isinstance(words, list | tuple) or not 1 <= len(words) <= WORDS_MAX:
        raise ValueError(
            f'expected a program with its arguments, 1 to {WORDS_MAX} words, as ["iperf3", "-s"], '
            f"not {shown(value)}"
        )
    return words


def _split(value: str) -> list[str]:
    lexer = shlex.shlex(value, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:
        raise ValueError(f"a quote that is not closed in {shown(value)}") from None
    if meant := next((word for word in words if set(word) <= set("();<>|&") or "$" in word), None):
        raise ValueError(
            f'no shell runs it, to which "{meant[:20]}" would mean something; expected a list, as '
            '["sh", "-c", "..."], if one is to'
        )
    return words


def _check_word(word: str) -> str:
    if not word or len(word) > WORD_LENGTH_MAX or re.search(r"[\t\r\n\0]", word):
        raise ValueError(
            f"expected words of 1 to {WORD_LENGTH_MAX} characters without tabs and line ends, not "
            f"{shown(word)}; what is longer can be a file that it sees"
        )
    return word


def _check_value(text: str) -> str:
    return _check_word(text) if text else text


def _check_variable(name: str) -> str:
    if not _VARIABLE.fullmatch(name):
        raise ValueError(f"expected the name of a variable, not {shown(name)}")
    if name == "LD_PRELOAD":
        raise ValueError(f"the key preload says it, which takes {' and '.join(PRELOADS)}")
    return name


def _check_path(text: str) -> str:
    if (
        len(text) > _PATH_LENGTH_MAX
        or not text.isprintable()
        or not text.startswith("/")
        or str(PurePosixPath(text)) != text
        or ".." in PurePosixPath(text).parts
    ):
        raise ValueError(f'expected the path of a guest, as "/srv/page.html", not {shown(text)}')
    return text


def _check_place(text: str) -> str:
    """Where a guest may see what is the user's."""
    _, *parts = PurePosixPath(_check_path(text)).parts
    if not parts or parts[0] in _OWN or (parts[0] == "etc" and _is_own_of_etc(parts[1:])):
        raise ValueError(
            f'a guest has its own "{text}"; expected another place, as "/srv" or "/opt/mine"'
        )
    return text


def _is_own_of_etc(parts: Sequence[str]) -> bool:
    return not parts or parts[0] in _OWN_OF_ETC


def _check_source(text: str) -> str:
    if not text or len(text) > WORD_LENGTH_MAX or not text.isprintable():
        raise ValueError(f"expected the path of a file or a folder of the host, not {shown(text)}")
    return text


def _stop(value: object) -> object:
    if value == "end":
        return THE_END
    if isinstance(value, str) and Duration.of(value) == 0:
        raise ValueError('expected a time after its start, or "end"')
    return value


_Time = Annotated[Duration, between(Duration, "0 s", "1440 min")]
_Word = Annotated[str, AfterValidator(_check_word)]


class ProgramTable(Table):
    """A program, as a file says it."""

    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True)

    name: Name = ""  # none: it is called by its number
    node: str
    # A list of words. One text is split as a shell splits it.
    command: Annotated[tuple[_Word, ...], BeforeValidator(_words)]
    # When it starts, counted from the time at which flows begin. None: then; or, if it has a stop,
    # AHEAD_NS before the measurement.
    start: _Time | None = None
    # When it is ended, counted likewise, if it still runs; "end": with the measurement. None: it
    # has to end by itself.
    stop: Annotated[_Time | None, BeforeValidator(_stop)] = None
    environment: Annotated[
        dict[Annotated[str, AfterValidator(_check_variable)],
             Annotated[str, AfterValidator(_check_value)]],
        Field(max_length=VARIABLES_MAX),
    ] = Field({})  # fmt: skip
    folder: Annotated[str, AfterValidator(_check_path)] = "/tmp"
    # What of the host it sees, read-only, by where it sees it.
    see: dict[
        Annotated[str, AfterValidator(_check_place)], Annotated[str, AfterValidator(_check_source)]
    ] = Field({})
    preload: tuple[Annotated[str, one_of("preload", PRELOADS)], ...] = ()
    may_fail: bool = False  # whether its cell is good, however it ends
    figure: Annotated[tuple[FigureTable, ...], array_of_tables("program.figure")] = ()
    series: Annotated[tuple[SeriesTable, ...], array_of_tables("program.series")] = ()

    def begin_ns(self, delay: Duration) -> int:
        """When it starts, from the measurement's start on."""
        if self.start is None and self.stop is not None:
            return -AHEAD_NS
        return delay + (self.start or 0)

    def end_ns(self, delay: Duration, length: Duration) -> int:
        """When it is ended, likewise, if it still runs."""
        return delay + (self.stop or length + delay)


ProgramTables = Annotated[tuple[ProgramTable, ...], array_of_tables(PROGRAM)]

PROGRAM_KEYS = tuple(key for key in keys_of(ProgramTable) if key not in ("figure", "series"))
"""The keys that may vary."""


def names(programs: Sequence[ProgramTable]) -> list[str]:
    """What the programs are called: by their names, or else by their numbers, from 1."""
    return handles([{"name": program.name} for program in programs])


def seen(programs: Sequence[ProgramTable]) -> dict[str, str]:
    """What guests see for all programs: paths of the host, by where."""
    return {there: here for program in programs for there, here in program.see.items()}


def said_programs(programs: Sequence[ProgramTable]) -> dict[str, object]:
    """The keys that programs are said by, dotted, each with its value."""
    return {
        f"{PROGRAM}.{name}.{key}": _text(key, getattr(program, key))
        for name, program in zip(names(programs), programs, strict=True)
        for key, field in ProgramTable.model_fields.items()
        if key != "name" and getattr(program, key) != field.default
    }


def _text(key: str, value: object) -> object:
    """A value as a text, where it is no quantity."""
    if key == "command" and isinstance(value, tuple):
        return shlex.join(value)
    if key in ("figure", "series") and isinstance(value, tuple):
        return ", ".join(f"{table.column} {table.how}" for table in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {text}" for name, text in value.items())
    return "end" if key == "stop" and value == THE_END else value


def check_programs(
    programs: Sequence[ProgramTable], nodes: Collection[str], delay: Duration, length: Duration
) -> None:
    """Raises KeyedError for programs that a testbed cannot have in that time."""
    if len(programs) > PROGRAMS_MAX:
        raise KeyedError([PROGRAM], f"{len(programs)} programs; expected {PROGRAMS_MAX} at most")
    named: dict[str, int] = {}
    for number, program in enumerate(programs, 1):
        at = [PROGRAM, str(number)]
        if program.node not in nodes:
            known = ", ".join(nodes)
            raise KeyedError([*at, "node"], f'no node "{program.node}"; there are {known}')
        if program.name in named:
            message = f'program {named[program.name]} is called "{program.name}", too'
            raise KeyedError([*at, "name"], message)
        named |= {program.name: number} if program.name else {}
        _check_times(program, at, delay, length)
        _check_columns(program, at)
    _check_places(programs)


def _check_times(program: ProgramTable, at: list[str], delay: Duration, length: Duration) -> None:
    """Times count from when flows begin, and the measurement ends a delay after they do."""
    last = Duration(length + delay)
    start, stop = program.start or Duration(0), program.stop or last
    most = f"{last.text}, when the measurement ends"
    if start >= last:
        raise KeyedError([*at, "start"], f"expected a time before {most}")
    if stop > last:
        raise KeyedError([*at, "stop"], f'expected {most}, at most, or "end"')
    if stop <= start:
        raise KeyedError([*at, "stop"], f"expected a time after its start, {start.text}")


def _check_columns(program: ProgramTable, at: list[str]) -> None:
    for key, tables in (("figure", program.figure), ("series", program.series)):
        found = {RAN} if key == "figure" else set()
        for number, table in enumerate(tables, 1):
            if table.column in found:
                message = f'there is a {key} "{table.column}" already'
                raise KeyedError([*at, key, str(number), "name"], message)
            found.add(table.column)


def _check_places(programs: Sequence[ProgramTable]) -> None:
    """All nodes have one file system, in which a place is one thing, and none is in another."""
    places: dict[str, str] = {}
    for number, program in enumerate(programs, 1):
        for there, here in program.see.items():
            at = [PROGRAM, str(number), "see", there]
            if places.setdefault(there, here) != here:
                message = f'all nodes see one file system, and "{places[there]}" is at "{there}"'
                raise KeyedError(at, message)
            for other in places:
                if PurePosixPath(other) in PurePosixPath(there).parents or (
                    PurePosixPath(there) in PurePosixPath(other).parents
                ):
                    message = f'"{other}" is seen, too; expected places that are not in another'
                    raise KeyedError(at, message)
