# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernels that a user has named, beside the versions that have a series of their own.

A name stands for a recipe, not for a build: when the tree that it names has changed, the
next run builds what is there now.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path

from tsqlab.errors import TsqlabError, UsageError
from tsqlab.kernels.build import Recipe
from tsqlab.kernels.source import versions
from tsqlab.paths import cache


def recipe_of(name: str) -> Recipe:
    """The recipe of a version or of a remembered name. Raises UsageError."""
    if name in versions():
        return Recipe(version=name)
    known = named()
    if name in known:
        return known[name]
    there = ", ".join([*versions(), *known])
    raise UsageError(
        f'no kernel "{name}"; there are {there}, and tsqlab kernel build --name makes more'
    )


def named() -> dict[str, Recipe]:
    """The remembered kernels."""
    return {path.stem: _read(path) for path in sorted(_folder().glob("*.json"))}


def remember(name: str, recipe: Recipe) -> None:
    """Give *recipe* a name. Raises UsageError for a name that is none, or is taken."""
    if not re.fullmatch(r"[A-Za-z][\w.-]*", name):
        raise UsageError(f'"{name}" is no name for a kernel: a letter, then letters, digits, . - _')
    _folder().mkdir(parents=True, exist_ok=True)
    (_folder() / f"{name}.json").write_text(json.dumps(asdict(recipe), default=str) + "\n")


def _folder() -> Path:
    return cache() / "names"


def _read(path: Path) -> Recipe:
    try:
        data = json.loads(path.read_text())
        for key in ("source", "patches"):
            data[key] = Path(data[key]) if data[key] else None
        data["extra"] = tuple(data["extra"])
        return Recipe(**data)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise TsqlabError(f"{path}: damaged ({error}); remove it") from error
