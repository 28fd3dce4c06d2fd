# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the values of a profile come from: the comments of its file, by key.

A value's source stands behind it, and goes on in the indented comments below. Of a key that is
left out it stands in a comment of its own, "# ppdu_tries: closed; ...", perhaps of several keys.
"""

from __future__ import annotations

import re
from collections.abc import Collection

# A value ends where a # begins that is in no text.
_VALUE = re.compile(r"""\s*([\w.-]+)\s*=\s*((?:"[^"]*"|'[^']*'|[^#"'])*)(?:#\s*(.*))?""")
_TABLE = re.compile(r"\s*\[([\w.-]+)\]")
_LEFT_OUT = re.compile(r"#\s*(\w+(?:, \w+)*):\s*(.*)")


def sources(text: str, keys: Collection[str]) -> dict[str, str]:
    """The source of each key in a profile's *text*, of those *keys* also if they are left out."""
    found: dict[str, str] = {}
    table = ""
    latest: list[str] = []  # the keys that a further line of comment belongs to
    apart = False  # whether that is a comment on its own
    for line in text.splitlines():
        if header := _TABLE.match(line):
            table, latest = f"{header[1]}.", []
        elif value := _VALUE.match(line):
            latest, apart = [table + value[1]], False
            found[latest[0]] = (value[3] or "").strip()
        elif (left := _LEFT_OUT.match(line)) and set(left[1].split(", ")) <= set(keys):
            latest, apart = left[1].split(", "), True
            found |= dict.fromkeys(latest, left[2].strip())
        elif line.lstrip().startswith("#") and line.startswith("#") == apart:
            more = line.lstrip().lstrip("#").strip()
            found |= {key: f"{found[key]} {more}" for key in latest}
        else:
            latest = []
    return found
