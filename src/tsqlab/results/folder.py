# SPDX-License-Identifier: GPL-2.0-or-later
"""An experiment's folder: what ``manifest.json`` says, written and read.

The manifest tells what the experiment is and lists its cells; a cell whose state is "done" has
its result in the file named there. It is rewritten whole, under another name first, so a run
that is interrupted at any point leaves one that can be read. What a run has done since it wrote
it is in the journal beside it (tsqlab.results.journal). Keys that are not here are not read.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from tsqlab.errors import FileError
from tsqlab.results.files import read_regular, write_whole
from tsqlab.results.journal import JournalLine, read_journal, remove_journal
from tsqlab.results.look import Look
from tsqlab.results.record import Level

MANIFEST = "manifest.json"

ERA = "era"
"""The factor that tells cells of an experiment's own era from those of today."""

PCAPS = "pcaps"
"""The folder of captures, which stand beside the cells' files."""

PROGRAMS = "programs"
"""The folder of what programs printed, and how they ended."""

MANIFEST_BYTES_MAX = 64 << 20
"""Ten thousand cells have less than a tenth of it."""

TRACES, TRACE_SUFFIX = "traces", ".trace.txt.gz"
"""The folder of trace events, and what a file of them ends with."""

Latency = Literal["tcp_rtt_ms", "ping_ms"]
State = Literal["done", "waiting"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


class ManifestKernel(_Part):
    """A kernel that cells of the experiment run."""

    id: str = ""  # the key of the build and everything that went into it
    release: str = ""  # the name that uname prints
    hz: int | None = None
    # The version whose patches it has, such as "6.12". The key was called "series" until 0.1.0.
    version: str = Field("", validation_alias=AliasChoices("version", "series"))
    name: str = ""  # what [lab] kernel calls it
    source: str = ""  # the names of the source and the folder of patches that a user gave
    cotsq: bool | None = None  # whether it has the CoTSQ series; None: nobody noted it


_NAME_BYTES_MAX = 240  # of a cell; a file's name has room for 255, and the result's has a suffix


def _check_name(name: str) -> str:
    """A name that stands for a file in the folder itself. Raises ValueError."""
    if "/" in name or "\0" in name or name in (".", "..") or len(name.encode()) > _NAME_BYTES_MAX:
        raise ValueError(
            f"expected the name of a file in this folder, of up to {_NAME_BYTES_MAX} bytes"
        )
    return name


Name = Annotated[str, AfterValidator(_check_name)]


class ManifestCell(_Part):
    """A cell, run or not."""

    id: Name
    key: str = ""  # the key of everything that its result depends on
    factors: dict[str, Level] = {}
    file: Name = ""  # the name of its file in the folder
    pcaps: dict[str, Name] = {}  # the files of its captures, by what they are of
    programs: dict[str, list[Name]] = {}  # those of its programs, by what keys call these
    trace: Name = ""  # the file of its trace events, if it has any
    state: State = "done"
    # Whether it is one of the seeds beyond the experiment's own (tsqlab run --more-seeds).
    further: bool = False
    # Whether it is a cell of the experiment's own once more, in era "today" (tsqlab run --today).
    today: bool = False
    # The real time that it took, if the run that did it could note the time.
    wall_s: Annotated[float, Field(ge=0, le=1e9)] | None = None

    @property
    def done(self) -> bool:
        """Whether its result is there."""
        return self.state == "done"


class Manifest(_Part):
    """What a run says of an experiment."""

    experiment: str  # the name of the experiment
    title: str
    paper: str = ""
    figure: str = ""
    comment: str = ""  # the comment that the experiment's file begins with
    plots: list[str] = []
    latency: Latency = "ping_ms"
    columns: list[str] = []  # the metrics of the table; none: the usual ones
    against: dict[str, Level] = {}  # the levels that the table compares others to
    look: Look = Look()
    factors: list[str] = []  # the names of the factors, in the matrix's order
    era: str = ""  # the era of its own cells, where there are those of today beside them
    tsqlab: str = ""  # the version that wrote it
    # What the host's programs contain that make the cells' nodes, by their names: each as a digest.
    host: dict[str, str] = {}
    shard: str = ""  # which of several a run was told to run, as "2/8"; empty: all
    kernels: list[ManifestKernel] = []
    cells: list[ManifestCell]


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write a folder's manifest, whole or not at all; what its journal says, it has to have.

    Raises TsqlabError.
    """
    data = manifest.model_dump(mode="json", exclude_none=True)
    _without(data, "era", "tsqlab", "host", "shard")
    for cell in data["cells"]:
        _without(cell, "trace", "further", "today", "programs")
    text = json.dumps(data, indent=1) + "\n"
    write_whole(folder / MANIFEST, text.encode())
    remove_journal(folder)


def _without(table: dict[str, Any], *keys: str) -> None:
    """Leave out what of *keys* says nothing."""
    for key in keys:
        if not table[key]:
            del table[key]


def read_manifest(folder: Path) -> Manifest:
    """Read a folder's manifest, with what its journal adds. Raises FileError."""
    # The journal first: a run that ends meanwhile writes it into the manifest, and removes it.
    journal = read_journal(folder)
    manifest = _read(folder)
    if not journal:
        return manifest
    cells = [_with_line(cell, journal.get(cell.id)) for cell in manifest.cells]
    return manifest.model_copy(update={"cells": cells})


def _with_line(cell: ManifestCell, line: JournalLine | None) -> ManifestCell:
    """A cell, done if the journal says so of the very key that the manifest has."""
    if line is None or line.key != cell.key:
        return cell
    return cell.model_copy(update={"state": "done", "wall_s": line.wall_s})


def _read(folder: Path) -> Manifest:
    path = folder / MANIFEST
    try:
        if not folder.is_dir():
            raise FileError(folder, "no such folder; give the one that tsqlab run wrote")
        return Manifest.model_validate(json.loads(read_regular(path, MANIFEST_BYTES_MAX)))
    except FileNotFoundError as error:
        message = f"no {MANIFEST} in it; give the folder that tsqlab run wrote"
        raise FileError(folder, message) from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        said = str(first["ctx"]["error"]) if first["type"] == "value_error" else first["msg"]
        message = f"{said[:1].lower()}{said[1:]}; run the experiment again"
        raise FileError(path, message, key=key) from error
    except (OSError, ValueError, RecursionError) as error:
        message = f"not a whole manifest ({error}); run the experiment again"
        raise FileError(path, message) from error
