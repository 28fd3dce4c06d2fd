# SPDX-License-Identifier: GPL-2.0-or-later
"""Why the lab differs from the papers, in a dozen words: experiments/causes.toml, read.

A claim that differs names its cause, so that the totals can say how many claims are one thing.
docs/differences.md has a section of each, under its name.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from tsqlab.experiment.named import read_named
from tsqlab.paths import CAUSES


class Cause(BaseModel):
    """One thing that several claims may differ by."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field(min_length=1)  # it in a line
    switch: str = ""  # the command that shows it; empty where there is none yet


@functools.cache
def causes() -> Mapping[str, Cause]:
    """The causes by their names, in the file's order. Raises FileError."""
    return read_causes(CAUSES)


def read_causes(path: Path) -> dict[str, Cause]:
    """The causes of a file. Raises FileError."""
    return read_named(path, Cause)
