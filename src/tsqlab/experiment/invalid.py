# SPDX-License-Identifier: GPL-2.0-or-later
"""pydantic's errors in our words: what is wrong, and what would be accepted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic_core import ErrorDetails

from tsqlab.errors import one_line


def reason(error: ErrorDetails, unknown_key: Callable[[Sequence[str]], str]) -> str:
    """What *error* says; *unknown_key* is given the place of a key that is not in the schema."""
    match error["type"]:
        case "value_error":
            return str(error["ctx"]["error"])
        case "extra_forbidden":
            return unknown_key([str(part) for part in error["loc"]])
        case "missing":
            return "is missing"
        case "literal_error":
            return f"expected {error['ctx']['expected']}, not {shown(error['input'])}"
        case _:
            return f"{error['msg'][:1].lower()}{error['msg'][1:]}, not {shown(error['input'])}"


def shown(value: object) -> str:
    """A value as a message shows it: not more of it than fits a line."""
    return shortened(repr(value))


def shortened(text: str) -> str:
    """A text that somebody gave, as a message repeats it."""
    text = one_line(text)
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}..."


_SHOWN_MAX = 100
