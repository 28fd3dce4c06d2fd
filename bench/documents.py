# SPDX-License-Identifier: GPL-2.0-or-later
"""Where two results differ."""

from __future__ import annotations

from typing import Any

BUILD = ("metadata", "TSQLAB", "kernel", "id")
"""The one place of a result that says which build it was, and not what came of it."""


def difference(before: Any, after: Any, where: tuple[str, ...] = ()) -> str | None:
    """The first place where two documents are other bytes, and what stands there; None if none.

    The place BUILD is left out.
    """
    if where == BUILD:
        return None
    name = ".".join(where)
    if isinstance(before, dict) and isinstance(after, dict):
        if only := sorted(before.keys() ^ after.keys()):
            side = "before" if only[0] in before else "after"
            return f"{'.'.join([*where, only[0]])} is only there {side}"
        pairs = [(key, before[key], after[key]) for key in sorted(before)]
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            return f"{name} has {len(before)} entries before, and {len(after)} after"
        pairs = [(str(place), old, after[place]) for place, old in enumerate(before)]
    elif type(before) is type(after) and before == after:  # 1 and 1.0 are other bytes
        return None
    else:
        return f"{name} is {before!r:.60} before, and {after!r:.60} after"
    found = (difference(old, new, (*where, key)) for key, old, new in pairs)
    return next((words for words in found if words), None)
