# SPDX-License-Identifier: GPL-2.0-or-later
"""What a worker of a cluster is asked to do.

Whatever the cluster, these functions are called by their names in a process of its own, several
at a time in threads. Nothing of them is kept when the process ends but the cache.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.runner.cell import CellError
from tsqlab.runner.cluster.attendant import Attendant, AttendantLostError
from tsqlab.runner.cluster.content import Files, is_here, keep
from tsqlab.runner.cluster.host import about_host
from tsqlab.runner.cluster.parcel import Left, Parcel, gather, placed, unpack

_mine = threading.local()
_serves: dict[Attendant, str] = {}
"""The run that each attendant works for, or has last worked for."""


def about(programs: tuple[str, ...]) -> dict[str, str]:
    """What of this machine results depend on where these programs make testbeds."""
    return dict(about_host(programs))


def lacks(names: Iterable[str]) -> list[str]:
    """Which content of these names is not here."""
    return [name for name in names if not is_here(name)]


def take(name: str, files: Files) -> None:
    """Keep content for cells to come. Raises TsqlabError."""
    keep(name, files)


def stop(run: str) -> None:
    """End what works for a run, at once; idle ones of it, too, which have claimed CPUs."""
    for attendant in [one for one, served in list(_serves.items()) if served == run]:
        del _serves[attendant]
        attendant.end()


def run_parcel(run: str, parcel: Parcel, scratch: Path, on_second: Callable[[int], None]) -> Left:
    """Run a cell in a folder below *scratch*, which is gone afterwards."""
    sent = unpack(parcel)
    with tempfile.TemporaryDirectory(prefix="tsqlab-", dir=scratch) as folder:
        try:
            job = placed(sent, parcel, Path(folder))
        except TsqlabError as error:
            return Left(error=CellError(sent.cell.title, str(error), str(error)))
        attendant = _attendant()
        _serves[attendant] = run
        try:
            wall_s = attendant.run(job, on_second)
            return Left(gather(job), wall_s)
        except CellError as error:
            return Left(gather(job), error=_told_there(error, Path(folder), sent.folder))
        except AttendantLostError as error:
            _serves.pop(attendant, None)
            return Left(lost=str(error))


def _attendant() -> Attendant:
    """The attendant of this thread."""
    attendant: Attendant | None = getattr(_mine, "attendant", None)
    if attendant is None or not attendant.runs:
        attendant = _mine.attendant = Attendant()
    return attendant


def _told_there(error: CellError, folder: Path, home: Path) -> CellError:
    """The error with the paths that files will have in the folder where the cell came from."""
    said, cause = (text.replace(str(folder), str(home)) for text in (error.message, error.cause))
    return CellError(error.title, said, cause, error.died)
