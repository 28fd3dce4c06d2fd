# SPDX-License-Identifier: GPL-2.0-or-later
"""What keys call the tables of an array, such as ``[[flow]]``: each by its name, or its number.

``flow.page.bytes`` is a key of the flow that is called "page", ``flow.2.bytes`` one of the second.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel

from tsqlab.errors import UsageError
from tsqlab.experiment.invalid import shown

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,15}")


def _check_name(name: str) -> str:
    if name and not _NAME.fullmatch(name):
        raise ValueError(
            f"expected a letter, and up to 15 letters, digits, - and _ after it, not {shown(name)}"
        )
    return name


Name = Annotated[str, AfterValidator(_check_name)]
"""What a table may be called; nothing, if keys call it by its number."""


def keys_of(model: type[BaseModel]) -> tuple[str, ...]:
    """The keys of a table as files have them."""
    return tuple(field.alias or name for name, field in model.model_fields.items())


def is_key_of(key: str, array: str, keys: Sequence[str]) -> bool:
    """Whether a dotted *key* may be one of the array's: "flow.2.bytes", "flow.bulk.bytes"."""
    table, _, rest = key.partition(".")
    which, _, name = rest.partition(".")
    return table == array and bool(which) and name in keys


def handles(tables: Sequence[Any]) -> list[str]:
    """What the tables of an array are called in keys."""
    return [str((isinstance(table, dict) and table.get("name")) or number)
            for number, table in enumerate(tables, 1)]  # fmt: skip


def by_handle(where: Sequence[str], arrays: Mapping[str, Any]) -> list[str]:
    """The place of a key in one of the *arrays*, such as flow, 2, bytes, as overrides call it."""
    tables = arrays.get(where[0]) if len(where) > 1 else None
    if isinstance(tables, list) and where[1].isdigit():
        names = handles(tables)
        if 0 < (number := int(where[1])) <= len(names):
            return [where[0], names[number - 1], *where[2:]]
    return list(where)


def by_handles(tables: Mapping[str, Any], arrays: Sequence[str]) -> dict[str, Any]:
    """A file's data with what *arrays* have as tables that are called as in keys."""
    named = {array: dict(zip(handles(found), found, strict=True))
             for array in arrays if (found := tables.get(array))}  # fmt: skip
    return {**tables, **named}


def with_key_of(tables: Any, key: str, value: Any) -> list[Any]:
    """A copy of an array's tables with *key*, such as "flow.2.bytes", set. Raises UsageError."""
    array, which, name = key.split(".", 2)
    copies = list(tables) if isinstance(tables, list) else []
    if not all(isinstance(table, dict) for table in copies):
        raise UsageError(f"{key} cannot be set: the file's {array}s are no tables")
    names = handles(copies)
    if which not in names:
        known = f"there are {', '.join(names)}" if copies else f"the file has no [[{array}]]"
        raise UsageError(f'no {array} "{which}"; {known}')
    at = names.index(which)
    copies[at] = {**copies[at], name: value}
    return copies
