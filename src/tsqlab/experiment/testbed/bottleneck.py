# SPDX-License-Identifier: GPL-2.0-or-later
"""The shorthand for a bottleneck: where it is, and how fast."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator

from tsqlab.units import Rate

_TEXT = re.compile(r"(LR|L|R)([0-9]{1,6})M")
# LR has the limits of a wireline card.
_SPEEDS_MBPS = {"L": (1, 100_000), "R": (1, 100_000), "LR": (10, 100_000)}


@dataclass(frozen=True)
class Bottleneck:
    """One side of a testbed, and its rate."""

    side: str  # "L": HTB at the clients; "R": HTB at the routers; "LR": the links themselves
    rate: Rate | None  # None: the links' own rate

    @classmethod
    def of(cls, text: str | None) -> Bottleneck:
        """The bottleneck that a text such as "R100M" means. Raises ValueError."""
        if text is None:
            return cls("LR", None)
        match = _TEXT.fullmatch(text)
        if not match or not _SPEEDS_MBPS[match[1]][0] <= int(match[2]) <= _SPEEDS_MBPS[match[1]][1]:
            raise ValueError(
                f'"{text}" names no bottleneck; write L100M (HTB at the client), R100M (HTB at the '
                "router) or LR1000M (none: both links at that rate, of 10 to 100000 Mbit/s)"
            )
        return cls(match[1], Rate.of(f"{match[2]} Mbit/s"))

    @property
    def line_rate(self) -> Rate | None:
        """The line rate of the links; None: their own."""
        return self.rate if self.side == "LR" else None

    def shapes(self, side: str) -> Rate | None:
        """The rate of HTB at a side; None where there is none."""
        return self.rate if self.side == side else None


def _check(text: str) -> str:
    Bottleneck.of(text)
    return text


BottleneckText = Annotated[str, AfterValidator(_check)]
