# SPDX-License-Identifier: GPL-2.0-or-later
"""What a cell's programs need of the host: that they are there, and what they see.

A result is of these very programs: what they are called and given is in its specification, and
what their files contain is in its key, with their libraries and interpreters, so that one which was
changed is run again.
"""

from __future__ import annotations

from pathlib import Path

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
    parts: list[str | bytes] = [found.key]
    for number, table in enumerate(programs, 1):
        if not (path := executable(table, found.shown)):
            raise experiment.error_at([PROGRAM, str(number), "command"], _missing(table))
        parts.append(digest_of_contents(contents_of(path)))
    return Seen(found.shown, key_of(*parts)) if programs else found


def _missing(table: ProgramTable) -> str:
    name = table.command[0]
    if "/" in name:
        return f'no program "{name}" in guests, which have those of /usr and what see names'
    return (
        f'no program "{name}" in guests, which have those in /usr/bin and /usr/sbin; install it, '
        "or let them see it, and call it by its path"
    )
