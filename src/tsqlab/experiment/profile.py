# SPDX-License-Identifier: GPL-2.0-or-later
"""Device profiles: what a network card is like, as data with sources.

A profile is a TOML file in profiles/, or a path. So far there is one kind, ``wireline``.
"""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from tsqlab.errors import FileError, UsageError
from tsqlab.paths import PROFILES
from tsqlab.units import Duration, Rate


def _whole(unit_size: int, unit: str) -> AfterValidator:
    def check(value: int) -> int:
        if value % unit_size:
            raise ValueError(f"expected a whole number of {unit}")
        return value

    return AfterValidator(check)


class Wireline(BaseModel):
    """An Ethernet card (kernel/modules/wireline)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["wireline"]
    title: str
    line_rate: Annotated[Rate, _whole(10**6, "Mbit/s"), Field(ge=10**7, le=10**11)]
    tx_ring: Annotated[int, Field(ge=1, le=65536)] = 256  # frames
    completion_delay: Annotated[Duration, _whole(1000, "us")] = (
        0  # from the end of a frame on the wire to its completion,
    )
    completion_batch: Annotated[int, Field(ge=2)] | None = None  # or when so many wait for it

    @model_validator(mode="after")
    def _batch_of_delayed(self) -> Wireline:
        if self.completion_batch and not self.completion_delay:
            raise ValueError("completion_batch needs a completion_delay")
        return self


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
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise FileError(path, first["msg"], key=key) from None
