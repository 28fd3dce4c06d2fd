# SPDX-License-Identifier: GPL-2.0-or-later
"""PROBE_BW's cycle, as the congestion control bbr_cycle has it.

BBR's own is 1.25/0.75/6: a phase that sends above the estimate of the bandwidth, one below it, and
six at it. Where "drain" follows, the second phase lasts until the queue is gone. What the
parameters do, and between which bounds, is in kernel/modules/bbrs/bbr_cycle.c.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator

from tsqlab.experiment.invalid import shown

_PERCENT = 10, 390
_CRUISE = 1, 30
_CYCLE = re.compile(r"(\d\.\d{1,2})/(\d\.\d{1,2})/(\d{1,2})( drain)?")


@dataclass(frozen=True)
class Cycle:
    """A cycle, in the parameters of the module."""

    up: int  # the pacing gain above the estimate, in percent
    down: int  # that below it
    cruise: int  # how many phases at the estimate follow
    drain: bool  # whether the one below lasts until the queue is gone

    @classmethod
    def of(cls, text: str) -> Cycle:
        """The cycle that a text such as "1.25/0.75/6 drain" says. Raises ValueError."""
        match = _CYCLE.fullmatch(text)
        if not match:
            raise ValueError(
                f"{shown(text)} is no cycle; write the gains of UP and DOWN and how many phases "
                'follow, as "1.25/0.75/6", and "1.25/0.75/6 drain" to drain the queue'
            )
        up, down = (round(float(gain) * 100) for gain in match.groups()[:2])
        for gain in (up, down):
            if not _PERCENT[0] <= gain <= _PERCENT[1]:
                raise ValueError(f'"{text}": a gain is 0.1 to 3.9, not {gain / 100:g}')
        cruise = int(match[3])
        if not _CRUISE[0] <= cruise <= _CRUISE[1]:
            raise ValueError(f'"{text}": 1 to 30 phases follow, not {cruise}')
        return cls(up, down, cruise, bool(match[4]))


def _checked(text: str) -> str:
    Cycle.of(text)
    return text


CycleText = Annotated[str, AfterValidator(_checked)]
