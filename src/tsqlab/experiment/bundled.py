# SPDX-License-Identifier: GPL-2.0-or-later
"""What comes with tsqlab, by name: experiments, their claims, device profiles.

Listing them takes no more of each file than what a list shows; whether the rest of it is right
is asked when it is loaded, and the tests load them all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tsqlab.experiment.toml import flattened, read_toml
from tsqlab.paths import EXPERIMENTS, PROFILES


@dataclass(frozen=True)
class Outline:
    """What a list shows of an experiment."""

    title: str
    cells: int


def bundled_experiments() -> dict[str, Path]:
    """The files of experiments that come with tsqlab, by name."""
    return _by_name(EXPERIMENTS.glob("*/*.toml"))


def bundled_claims() -> dict[str, Path]:
    """The files of claims that come with tsqlab, by their experiment's name."""
    return _by_name(EXPERIMENTS.glob("*/claims/*.toml"))


def bundled_profiles() -> dict[str, Path]:
    """The device profiles that come with tsqlab, by name."""
    return _by_name(PROFILES.glob("*.toml"))


def outline_of(experiment: Path) -> Outline:
    """The title and the number of cells of a bundled experiment's file."""
    raw = read_toml(experiment).tables
    factors = flattened(raw.get("matrix", {})).values()
    return Outline(raw["title"], math.prod(map(len, factors)))


def title_of(profile: Path) -> str:
    """The title of a bundled profile's file."""
    return str(read_toml(profile).tables["title"])


def is_file(name: str) -> bool:
    """Whether *name* means a file: it has a slash, or ends in .toml. Others mean bundled ones."""
    return "/" in name or name.endswith(".toml")


def _by_name(paths: Iterable[Path]) -> dict[str, Path]:
    return {path.stem: path for path in sorted(paths)}
