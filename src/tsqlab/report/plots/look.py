# SPDX-License-Identifier: GPL-2.0-or-later
"""The look that is drawn under: its style, and its words in place of the English ones.

As matplotlib's own settings, the look is the drawing's surroundings and no argument: it is set by
figure.style() and asked here. What a figure says goes through say(), whose phrases stand in every
table of src/tsqlab/languages; a test holds them together.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import matplotlib
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import Formatter

from tsqlab.errors import UsageError
from tsqlab.results.look import Look

_ENGLISH = Look()
LOOK: ContextVar[Look] = ContextVar("look", default=_ENGLISH)
"""The look that is drawn under."""

DECIMAL = "."
"""The phrase that stands for the sign before decimals, in every number that a figure shows."""

_NOT_OURS = ("backend", "interactive", "savefig.", "toolbar", "webagg.", "svg.hashsalt", "pgf.")
"""What begins so in a style sheet says nothing of a figure, or would make it differ from run to
run; as in matplotlib's own style sheets, it is not read."""


def say(phrase: str, **parts: str) -> str:
    """A phrase in the look's language, *parts* of it put in where their names stand in braces."""
    words = LOOK.get().words.get(phrase, phrase)
    for name, part in parts.items():
        words = words.replace(f"{{{name}}}", part)
    return words


def number(text: str) -> str:
    """A number as text, with the language's sign before its decimals."""
    return text.replace(".", say(DECIMAL))


def own_style(text: str) -> dict[Any, Any]:
    """The settings of a style sheet. Raises UsageError for one that matplotlib cannot read."""
    if not text:
        return {}
    with tempfile.NamedTemporaryFile("w", suffix=".mplstyle", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        with _complaints() as said, matplotlib.rc_context():
            settings = matplotlib.rc_params_from_file(file.name, use_default_template=False)
    if said:
        first = said[0].replace(file.name, "the file")
        raise UsageError(f"the style sheet: {' '.join(first.split())}")
    if settings.get("text.usetex"):
        raise UsageError("the style sheet: text.usetex would run LaTeX; leave it out")
    return {key: value for key, value in settings.items() if not key.startswith(_NOT_OURS)}


@contextmanager
def _complaints() -> Iterator[list[str]]:
    """What matplotlib logs meanwhile, which is how it says what is wrong in a style sheet."""
    said: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    logger = logging.getLogger("matplotlib")
    listener, level, passed = Listener(), logger.level, logger.propagate
    logger.addHandler(listener)
    logger.setLevel(logging.WARNING)
    logger.propagate = False
    try:
        yield said
    finally:
        logger.removeHandler(listener)
        logger.setLevel(level)
        logger.propagate = passed


class _Ticks(Formatter):
    """Another formatter's numbers, in the look's language."""

    def __init__(self, of: Formatter) -> None:
        self.of = of

    def __call__(self, x: float, pos: int | None = None) -> str:
        return number(self.of(x, pos))

    def format_ticks(self, values: list[float]) -> list[str]:
        return [number(text) for text in self.of.format_ticks(values)]

    def set_locs(self, locs: list[float]) -> None:
        self.of.set_locs(locs)


def with_own_decimals(figure: Figure) -> None:
    """Give the ticks of a figure the language's sign before decimals."""
    if say(DECIMAL) == DECIMAL:
        return
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            _translate(axis)


def _translate(axis: Axis) -> None:
    formatter = axis.get_major_formatter()
    if not isinstance(formatter, _Ticks):
        wrapped = _Ticks(formatter)
        axis.set_major_formatter(wrapped)
        formatter.set_axis(axis)
