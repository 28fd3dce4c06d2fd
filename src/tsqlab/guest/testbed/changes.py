# SPDX-License-Identifier: GPL-2.0-or-later
"""What a process changes while the measurement runs, which sleeps until then (agent/later.c).

That is what netem loses, and what a radio link is like. What a wire carries is known beforehand
(`schedules`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from tsqlab.airlink import messages
from tsqlab.airlink.messages import Link
from tsqlab.airlink.rates import parse_rate
from tsqlab.experiment.vary import VaryTable, instants, radio_ways, wire_ends
from tsqlab.guest.instants import flows_begin_ns
from tsqlab.guest.places import PLAN_DIR
from tsqlab.guest.testbed.common import PlanLine, encode, netem_words
from tsqlab.guest.testbed.radio_lines import genl
from tsqlab.guest.testbed.wiring import Wiring
from tsqlab.units import Duration

_LATER = "later"

Value = TypeVar("Value")


def changes_later(wired: Wiring) -> tuple[list[PlanLine], Mapping[str, str]]:
    """The endpoint that makes the other changes, and its file; nothing if there are none."""
    timed = sorted(_changes(wired), key=lambda change: change[0])
    if not timed:
        return [], {}
    lines = [[str(at_ns), *line] for at_ns, line in timed]
    return [["later", "-", _LATER, f"{PLAN_DIR}/{_LATER}"]], {_LATER: encode([*lines, ["end"]])}


def _changes(wired: Wiring) -> Iterator[tuple[int, PlanLine]]:
    """What is to be done, and when, in ns after the boot."""
    spec = wired.spec
    begin_ns = flows_begin_ns(spec, wired.set_up_ns)
    length_ns = spec.flows.total - spec.flows.delay
    for table in spec.vary:
        for at_ns, line in _changes_of(wired, table, length_ns):
            yield begin_ns + at_ns, line


def _changes_of(wired: Wiring, table: VaryTable, length_ns: int) -> Iterator[tuple[int, PlanLine]]:
    graph = wired.spec.testbed.graph

    def times(steps: Sequence[tuple[Duration, Value]] | None) -> Iterator[tuple[int, Value]]:
        return instants(steps or (), table.period_ns, length_ns)

    for end in wire_ends(graph, table.link):
        for at_ns, loss in times(table.loss):
            queue = end.queue.model_copy(update={"loss": loss})
            device = end.port.device
            words = f"qdisc change dev {device} root handle 5: {netem_words(queue)}".split()
            yield at_ns, ["run", end.port.node, "tc", *words]
    for medium, sender, receiver in radio_ways(graph, table.link):
        link = Link(medium.number, medium.at(sender).port.mac, medium.at(receiver).port.mac)
        changed = [
            *((at_ns, replace(link, loss_ppb=loss)) for at_ns, loss in times(table.loss)),
            *((at_ns, replace(link, snr_cdb=snr)) for at_ns, snr in times(table.snr)),
            *((at_ns, replace(link, rate=parse_rate(rate))) for at_ns, rate in times(table.rate)),
        ]
        yield from ((at_ns, genl("-", messages.set_link(link))) for at_ns, link in changed)
