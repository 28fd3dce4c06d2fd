# SPDX-License-Identifier: GPL-2.0-or-later
"""What ``tsqlab list NAME`` and ``tsqlab explain`` print: sections, and rows in columns."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence

_WIDTH_LEAST, _WIDTH_MOST = 60, 120


def sections(*parts: Iterable[str]) -> str:
    """Those that have any line, with an empty one between."""
    texts = ("\n".join(lines) for lines in parts)
    return "\n\n".join(text for text in texts if text)


def in_columns(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Rows in columns, the last of which goes on below where the terminal ends."""
    rows = list(rows)
    if not rows:
        return
    *widths, _ = (max(map(len, fields)) for fields in zip(*rows, strict=True))
    indent = sum(widths) + 2 * len(widths)
    columns = min(max(shutil.get_terminal_size((100, 24)).columns, _WIDTH_LEAST), _WIDTH_MOST)
    for *fields, last in rows:
        head = "".join(f"{field:{width}}  " for field, width in zip(fields, widths, strict=True))
        wrapped = textwrap.wrap(last, max(columns - indent, 20)) or [""]
        yield (head + wrapped[0]).rstrip()
        yield from (" " * indent + line for line in wrapped[1:])
