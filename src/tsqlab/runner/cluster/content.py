# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that are known by what is in them, so that they are sent once and cannot be others.

A name is a hash of the files' names, their bytes, and whether they are programs. What was sent is
in the cache's folder fetched/NAME, whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.kernels import Kernel
from tsqlab.kernels.cache import is_made, made
from tsqlab.keys import key_of
from tsqlab.paths import cache

_PROGRAM, _DATA = 0o755, 0o644


@dataclass(frozen=True)
class File:
    """A file as it is sent."""

    content: bytes
    is_program: bool


Files = Mapping[str, File]
"""Files by their names, which may have folders: "modules/airlink.ko"."""


def read_files(paths: Mapping[str, Path]) -> dict[str, File]:
    """The files of these paths, by other names. Raises OSError."""
    return {name: File(path.read_bytes(), os.access(path, os.X_OK)) for name, path in paths.items()}


def name_of(files: Files) -> str:
    """The name of their content."""
    parts: list[str | bytes] = []
    for name, file in sorted(files.items()):
        parts += [name, "program" if file.is_program else "data", file.content]
    return key_of(*parts)


def folder_of(name: str) -> Path:
    """Where content is that has been sent."""
    return cache() / "fetched" / name


def is_here(name: str) -> bool:
    """Whether it has been, and is whole."""
    return is_made(folder_of(name))


def keep(name: str, files: Files) -> Path:
    """Keep what was sent under *name*; returns its folder.

    Raises TsqlabError if it is something else, and for what the file system refuses.
    """
    if name_of(files) != name:
        raise TsqlabError(f"what came as {name} is something else: its digest is {name_of(files)}")

    def write(folder: Path) -> None:
        for path, file in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(file.content)
            (folder / path).chmod(_PROGRAM if file.is_program else _DATA)

    return made(folder_of(name), write, tuple(files))


def paths_of_kernel(kernel: Kernel) -> dict[str, Path]:
    """The files that a guest of that kernel is booted with."""
    modules = sorted(kernel.modules.glob("*.ko"))
    preload = sorted(kernel.preload.glob("*.so"))
    return {
        "linux": kernel.linux,
        "agent": kernel.agent,
        **{f"modules/{path.name}": path for path in modules},
        **{f"{kernel.preload.name}/{path.name}": path for path in preload},
    }
