# SPDX-License-Identifier: GPL-2.0-or-later
"""``qdisc = "wqm"``: a radio's queue, whose limit the policy of the ``wqm`` paper sets.

In front of a fullmac radio that is a pfifo, which the agent sizes; under mac80211 it is the limit
of the radio's TXQs, which the daemon itself sizes, as on a host.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tsqlab.model.wqm import DRAIN_LIMIT_NS
from tsqlab.units import Duration

NAME = "wqm"

LIMIT = Duration(DRAIN_LIMIT_NS)

INTERVAL = Duration.of("100 ms")
"""Minstrel's own: the rate stays as it is meanwhile."""

# As the daemon's options --limit and --interval.
_BOUNDS = {
    "limit": (Duration.of("100 us"), Duration.of("1 s")),
    "interval": (Duration.of("10 ms"), Duration.of("10 s")),
}
_TEXT = re.compile(r"wqm((?: (?:limit|interval) \S+)*)")


@dataclass(frozen=True)
class Wqm:
    """What the policy is told."""

    limit: Duration = LIMIT  # the drain time that is aimed at
    interval: Duration = INTERVAL  # between two looks


def wqm_of(text: str | None) -> Wqm | None:
    """What a qdisc's text says of WQM; None of another qdisc. Raises ValueError."""
    if text is None or text.partition(" ")[0] != NAME:
        return None
    match = _TEXT.fullmatch(text)
    if match is None:
        raise ValueError(f'expected "wqm", or "wqm limit 2.5ms interval 100ms", not "{text}"')
    words = match[1].split()
    given = {}
    for name, value in zip(words[::2], words[1::2], strict=True):
        least, most = _BOUNDS[name]
        # tc's options have no space between a number and its unit.
        given[name] = Duration.of(re.sub(r"(?<=[0-9])(?=[a-z])", " ", value))
        if not least <= given[name] <= most:
            raise ValueError(f"{name} of wqm: expected {least.text} to {most.text}, not {value}")
    return Wqm(**given)
