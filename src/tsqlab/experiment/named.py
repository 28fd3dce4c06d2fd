# SPDX-License-Identifier: GPL-2.0-or-later
"""A TOML file of named tables of one kind, such as papers.toml."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from tsqlab.experiment.toml import read_toml

Model = TypeVar("Model", bound=BaseModel)


def read_named(path: Path, model: type[Model]) -> dict[str, Model]:
    """The tables of a file by their names, in its order. Raises FileError."""
    file = read_toml(path)
    try:
        return TypeAdapter(dict[str, model]).validate_python(file.tables)  # type: ignore[valid-type]
    except ValidationError as error:
        first = error.errors()[0]
        where = [str(part) for part in first["loc"]]
        raise file.error(where, f"{first['msg'][:1].lower()}{first['msg'][1:]}") from None
