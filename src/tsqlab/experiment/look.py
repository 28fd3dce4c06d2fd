# SPDX-License-Identifier: GPL-2.0-or-later
"""Reading what a look consists of: a style sheet, and a language's table of words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from tsqlab.errors import FileError, UsageError
from tsqlab.experiment.toml import read_toml, there
from tsqlab.paths import LANGUAGES
from tsqlab.results.files import read_regular

ENGLISH = "en"
_STYLE_BYTES_MAX = 64 << 10
_PART = re.compile(r"\{\w+\}")  # what a figure puts into its words


def languages() -> dict[str, Path]:
    """The bundled tables of words, by the language's name."""
    return {path.stem: path for path in sorted(LANGUAGES.glob("*.toml"))}


def read_style(name: str, folder: Path) -> str:
    """The text of a style sheet, whose *name* counts from *folder*. Raises UsageError."""
    path = folder / name
    try:
        return read_regular(path, _STYLE_BYTES_MAX).decode()
    except UnicodeDecodeError as error:
        raise FileError(path, f"not a style sheet: {error}") from None
    except (OSError, ValueError) as error:  # a path with a NUL in it is a ValueError
        said = getattr(error, "strerror", None) or error
        raise UsageError(f"{path}: no style sheet: {said}") from None


def read_words(language: str, folder: Path) -> Mapping[str, str]:
    """The words of a language: a bundled one's name, or a file. Raises UsageError."""
    known = languages()
    if language == ENGLISH:
        return {}
    path = known.get(language, folder / language)
    if language not in known and not there(path):
        names = ", ".join([ENGLISH, *known])
        raise UsageError(f'no language "{language}"; there are {names}, or a file of words')
    file = read_toml(path)
    phrases = read_toml(next(iter(known.values()))).tables
    for phrase, words in file.tables.items():
        if phrase not in phrases:
            message = f"no figure says this; they say {'; '.join(phrases)}"
            raise file.error([phrase], message)
        if not isinstance(words, str):
            raise file.error([phrase], "expected a text")
        if strange := set(_PART.findall(words)) - set(_PART.findall(phrase)):
            message = f"{min(strange)} is no part of {phrase!r}"
            raise file.error([phrase], message)
    return dict(file.tables)
