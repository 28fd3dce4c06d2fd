# SPDX-License-Identifier: GPL-2.0-or-later
"""How a graph's wires are made: pairs of wireline cards, and what each card is told.

They are made in the guest's first namespace, where their sysfs attributes can be written, and
then moved.
"""

from __future__ import annotations

from collections.abc import Iterable

from tsqlab.experiment.profile import Wireline
from tsqlab.experiment.testbed import Port
from tsqlab.experiment.testbed.graph import LinkEnd
from tsqlab.guest.testbed.common import PlanLine


def wire_batch(links: Iterable[tuple[Port, Port]]) -> list[str]:
    """ip(8) commands that make pairs of wireline cards in the first namespace."""
    lines = []
    for near, far in links:
        lines.append(f"link add name {near.device} address {near.mac} type wireline")
        lines.append(
            f"link add link {near.device} name {far.device} address {far.mac} type wireline"
        )
    return lines


def card_lines(end: LinkEnd, card: Wireline, pacing_shift: int) -> Iterable[PlanLine]:
    """Make a card, still in the first namespace, what its profile and its link say."""
    device = end.port.device
    mbit_per_s = (end.line_rate or card.line_rate) // 10**6
    speed = ["speed", str(mbit_per_s), "duplex", "full", "autoneg", "off"]
    yield ["ethtool", "-", "-s", device, *speed]
    yield ["ethtool", "-", "-G", device, "tx", str(card.tx_ring)]
    waits = {
        "tx": (card.completion_delay, card.completion_batch),
        "rx": (card.receive_delay, card.receive_batch),
    }
    for side, (delay, batch) in waits.items():
        if delay:
            coalesce = [f"{side}-usecs", str(delay // 1000), f"{side}-frames", str(batch or 0)]
            yield ["ethtool", "-", "-C", device, *coalesce]
    attributes = {
        "receive_interval_ns": int(card.receive_interval),
        "propagation_ns": int(end.propagation),
        "pacing_shift": pacing_shift,
    }
    for name, value in attributes.items():
        if value:
            yield ["write", "-", f"/sys/class/net/{device}/wireline/{name}", str(value)]


def like_programs(lines: Iterable[PlanLine]) -> Iterable[PlanLine]:
    """*lines*, then as many random numbers drawn as if each ethtool among them were a program.

    The kernel's random numbers are one stream, and what is set up after these lines takes its own
    of it: netem draws what it loses, a router how long a neighbour is reachable. A program takes
    two when it starts, one by the kernel (AT_RANDOM) and one by the C library (malloc's key). So
    results are those of the time when ethtool(8) was run for each line.
    """
    programs = 0
    for line in lines:
        programs += line[0] == "ethtool"
        yield line
    if programs:
        yield ["draw", str(2 * programs)]
