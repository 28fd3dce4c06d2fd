# SPDX-License-Identifier: GPL-2.0-or-later
"""What a cell's programs need of the host: that they are there, and what they see.

A result is of these very programs: what they are called and given is in its specification, and
what their files contain is in its key, with their libraries and interpreters, so that one which was
changed is run again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.experiment.load import Experiment
from tsqlab.experiment.matrix import Cell
from tsqlab.experiment.program_table import PROGRAM, ProgramTable, seen
from tsqlab.guest.host_programs import contents_of, digest_of_contents
from tsqlab.guest.programs import executable
from tsqlab.guest.sandbox import NO_FOREIGN_CODE, confines_files
from tsqlab.guest.seen import Seen, SeenError, look
from tsqlab.keys import key_of

Looked = dict[tuple[Path, tuple[tuple[str, str], ...]], Seen]
"""What has been looked at: many cells see the same."""


def seen_by(experiment: Experiment, cell: Cell, looked: Looked) -> Seen:
    """What the guest of a cell sees, and a key of it and of its programs. Raises UsageError."""
    programs = cell.spec.program
    if programs and not confines_files():
        raise experiment.error_at([PROGRAM, "1", "command"], NO_FOREIGN_CODE)
    see = seen(programs)
    place = (cell.home, tuple(see.items()))
    try:
        found = looked[place] = looked.get(place) or look(see, cell.home)
    except SeenError as error:
        at = next(at for at, table in enumerate(programs, 1) if error.there in table.see)
        raise experiment.error_at([PROGRAM, str(at), "see", error.there], str(error)) from None
    paths = []
    for number, table in enumerate(programs, 1):
        if not (path := executable(table, found.shown)):
            raise experiment.error_at([PROGRAM, str(number), "command"], _missing(table))
        paths.append(path)
    return Seen(found.shown, _key(found, paths)) if programs else found


def seen_here(cell: Cell, key: str) -> Mapping[str, Path]:
    """What the guest of a cell sees on a worker: just what it was where *key* was made of it.

    Raises TsqlabError.
    """
    programs = cell.spec.program
    try:
        found = look(seen(programs), cell.home)
    except SeenError as error:
        raise TsqlabError(f"{error}; a worker needs the same files at the same places") from None
    paths = [path for table in programs if (path := executable(table, found.shown))]
    if len(paths) < len(programs) or (programs and _key(found, paths) != key):
        raise TsqlabError(
            "its programs, or what they see, are others on this worker than where the run was "
            "started, and a worker needs the same files at the same places"
        )
    return found.shown


def _key(found: Seen, programs: Iterable[Path]) -> str:
    return key_of(found.key, *(digest_of_contents(contents_of(path)) for path in programs))


def _missing(table: ProgramTable) -> str:
    name = table.command[0]
    if "/" in name:
        return f'no program "{name}" in guests, which have those of /usr and what see names'
    return (
        f'no program "{name}" in guests, which have those in /usr/bin and /usr/sbin; install it, '
        "or let them see it, and call it by its path"
    )
