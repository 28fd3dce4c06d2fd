# SPDX-License-Identifier: GPL-2.0-or-later
"""airlink's messages as lines of a guest's plan."""

from __future__ import annotations

from collections.abc import Mapping

from tsqlab.airlink import messages
from tsqlab.airlink.messages import Message, payload
from tsqlab.airlink.uapi import COUNTERS, FAMILY, Attribute, LinkAttribute, StatsAttribute
from tsqlab.guest.testbed.common import PlanLine
from tsqlab.results.measurement import AIRTIME_TO


def genl(node: str, message: Message) -> PlanLine:
    """Send *message* in *node* while the testbed is set up; a refusal ends the guest."""
    return ["genl", node, FAMILY, payload(message).hex()]


def watch(
    node: str, series: str, medium: int, address: str, receivers: Mapping[str, str] | None = None
) -> PlanLine:
    """Record at each sample what the radio of *address* has counted, as the table *series*.

    Its columns are named as uapi.COUNTERS; a table beside it has the histogram of aggregates. Of
    each of *receivers*, addresses by names, there is a column of the airtime used for it.
    """
    columns = ",".join(f"{int(counter)}={counter.name.lower()}" for counter in COUNTERS)
    return [
        *("genl-watch", node, series, FAMILY),
        payload(messages.get_radio(medium, address)).hex(),
        *(str(int(Attribute.STATS)), columns, str(int(StatsAttribute.SUBFRAMES_OF))),
        *(_airtime_to(receivers) if receivers else ()),
    ]


def _airtime_to(receivers: Mapping[str, str]) -> PlanLine:
    """The words that make columns of the list of receivers."""
    columns = (f"{mac.replace(':', '')}={AIRTIME_TO}{name}" for name, mac in receivers.items())
    numbers = (StatsAttribute.LINKS, LinkAttribute.ADDRESS, LinkAttribute.AIRTIME_NS)
    return [*(str(int(number)) for number in numbers), ",".join(columns)]
