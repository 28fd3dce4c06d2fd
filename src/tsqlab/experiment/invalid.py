# SPDX-License-Identifier: GPL-2.0-or-later
"""What is wrong with a file, in our words: what it is, where, and what would be accepted.

The one owner of such words: experiments, device profiles and claims are all refused by them.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Sequence
from types import UnionType
from typing import TypeGuard, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from tsqlab.errors import one_line
from tsqlab.experiment.bounds import KeyedError


def first_error(error: ValidationError) -> tuple[list[str], ErrorDetails]:
    """The key, and what is wrong with it, of the error that is the most useful to read."""
    # A misspelt key is also a missing one. Its right spelling is the more useful message.
    first = min(error.errors(), key=lambda found: found["type"] != "extra_forbidden")
    # pydantic marks the key of a table that is wrong itself by a further part, "[key]".
    where = [part for part in _counted(first["loc"]) if not part.startswith("[")]
    if isinstance(cause := first.get("ctx", {}).get("error"), KeyedError):
        where += cause.where
    return where, first


def _counted(place: Sequence[str | int]) -> list[str]:
    """A place as a file has it: an array's tables are counted from 1, and those of one in it."""
    return [str(part + 1 if isinstance(part, int) and _is_array(place[:at]) else part)
            for at, part in enumerate(place)]  # fmt: skip


def _is_array(place: Sequence[str | int]) -> bool:
    return len(place) == 1 or (len(place) == 3 and place[2] in ("figure", "series"))


def reason(error: ErrorDetails, unknown_key: Callable[[Sequence[str]], str]) -> str:
    """What *error* says; *unknown_key* is given the place of a key that is not in the schema."""
    match error["type"]:
        case "value_error":
            return str(error["ctx"]["error"])
        case "extra_forbidden":
            return unknown_key([str(part) for part in error["loc"]])
        case "missing":
            return "is missing"
        case kind:
            words = _EXPECTED.get(kind)
            said = words.format(**error["ctx"]) if words else error["msg"]
            return f"{said[:1].lower()}{said[1:]}, not {shown(error['input'])}"


_EXPECTED = {
    "literal_error": "expected {expected}",
    "greater_than_equal": "expected {ge} or more",
    "less_than_equal": "expected {le} at most",
    "less_than": "expected less than {lt}",
}


def hint(name: str, accepted: Collection[str]) -> str:
    """What to say beside a name that is none of those *accepted*: the nearest, or all."""
    near = difflib.get_close_matches(name[:_SHOWN_MAX], accepted, n=1)
    return f'did you mean "{near[0]}"?' if near else f"there are {', '.join(accepted)}"


def accepted_in(model: type[BaseModel], tables: Sequence[str]) -> list[str]:
    """The keys of *model*, or of the table in it that is reached by the keys *tables*."""
    kind: object = model
    for name in tables:
        kind = _kind_of(kind, name)
    fields = kind.model_fields.items() if _is_model(kind) else ()
    return [field.alias or name for name, field in fields]


def _kind_of(table: object, name: str) -> object:
    """The type of what stands under *name* in a table of a type; None if it is no table."""
    if _is_model(table):
        field = table.model_fields.get(name)
        kind = field.annotation if field else None
    elif get_origin(table) is tuple:
        kind = get_args(table)[0]
    else:  # a dict, whose keys are all of one type, as are their values
        kind = get_args(table)[1] if get_args(table) else None
    kinds = [kind, *get_args(kind)] if get_origin(kind) in (Union, UnionType) else [kind]
    # An array of tables is a table, too, whose keys are numbers.
    tables = (one for one in kinds if _is_model(one) or get_origin(one) in (dict, tuple))
    return next(tables, None)


def _is_model(kind: object) -> TypeGuard[type[BaseModel]]:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def unknown(key: str, accepted: Collection[str], elsewhere: str = "") -> str:
    """What to say of a *key* that is none of those *accepted*.

    *elsewhere* says where there is a key of just this name.
    """
    if not accepted:
        return "unknown key"
    if elsewhere:
        return f"unknown key; {elsewhere}; here there are {', '.join(accepted)}"
    return f"unknown key; {hint(key, accepted)}"


def shown(value: object) -> str:
    """A value as a message shows it: not more of it than fits a line."""
    return shortened(repr(value))


def shortened(text: str) -> str:
    """A text that somebody gave, as a message repeats it."""
    text = one_line(text)
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}..."


_SHOWN_MAX = 100
