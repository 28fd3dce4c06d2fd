# SPDX-License-Identifier: GPL-2.0-or-later
"""What a wire carries over time, as its card is told before the measurement.

So a rate changes at its very instant, and in the middle of a frame: the formats and the rules are
those of kernel/modules/wireline/schedule.h and schedule_file.c.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum

from tsqlab.experiment.spec import Spec
from tsqlab.experiment.testbed.graph import LinkEnd
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


def schedule_lines(spec: Spec, set_up_ns: int, end: LinkEnd) -> Iterator[PlanLine]:
    """The lines that give a card its schedules, where it is made."""
    for name in schedule_files(spec, set_up_ns, [end]):
        path = f"/sys/class/net/{end.port.device}/wireline/schedule"
        yield ["write-hex", "-", path, f"{PLAN_DIR}/{name}"]


def schedule_files(spec: Spec, set_up_ns: int, ends: Iterable[LinkEnd]) -> Mapping[str, str]:
    """The schedules of some cards, in hexadecimal, by the names of their files."""
    begin_ns, found = flows_begin_ns(spec, set_up_ns), {}
    for end in ends:
        for table in spec.vary:
            if end in wire_ends(spec.testbed.graph, table.link):
                for kind, entries in _entries(table):
                    name = f"{end.port.device}.{kind.name.lower()}"
                    found[name] = f"{_packed(kind, begin_ns, table.period_ns, entries)}\n"
    return found


def _entries(table: VaryTable) -> Iterator[tuple[_Kind, list[tuple[int, int]]]]:
    """What of a wire's changes is scheduled: instants in ns, and values as the module has them."""
    if table.rate is not None:
        yield _Kind.RATES, [(int(at), Rate.of(text) // 1000) for at, text in table.rate]
    if table.delay is not None:
        yield _Kind.DELAYS, [(int(at), int(delay)) for at, delay in table.delay]
    if table.deliveries is not None:
        yield _Kind.DELIVERIES, [(at * 10**6, DELIVERY_BYTES) for at in table.deliveries]


def _packed(kind: _Kind, start_ns: int, period_ns: int, entries: Sequence[tuple[int, int]]) -> str:
    """A schedule as its file in sysfs takes it: schedule_file.c of wireline."""
    values = (word for pair in entries for word in pair)
    words = [int(kind), start_ns, period_ns, len(entries), *values]
    return struct.pack(f"={len(words)}Q", *words).hex()
