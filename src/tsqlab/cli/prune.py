# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab kernel list --sizes`` and ``prune``: what the cache holds, and what of it goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from tsqlab.errors import TsqlabError
from tsqlab.kernels.prune import Entry, chosen, entries, kept, remove
from tsqlab.paths import cache


def in_gib(size_bytes: float) -> str:
    """A size as people compare it."""
    return f"{size_bytes / (1 << 30):.2f} GiB"


def list_sizes() -> None:
    """Print what the cache holds, what was used last first."""
    found = entries()
    stays = kept(found)
    for entry in found:
        print(_line(entry) + ("  stays" if entry.path in stays else ""))
    print(f"{in_gib(sum(entry.size_bytes for entry in found))} in {cache()}")


def prune_shown(bound_bytes: int | None, is_dry: bool) -> None:
    """Remove what is more than a bound, and say what; or say what would be removed.

    Raises TsqlabError if more has to stay than that.
    """
    found = entries()
    total = sum(entry.size_bytes for entry in found)
    if bound_bytes is None or total <= bound_bytes:
        if not is_dry:
            remove([])
        bound = "no bound" if bound_bytes is None else in_gib(bound_bytes)
        print(f"nothing to remove: {in_gib(total)} in {cache()}, and {bound} is allowed")
        return
    going = chosen(found, bound_bytes, kept(found))
    gone = going if is_dry else remove(going)
    for entry in gone:
        print(_line(entry))
    freed = sum(entry.size_bytes for entry in gone)
    would = "it would free" if is_dry else "freed"
    print(f"{would} {in_gib(freed)} of {in_gib(total)}; {in_gib(total - freed)} stay")
    if total - freed > bound_bytes:
        raise TsqlabError(
            f"{in_gib(bound_bytes)} cannot be had: the rest is in use, or is what a plain run uses"
        )


def removed(gone: Sequence[Entry], why: str) -> str:
    """What was removed, and why, in one line."""
    kinds = ", ".join(f"{count} {kind}" for kind, count in Counter(e.kind for e in gone).items())
    freed = in_gib(sum(entry.size_bytes for entry in gone))
    return f"removed from the cache, as there was {why}: {kinds}, {freed}"


def _line(entry: Entry) -> str:
    used = datetime.fromtimestamp(entry.used_s, UTC)
    return f"{in_gib(entry.size_bytes):>10}  {used:%Y-%m-%d}  {entry.kind:10}  {entry.name}"
