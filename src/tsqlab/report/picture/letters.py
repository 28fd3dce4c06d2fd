# SPDX-License-Identifier: GPL-2.0-or-later
"""How wide a text is, before anything draws it, and how it is broken into lines.

A viewer takes whichever sans-serif font it has. The widths here are those of DejaVu Sans, one of
the widest there is, so that a text has the room that it needs in the others, too.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

SIZE_PX, NAME_PX = 12, 13
"""The sizes of the font: of most texts, and of names, which are bold."""

LINE_PX = 15
_LETTERS_MAX = 34  # of a line

# In thousandths of the font's size.
_WIDTHS = {
    letter: width
    for letters, width in {
        "ijl": 279, "I'|": 338, " .,": 319, ":;/\\": 338, "-": 362, "f": 353, "t": 393,
        "()[]": 391, "r": 412, "s": 522, "cz": 551, "_": 501, "kvxy": 593, "J": 296, "L": 558,
        "F": 576, "aeo": 616, "bdpqhnug": 636, "PSTY": 641, "XEZ": 686, "ABCKRV": 699,
        "GDHNOQU": 789, "w": 819, "mM": 975, "W": 990, "%@": 1001, "+<>=~": 839,
        "0123456789$": 638,
    }.items()
    for letter in letters
}  # fmt: skip
_OTHER = 1010  # and of CJK's
_BOLD = 1.24  # an i grows most


def width_px(text: str, size_px: float = SIZE_PX, *, bold: bool = False) -> float:
    """The width that a text takes at most."""
    thousandths = sum(_WIDTHS.get(letter, _OTHER) for letter in text)
    return thousandths / 1000 * size_px * (_BOLD if bold else 1)


def broken(texts: Iterable[str]) -> list[str]:
    """Texts as lines, those in several that are too long."""
    return [line for text in texts
            for line in textwrap.wrap(text, _LETTERS_MAX, break_on_hyphens=False)]  # fmt: skip
