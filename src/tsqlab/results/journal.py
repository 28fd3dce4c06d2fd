# SPDX-License-Identifier: GPL-2.0-or-later
"""The journal of a run that goes on: a line for each cell that is done, behind the manifest.

The manifest has a row for each cell, and is written whole: after each of 10,000 cells that would
be 34 GB in all. So a run writes it when it begins and when it ends, and meanwhile adds a line to
``manifest.journal``, in JSON: the cell, the key that it was done for, and the real time it took.
Whoever reads a folder reads both. When the manifest has what the journal says, the journal goes.

A run may be killed at any byte, so the last line may be half; a machine that loses its power may
leave other damage. A line that is not whole is passed over: the cell's result is there all the
same, with its key in it, and is found by that. Only its time is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tsqlab.errors import FileError
from tsqlab.results.files import append, read_regular, remove

JOURNAL = "manifest.journal"

JOURNAL_BYTES_MAX = 64 << 20
"""As the manifest's, whose rows are longer. A line has some hundred bytes."""


class JournalLine(BaseModel):
    """A cell that is done."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    key: str
    wall_s: Annotated[float, Field(ge=0, le=1e9)]


def add_line(folder: Path, line: JournalLine) -> None:
    """Add a cell to a folder's journal. Raises TsqlabError when the disk refuses."""
    append(folder / JOURNAL, line.model_dump_json().encode() + b"\n")


def read_journal(folder: Path) -> Mapping[str, JournalLine]:
    """The last whole line of each cell; none where there is no journal. Raises FileError."""
    path = folder / JOURNAL
    try:
        content = read_regular(path, JOURNAL_BYTES_MAX)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror or error}") from error
    lines = map(_line, content.split(b"\n"))
    return {line.id: line for line in lines if line}


def _line(text: bytes) -> JournalLine | None:
    """What a line says; None if it is not whole. A part of one is never JSON: its last brace is
    missing."""
    try:
        return JournalLine.model_validate_json(text)
    except ValidationError:
        return None


def remove_journal(folder: Path) -> None:
    """Take the journal away, when the manifest has all of it. Raises TsqlabError."""
    remove(folder / JOURNAL)
