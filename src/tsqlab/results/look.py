# SPDX-License-Identifier: GPL-2.0-or-later
"""How figures look: a style sheet, a size and a language, as a results folder keeps them.

The texts themselves are kept, not the names of files: a folder that travels takes its look along.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

_UNITS_IN = {"mm": 1 / 25.4, "cm": 1 / 2.54, "in": 1.0, "pt": 1 / 72.27}
_LENGTH = r"([0-9]{1,5}(?:\.[0-9]{1,5})?) ?(mm|cm|in|pt)"
_SIZE = re.compile(rf"{_LENGTH}(?: ?[x×] ?{_LENGTH})?")
_LEAST_IN, _MOST_IN = 1.0, 40.0

SizeIn = tuple[float, float | None]
"""A width and a height in inches; None: the height that a figure has for its width."""


def parse_size(text: str) -> SizeIn:
    """The size that "84 mm x 60 mm" says, or "84 mm", a width. Raises ValueError.

    A pt is TeX's, of which an inch has 72.27, since a text's width in LaTeX is said in these.
    """
    match = _SIZE.fullmatch(text.strip())
    if not match:
        raise ValueError(
            'expected a width, or a width and a height, in mm, cm, in or pt: "84 mm" or '
            f'"84 mm x 60 mm", not {text[:100]!r}'
        )
    width, height = (
        float(number) * _UNITS_IN[unit] if number else None
        for number, unit in (match.group(1, 2), match.group(3, 4))
    )
    for length in (width, height):
        if length is not None and not _LEAST_IN <= length <= _MOST_IN:
            raise ValueError("expected 1 in to 40 in (25.4 mm to 1016 mm) either way")
    assert width is not None, "the pattern has a width"
    return width, height


def check_size(text: str) -> str:
    """A size as it is written, or nothing. Raises ValueError."""
    if text:
        parse_size(text)
    return text


SizeText = Annotated[str, AfterValidator(check_size)]


class Look(BaseModel):
    """How figures look; what is empty is as tsqlab has it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    style: str = ""  # the text of a matplotlib style sheet, which goes over tsqlab's own
    size: SizeText = ""
    words: Mapping[str, str] = {}  # what figures say instead of their English words

    @property
    def size_in(self) -> SizeIn | None:
        """The size of each figure; None: each its own."""
        return parse_size(self.size) if self.size else None
