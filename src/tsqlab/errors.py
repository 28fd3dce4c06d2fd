# SPDX-License-Identifier: GPL-2.0-or-later
"""What can go wrong, as types. Only the command line turns them into an exit status.

A message says what is wrong, where, and what would be accepted; lower case, no blame.
"""

from __future__ import annotations

from pathlib import Path


class TsqlabError(Exception):
    """The work failed. Exit status 1."""


class UsageError(TsqlabError):
    """The request itself is wrong: bad arguments or a bad file. Exit status 2."""


def one_line(text: str) -> str:
    """A text on one line, as a message has it that repeats what stands in a file."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


class FileError(UsageError):
    """A file that a user wrote is wrong at a certain place."""

    def __init__(self, path: Path, message: str, line: int | None = None, key: str = "") -> None:
        """Remember where: *line* counts from 1, *key* is the key's full name."""
        message, key = one_line(message), one_line(key)
        self.path, self.line, self.key, self.message = path, line, key, message
        place = f"{path}:{line}" if line else str(path)
        super().__init__(f"{place}: {key}: {message}" if key else f"{place}: {message}")
