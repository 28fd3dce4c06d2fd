# SPDX-License-Identifier: GPL-2.0-or-later
"""Reading TOML that somebody wrote: tables, or an error with file, line and key.

The bounds here are far above what people write, and low enough that whatever reads the tables
(the parser, a copy, an error message) needs neither deep recursion nor more than a second.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tsqlab.errors import FileError

BYTES_MAX = 128 << 10
"""Of a file; the longest bundled one has 7 KiB."""

NESTING_MAX = 8
"""Of tables and lists in each other; a sysctl that varies takes 5."""

# A key of so many dotted parts takes the parser the square of their number: a minute for 60,000.
_LONG_KEY = re.compile(
    r"""(?<![A-Za-z0-9_-])(?:(?:"[^"\n]*+"|'[^'\n]*+'|[A-Za-z0-9_-]++)[ \t]*+\.[ \t]*+){64}"""
)

_INTEGER = range(-(1 << 63), 1 << 63)  # the integers that TOML asks a parser to take
_DIGITS_MAX = 4300  # Python reads no integer that is longer


@dataclass(frozen=True)
class TomlFile:
    """A file and the tables in it."""

    path: Path
    text: str
    tables: dict[str, Any]

    @property
    def comment(self) -> list[str]:
        """The lines of the comment that the file begins with."""
        lines = itertools.takewhile(lambda line: line.startswith("#"), self.text.splitlines())
        return [line.removeprefix("#").strip() for line in lines]

    def error(
        self, where: Sequence[str], message: str, shown: Sequence[str] | None = None
    ) -> FileError:
        """An error at the key *where* (table, ..., key), which is called *shown* if given."""
        key = _shortened(".".join(where if shown is None else shown))
        return FileError(self.path, message, line_of(self.text, where), key)


def flattened(tables: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Tables within tables as dotted keys: TOML reads testbed.mtu as a table."""
    flat: dict[str, Any] = {}
    for key, value in tables.items():
        if isinstance(value, dict):
            flat |= flattened(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


def read_toml(path: Path) -> TomlFile:
    """Read a file. Raises FileError."""
    text = _read_text(path)
    if long := _LONG_KEY.search(text):
        raise FileError(path, _TOO_DEEP, _line_at(text, long.start()))
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise FileError(path, _TOO_DEEP, _deepest_line(text)) from None
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise FileError(path, f"not TOML: {error}", int(line[1]) if line else None) from None
    except ValueError:  # it is the length of an integer that the parser does not catch
        message = f"not TOML: {_NO_INTEGER}"
        raise FileError(path, message, _line_of_digits(text)) from None
    for where, message in _beyond(tables):
        raise error_at(path, text, where, message)
    return TomlFile(path, text, tables)


def parse_value(text: str) -> Any:
    """The value that *text* is in TOML. Raises ValueError, TOMLDecodeError if it is none."""
    if _LONG_KEY.search(text):
        raise ValueError(_TOO_DEEP)
    try:
        value = tomllib.loads(f"value = {text}")
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:
        raise ValueError(_NO_INTEGER) from None
    for _, message in _beyond(value):
        raise ValueError(message)
    return value["value"]


def error_at(path: Path, text: str, where: Sequence[str], message: str) -> FileError:
    """An error at the key *where* (table, ..., key) of a file with that *text*."""
    return FileError(path, message, line_of(text, where), _shortened(".".join(where)))


_TOO_DEEP = f"nested too deeply; expected {NESTING_MAX} levels at most"
_NO_INTEGER = "expected an integer of 64 bits, from -2^63 to 2^63 - 1"


def there(path: Path) -> bool:
    """Whether there is something to read at *path*, or something that is no file."""
    try:
        return path.exists()
    except (OSError, ValueError):  # the name is too long for one, or has a NUL in it
        return False


def _read_text(path: Path) -> str:
    """The text of a file, which is UTF-8 whatever the locale. Raises FileError."""
    try:
        if path.exists() and not path.is_file():
            raise FileError(path, "cannot be read: expected a file")
        with path.open("rb") as file:
            data = file.read(BYTES_MAX + 1)
        if len(data) > BYTES_MAX:
            raise FileError(path, f"longer than {BYTES_MAX >> 10} KiB, which is the most")
        # tomllib wants line ends as open() makes them.
        return data.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileError(path, f"cannot be read: not UTF-8: {error}", line) from None
    except (OSError, ValueError) as error:  # a path with a NUL in it is a ValueError
        raise FileError(path, f"cannot be read: {error}") from error


def _beyond(tables: dict[str, Any]) -> Iterator[tuple[list[str], str]]:
    """What is nested too deeply or too large, with its place."""
    waiting: list[tuple[list[str], Any]] = [([], tables)]
    while waiting:
        where, value = waiting.pop()
        if isinstance(value, dict | list) and len(where) > NESTING_MAX:
            yield where, _TOO_DEEP
        elif isinstance(value, dict):
            waiting += (([*where, key], part) for key, part in value.items())
        elif isinstance(value, list):
            waiting += (([*where, str(at)], part) for at, part in enumerate(value))
        elif type(value) is int and value not in _INTEGER:
            yield where, _NO_INTEGER


def _deepest_line(text: str) -> int | None:
    """The line with the most opening brackets."""
    counts = [line.count("[") + line.count("{") for line in text.splitlines()]
    return counts.index(max(counts)) + 1 if counts else None


def _line_of_digits(text: str) -> int | None:
    found = re.search(rf"[0-9_]{{{_DIGITS_MAX},}}", text)
    return _line_at(text, found.start()) if found else None


def _line_at(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _shortened(key: str) -> str:
    return key if len(key) <= 200 else f"{key[:100]}..."


def line_of(text: str, where: Sequence[str]) -> int | None:
    """The line, from 1, on which the key *where* (table, ..., key) stands, as far as it does.

    Good enough for files that people write: tables in brackets, one key a line. The tables of an
    array, in two brackets, are counted from 1, and those of an array in one of them from there on.
    """
    wanted = [word for part in where for word in part.split(".")]
    table: list[str] = []
    counts: Counter[str] = Counter()
    best: tuple[int, int] | None = None  # how much of *where* matched, and the line
    for number, line in enumerate(text.splitlines(), 1):
        if entry := re.fullmatch(r"\s*\[\[([^\]]+)\]\]\s*(#.*)?", line):
            *tables, last = _words(entry[1])
            array = ".".join([*_numbered(tables, counts), last])
            counts[array] += 1
            table = here = [*array.split("."), str(counts[array])]
        elif header := re.fullmatch(r"\s*\[([^\]]+)\]\s*(#.*)?", line):
            table = here = _numbered(_words(header[1]), counts)
        elif key := re.match(r"\s*([\w.\"'>/-]+)\s*=", line):
            here = [*table, *_words(key[1])]
        else:
            continue
        matched = _common(here, wanted)
        if matched and matched in (len(here), len(wanted)) and (best is None or matched > best[0]):
            best = (matched, number)
    return best[1] if best else None


def _numbered(words: Sequence[str], counts: Mapping[str, int]) -> list[str]:
    """The words of a header, each that is an array followed by the number of its last table."""
    found: list[str] = []
    for word in words:
        found.append(word)
        if count := counts.get(".".join(found)):
            found.append(str(count))
    return found


def _words(dotted: str) -> list[str]:
    return [word.strip().strip("\"'") for word in dotted.split(".")]


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    count = 0
    for left_word, right_word in zip(left, right, strict=False):
        if left_word != right_word:
            break
        count += 1
    return count
