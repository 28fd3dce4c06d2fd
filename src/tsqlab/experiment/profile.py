# SPDX-License-Identifier: GPL-2.0-or-later
"""Device profiles: what a network card is like, as data with sources.

A profile is a TOML file in profiles/, or a path. So far there is one kind, ``wireline``.
"""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tsqlab.errors import FileError, UsageError
from tsqlab.paths import PROFILES
from tsqlab.units import Duration, Rate


class Wireline(BaseModel):
    """An Ethernet card (kernel/modules/wireline)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["wireline"]
    title: str
    line_rate: Rate
    tx_ring: Annotated[int, Field(ge=1, le=65536)] = 256  # frames
    completion_delay: Duration = 0  # from the end of a frame on the wire to its completion,
    completion_batch: Annotated[int, Field(ge=2)] | None = None  # or when so many wait for it


def bundled_profiles() -> dict[str, Path]:
    """The profiles that come with tsqlab, by name."""
    return {path.stem: path for path in sorted(PROFILES.glob("*.toml"))}


def load_profile(name: str) -> Wireline:
    """Read a profile: a path, or a bundled one's name. Raises UsageError and FileError."""
    known = bundled_profiles()
    path = Path(name) if "/" in name else known.get(name)
    if path is None or not path.is_file():
        near = difflib.get_close_matches(name, known, n=1)
        hint = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(known)}"
        raise UsageError(f'no device profile "{name}"; {hint}')
    try:
        return Wireline.model_validate(tomllib.loads(path.read_text()))
    except tomllib.TOMLDecodeError as error:
        raise FileError(path, f"not TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise FileError(path, first["msg"], key=key) from None
