# SPDX-License-Identifier: GPL-2.0-or-later
"""airlink's messages as lines of a guest's plan."""

from __future__ import annotations

from tsqlab.airlink import messages
from tsqlab.airlink.messages import Message, payload
from tsqlab.airlink.uapi import COUNTERS, FAMILY, Attribute, StatsAttribute
from tsqlab.guest.testbed.common import PlanLine


def genl(node: str, message: Message) -> PlanLine:
    """Send *message* in *node* while the testbed is set up; a refusal ends the guest."""
    return ["genl", node, FAMILY, payload(message).hex()]


def watch(node: str, series: str, medium: int, address: str) -> PlanLine:
    """Record at each sample what the radio of *address* has counted, as the table *series*.

    Its columns are named as uapi.COUNTERS; a table beside it has the histogram of aggregates.
    """
    columns = ",".join(f"{int(counter)}={counter.name.lower()}" for counter in COUNTERS)
    return [
        *("genl-watch", node, series, FAMILY),
        payload(messages.get_radio(medium, address)).hex(),
        *(str(int(Attribute.STATS)), columns, str(int(StatsAttribute.SUBFRAMES_OF))),
    ]
