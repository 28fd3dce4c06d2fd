# SPDX-License-Identifier: GPL-2.0-or-later
"""Explicit congestion notification: what queues mark, in the place of what they would drop.

A cell has numbers of it where its hosts ask for ECN, which a file shows by the senders' count of
packets whose acknowledgements said that they had been marked. That count is of what a sender hears:
after RFC 3168 a receiver repeats it until the sender has answered, so it may be many times the
marks. The marks themselves are counted by the queues.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tsqlab.metrics.series import Rows, rows

MARKS, MARKED_SHARE = "ce_marks", "ce_marked_share"
ECN = (MARKS, MARKED_SHARE)
"""How many packets all queues marked while the flows ran, and their share of those that the queues
sent which marked any."""

HEARD = "tcp_delivered_ce"
_QUEUE_KEYS = ("ecn_mark", "dropped", "sent_pkts")


@dataclass(frozen=True)
class Marking:
    """What one queue marked and dropped since the sample before, and what it has sent in all."""

    egress: str
    events: Rows


def markings(
    raw: Mapping[str, list[dict[str, Any]]], queue: re.Pattern[str], t0_unix_s: float
) -> tuple[Marking, ...]:
    """The queues of a cell whose hosts ask for ECN, by the names of their series; else none."""
    # Not in each record: a receiver may sample before its sender has a socket.
    if not any(HEARD in record for records in raw.values() for record in records):
        return ()
    return tuple(
        Marking(match[1], rows(records, _QUEUE_KEYS, t0_unix_s))
        for name, records in raw.items()
        if records and (match := queue.fullmatch(name))
    )


def ecn_metrics(
    queues: tuple[Marking, ...], begin_s: float, end_s: float
) -> dict[str, float | None]:
    """The numbers of ECN; nothing of a cell without."""
    if not queues:
        return {}
    marks = sent = 0.0
    for queue in queues:
        within = queue.events.between(begin_s, end_s).value
        marked = float(within["ecn_mark"][1:].sum())  # the first is of the time before
        if marked:
            marks += marked
            sent += float(within["sent_pkts"][-1] - within["sent_pkts"][0])
    return {MARKS: marks, MARKED_SHARE: marks / sent if sent else 0.0}
