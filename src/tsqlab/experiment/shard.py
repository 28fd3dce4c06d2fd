# SPDX-License-Identifier: GPL-2.0-or-later
"""Shards: an experiment's cells dealt out to N runs that know nothing of each other.

Each cell is in one shard, which follows from the experiment alone: not from the order of levels,
from how many cells are done, or from how many run at a time. Cells are dealt like cards, in the
order of a hash of their names, so that shards differ by one cell at most, and long and short ones
are mixed. Of many experiments of few cells the first shards would get the most, so a hash of the
experiment's name says who is dealt the first card.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # an argument of the command line needs no schema
    from tsqlab.experiment.load import Experiment

OF_MAX = 100_000


@dataclass(frozen=True)
class Shard:
    """One of several, from 1 on. The only one has all cells."""

    number: int = 1
    of: int = 1

    @property
    def whole(self) -> bool:
        """Whether all cells are in it."""
        return self.of == 1

    def __str__(self) -> str:
        """As it is given: "2/8"."""
        return f"{self.number}/{self.of}"


WHOLE = Shard()


def dealt(experiment: str, cells: Iterable[str], of: int) -> dict[str, int]:
    """The number of the shard of each of an experiment's *cells*, by their names."""
    order = enumerate(sorted(cells, key=lambda name: (_hash(name), name)), _hash(experiment))
    return {name: at % of + 1 for at, name in order}


def with_shard(experiment: Experiment, shard: Shard) -> Experiment:
    """The experiment with the cells marked that are of other shards."""
    if shard.whole:
        return experiment
    number_of = dealt(experiment.name, (cell.id for cell in experiment.cells), shard.of)
    cells = (replace(cell, elsewhere=number_of[cell.id] != shard.number)
             for cell in experiment.cells)  # fmt: skip
    return replace(experiment, cells=tuple(cells), shard=str(shard))


def shard_of(text: str) -> Shard:
    """The shard of a text such as "2/8". Raises ValueError."""
    match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    number, of = (int(digits) for digits in match.groups()) if match else (0, 0)
    if not 1 <= number <= of <= OF_MAX:
        given = text if len(text) <= 20 else f"{text[:20]}..."
        raise ValueError(f"expected K/N, as 2/8, the second of eight shards, not {given!r}")
    return Shard(number, of)


def _hash(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode(errors="surrogateescape")).digest()[:8])
