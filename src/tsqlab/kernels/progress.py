# SPDX-License-Identifier: GPL-2.0-or-later
"""What the making of a kernel tells whoever watches: which part of it is going on, and how far.

What is watched only says what it does and counts; it is the watcher who looks at a clock, so that
a part of which nothing is heard for a while can still be shown to go on.
"""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """An object that is told how a build goes on."""

    def part(self, what: str) -> None:
        """A part of the work begins: "copying what has changed"."""

    def count(self, done: int, of: int | None = None, left_s: float | None = None) -> None:
        """So many things are done, of so many if that is known, and it may take so long yet."""

    def note(self, text: str) -> None:
        """Something that is to be read afterwards, too."""


class Unwatched:
    """A watcher that shows nothing."""

    def part(self, what: str) -> None:
        """See Progress."""

    def count(self, done: int, of: int | None = None, left_s: float | None = None) -> None:
        """See Progress."""

    def note(self, text: str) -> None:
        """See Progress."""
