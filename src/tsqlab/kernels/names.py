# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernels that a user has named, beside the versions that have series in kernel/patches.

A name stands for a recipe, not for a build: when the tree that it names has changed, the
next run builds what is there now.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path

from tsqlab.errors import TsqlabError, UsageError
from tsqlab.kernels.recipe import Recipe
from tsqlab.kernels.source import history, versions
from tsqlab.paths import cache
from tsqlab.results.files import make_folder, write_whole

_WITHOUT = "-without-"


def recipe_of(name: str) -> Recipe:
    """The recipe of a version or of a remembered name. Raises UsageError.

    "6.12-without-NAME" is 6.12 with the upstream change taken back that is in
    kernel/patches/history/NAME.patch; several may follow each other. A version that is older than
    the change has nothing to take back.
    """
    version, without = name.split(_WITHOUT, maxsplit=1)[0], without_of(name)
    if version in versions() and set(without) <= set(history(version)):
        return Recipe(version=version, without=without)
    known = named()
    if name in known:
        return known[name]
    there = ", ".join([*versions(), *taken_back(), *known])
    raise UsageError(
        f'no kernel "{name}"; there are {there}, and tsqlab kernel build --name makes more'
    )


def without_of(name: str) -> tuple[str, ...]:
    """The changes that a kernel's name says it is without."""
    return tuple(name.split(_WITHOUT)[1:])


def taken_back() -> dict[str, Path]:
    """The newest version without each of the changes in kernel/patches/history, and its patch."""
    return {f"{versions()[0]}{_WITHOUT}{name}": patch for name, patch in history().items()}


def named() -> dict[str, Recipe]:
    """The remembered kernels."""
    return {path.stem: _read(path) for path in sorted(_folder().glob("*.json"))}


def remember(name: str, recipe: Recipe) -> None:
    """Give *recipe* a name. Raises UsageError for a name that is none, or is taken."""
    if not re.fullmatch(r"[A-Za-z][\w.-]{0,99}", name):
        raise UsageError(f'"{name}" is no name for a kernel: a letter, then letters, digits, . - _')
    make_folder(_folder())
    text = json.dumps(asdict(recipe), default=str) + "\n"
    write_whole(_folder() / f"{name}.json", text.encode())


def _folder() -> Path:
    return cache() / "names"


def _read(path: Path) -> Recipe:
    try:
        data = json.loads(path.read_text("utf-8"))
        for key in ("source", "patches"):
            data[key] = Path(data[key]) if data[key] else None
        for key in ("extra", "without"):
            data[key] = tuple(data.get(key, ()))
        data["fragments"] = tuple(map(Path, data.get("fragments", ())))
        return Recipe(**data)
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise TsqlabError(f"{path}: damaged ({error}); remove it") from error
