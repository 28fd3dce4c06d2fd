# SPDX-License-Identifier: GPL-2.0-or-later
"""An experiment's folder: what ``manifest.json`` says, written and read.

The manifest tells what the experiment is and lists its cells; a cell whose state is "done" has
its result in the file named there. It is rewritten whole, under another name first, so a run
that is interrupted at any point leaves one that can be read. Keys that are not here are not
read.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from tsqlab.errors import FileError
from tsqlab.results.files import write_whole
from tsqlab.results.record import Level

MANIFEST = "manifest.json"

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


class ManifestCell(_Part):
    """A cell, run or not."""

    id: str
    key: str = ""  # the key of everything that its result depends on
    factors: dict[str, Level] = {}
    file: str = ""  # the name of its file in the folder
    state: State = "done"
    # The real time that it took, if the run that did it could note the time.
    wall_s: float | None = None

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
    factors: list[str] = []  # the names of the factors, in the matrix's order
    kernels: list[ManifestKernel] = []
    cells: list[ManifestCell]


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write a folder's manifest, whole or not at all. Raises TsqlabError."""
    text = json.dumps(manifest.model_dump(mode="json", exclude_none=True), indent=1) + "\n"
    write_whole(folder / MANIFEST, text.encode())


def read_manifest(folder: Path) -> Manifest:
    """Read a folder's manifest. Raises FileError."""
    path = folder / MANIFEST
    if not folder.is_dir():
        raise FileError(folder, "no such folder; give the one that tsqlab run wrote")
    try:
        return Manifest.model_validate(json.loads(path.read_bytes()))
    except FileNotFoundError as error:
        message = f"no {MANIFEST} in it; give the folder that tsqlab run wrote"
        raise FileError(folder, message) from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        message = f"{first['msg'][:1].lower()}{first['msg'][1:]}; run the experiment again"
        raise FileError(path, message, key=key) from error
    except (OSError, ValueError, RecursionError) as error:
        message = f"not a whole manifest ({error}); run the experiment again"
        raise FileError(path, message) from error
