# SPDX-License-Identifier: GPL-2.0-or-later
"""The papers that the experiments come from: experiments/papers.toml, read."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from tsqlab.experiment.toml import read_toml
from tsqlab.paths import PAPERS


class Paper(BaseModel):
    """A paper. What is empty nobody has looked up."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    subtitle: str = ""
    authors: tuple[str, ...] = ()
    venue: str = ""
    year: int | None = None
    doi: str = ""
    url: str = ""


@functools.cache
def papers() -> Mapping[str, Paper]:
    """The papers by their short names, in the order of their pages. Raises FileError."""
    return read_papers(PAPERS)


def read_papers(path: Path) -> dict[str, Paper]:
    """The papers of a file, in its order. Raises FileError."""
    file = read_toml(path)
    try:
        return TypeAdapter(dict[str, Paper]).validate_python(file.tables)
    except ValidationError as error:
        first = error.errors()[0]
        where = [str(part) for part in first["loc"]]
        raise file.error(where, f"{first['msg'][:1].lower()}{first['msg'][1:]}") from None
