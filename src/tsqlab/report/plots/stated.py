# SPDX-License-Identifier: GPL-2.0-or-later
"""What is asked of a plot besides the results: the latency, and the paper's numbers out of claims.

A claim gives a plot a point where it states a number of one setting, and a line where it states a
knee. Words ("grows") give nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tsqlab.experiment.claims import Claim
from tsqlab.results.record import Level
from tsqlab.results.repetitions import Setting


@dataclass(frozen=True)
class Asked:
    """What a plot is to show."""

    latency: str
    claims: Sequence[Claim] = ()


@dataclass(frozen=True)
class Stated:
    """A number of a paper, or a range."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """Where a mark of it stands."""
        return (self.low + self.high) / 2

    @property
    def half(self) -> float:
        """How far the range goes from there."""
        return (self.high - self.low) / 2

    @property
    def text(self) -> str:
        """The number as a label: "44", or "90-95"."""
        return f"{self.low:g}" if self.low == self.high else f"{self.low:g}-{self.high:g}"

    def __add__(self, more: Stated) -> Stated:
        """Both numbers one after the other."""
        return Stated(self.low + more.low, self.high + more.high)


def stated_of(claims: Sequence[Claim], setting: Setting, quantity: str) -> Stated | None:
    """The paper's number of a quantity in one setting."""
    own = {name: str(level) for name, level in setting}
    for claim in claims:
        if claim.compare == "value" and claim.metric == quantity and claim.stated:
            named = {name: str(level) for name, level in claim.of.items()}
            if named.items() <= own.items():
                return Stated(*claim.stated)
    return None


def knees_of(claims: Sequence[Claim], setting: Setting) -> Iterator[Stated]:
    """The knees of goodput that the paper has over TSQ's ms, each once."""
    own: Mapping[str, Level] = dict(setting)
    found: dict[Stated, None] = {}
    for claim in claims:
        ours = all(str(own.get(name, level)) == str(level) for name, level in claim.of.items())
        knee = claim.compare == "knee" and claim.metric == "goodput_mbps" and "tsq" in claim.over
        if ours and knee and claim.stated:
            found[Stated(*claim.stated)] = None
    yield from found
