# SPDX-License-Identifier: GPL-2.0-or-later
"""What a wire carries over time, as its card is told before the measurement.

So a rate changes at its very instant, and in the middle of a frame: the formats and the rules are
those of kernel/modules/wireline/schedule.h and schedule_file.c.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from tsqlab.experiment.spec import Spec
from tsqlab.experiment.vary import DELIVERY_BYTES, VaryTable, wire_ends
from tsqlab.guest.instants import flows_begin_ns
from tsqlab.guest.places import PLAN_DIR
from tsqlab.guest.testbed.common import PlanLine
from tsqlab.units import Rate


class _Kind(IntEnum):
    """What a schedule is of: enum wireline_schedule_kind."""

    RATES = 0
    DELIVERIES = 1
    DELAYS = 2


@dataclass(frozen=True)
class _Schedule:
    """What changes of one card, and when it comes again."""

    device: str
    kind: _Kind
    period_ns: int
    entries: Sequence[tuple[int, int]]  # instants in ns, and values as the module has them

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"{self.device}.{self.kind.name.lower()}"


def schedule_lines(spec: Spec) -> Iterator[PlanLine]:
    """The lines that give cards their schedules, where they are made."""
    for schedule in _schedules(spec):
        path = f"/sys/class/net/{schedule.device}/wireline/schedule"
        yield ["write-hex", "-", path, f"{PLAN_DIR}/{schedule.name}"]


def schedule_files(spec: Spec, set_up_ns: int) -> Mapping[str, str]:
    """The schedules, in hexadecimal, by the names of their files."""
    begin_ns = flows_begin_ns(spec, set_up_ns)
    return {schedule.name: f"{_packed(schedule, begin_ns)}\n" for schedule in _schedules(spec)}


def _schedules(spec: Spec) -> Iterator[_Schedule]:
    for table in spec.vary:
        for end in wire_ends(spec.testbed.graph, table.link):
            for kind, entries in _entries(table):
                yield _Schedule(end.port.device, kind, table.period_ns, entries)


def _entries(table: VaryTable) -> Iterator[tuple[_Kind, list[tuple[int, int]]]]:
    """What of a wire's changes is scheduled."""
    if table.rate is not None:
        yield _Kind.RATES, [(int(at), Rate.of(text) // 1000) for at, text in table.rate]
    if table.delay is not None:
        yield _Kind.DELAYS, [(int(at), int(delay)) for at, delay in table.delay]
    if table.deliveries is not None:
        yield _Kind.DELIVERIES, [(at * 10**6, DELIVERY_BYTES) for at in table.deliveries]


def _packed(schedule: _Schedule, start_ns: int) -> str:
    """A schedule as its file in sysfs takes it: schedule_file.c of wireline."""
    entries = schedule.entries
    values = (word for pair in entries for word in pair)
    words = [int(schedule.kind), start_ns, schedule.period_ns, len(entries), *values]
    return struct.pack(f"={len(words)}Q", *words).hex()
