# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab new``: an experiment file to begin with, each of whose keys is explained in it."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from tsqlab.errors import UsageError
from tsqlab.experiment.invalid import shortened
from tsqlab.experiment.starters import starters

_SUFFIX = ".toml"


def execute(options: argparse.Namespace) -> None:
    """Write the file, and say what to do with it. Raises UsageError where there is one."""
    if not options.name.removesuffix(_SUFFIX).rpartition("/")[2]:
        raise UsageError(f"{options.name!r}: no file's name; try: tsqlab new my-experiment")
    name = options.name if options.name.endswith(_SUFFIX) else f"{options.name}{_SUFFIX}"
    path = Path(name)
    text = starters()[options.like].read_bytes()
    try:
        with path.open("xb") as file:
            try:
                file.write(text)
                file.flush()
            except OSError:  # a full disk; half a file would be in the way of the next try
                path.unlink()
                raise
    except FileExistsError:
        raise UsageError(f"{path}: is there already; give another name") from None
    except (OSError, ValueError) as error:  # a path with a NUL in it is a ValueError
        said = getattr(error, "strerror", None) or error
        raise UsageError(f"{shortened(name)}: cannot be written: {said}") from None
    # A name that begins with - would be taken for an option.
    word = shlex.quote(name if not name.startswith("-") else f"./{name}")
    print(f"wrote {path}: read it, then tsqlab show {word}, and tsqlab run {word}")
