# SPDX-License-Identifier: GPL-2.0-or-later
"""A ``[[vary]]`` of an experiment file: what a link is like over time.

What changes is said as a list of instants, each with what holds from then on. Instants count from
when flows begin, and with ``repeat`` all come again after it. Before the first a link is as the
testbed says. A wire's deliveries are Mahimahi's: instants in ms, at each of which a packet of 1500
bytes gets through, and at no other time any.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field, model_validator

from tsqlab.airlink.rates import parse_rate
from tsqlab.experiment.bounds import KeyedError, between
from tsqlab.experiment.invalid import hint, shown
from tsqlab.experiment.testbed.graph import Graph, LinkEnd, Medium
from tsqlab.experiment.testbed.keys import Table, array_of_tables
from tsqlab.experiment.testbed.own import ways_of
from tsqlab.experiment.testbed.written import Propagation, Snr
from tsqlab.experiment.wording import text_of
from tsqlab.units import Duration, Fraction, Rate

VARY = "vary"
"""The key of the array of tables."""

VARY_MAX = 1000
STEPS_MAX = 10_000
DELIVERIES_MAX = 200_000
"""How many instants of one kind a table may have: Mahimahi's traces have a line a packet."""

DELIVERY_BYTES = 1500
"""What gets through at one delivery."""

RATE_MAX = Rate.of("100 Gbit/s")

_Instant = Annotated[Duration, between(Duration, "0 s", "1440 min")]
_Period = Annotated[Duration, between(Duration, "1 ms", "1440 min")]


def _listed(value: object) -> object:
    """A list of pairs, which what is written in its place is not."""
    pairs = isinstance(value, list | tuple) and all(
        isinstance(pair, list | tuple) and len(pair) == 2 for pair in value
    )
    if not pairs or not value:
        raise ValueError(
            f'expected instants and values, as [["0 s", ...], ["15 s", ...]], not {shown(value)}'
        )
    return value


RateSteps = Annotated[tuple[tuple[_Instant, str], ...], BeforeValidator(_listed)]
DelaySteps = Annotated[tuple[tuple[_Instant, Propagation], ...], BeforeValidator(_listed)]
LossSteps = Annotated[tuple[tuple[_Instant, Fraction], ...], BeforeValidator(_listed)]
SnrSteps = Annotated[tuple[tuple[_Instant, Snr], ...], BeforeValidator(_listed)]
Deliveries = Annotated[tuple[Annotated[int, Field(ge=0, strict=True)], ...], Field(min_length=1)]

Value = TypeVar("Value")

OF_WIRES = ("rate", "delay", "loss", "deliveries")
OF_RADIOS = ("rate", "loss", "snr")
KEYS = tuple(dict.fromkeys((*OF_WIRES, *OF_RADIOS)))
"""What can change."""


class VaryTable(Table):
    """What changes of one link, as a file says it."""

    link: str  # "R>S": what R sends to S; "R-S": both ways
    repeat: _Period | None = None  # none: the last stays; of deliveries: to the last of them
    # Of a wire a rate of data, "12 Mbit/s"; of a radio link one of 802.11, "HT20 MCS7".
    rate: RateSteps | None = None
    delay: DelaySteps | None = None  # of a wire: the propagation delay
    loss: LossSteps | None = None  # of each packet on a wire, of each MPDU on a radio link
    snr: SnrSteps | None = None  # of a radio link
    deliveries: Deliveries | None = None  # of a wire: instants in ms

    @model_validator(mode="after")
    def _ordered(self) -> VaryTable:
        if not any(getattr(self, key) is not None for key in KEYS):
            raise KeyedError(["link"], f"nothing changes of it; expected one of {', '.join(KEYS)}")
        for key in ("rate", "delay", "loss", "snr"):
            if (steps := getattr(self, key)) is not None:
                self._check_steps(key, [at for at, _ in steps])
        if self.deliveries is not None:
            self._check_deliveries(self.deliveries)
        return self

    def _check_steps(self, key: str, instants: Sequence[Duration]) -> None:
        if len(instants) > STEPS_MAX:
            raise KeyedError([key], f"has {len(instants)} instants; expected {STEPS_MAX} at most")
        for earlier, later in itertools.pairwise(instants):
            if later - earlier < _APART_NS:
                raise KeyedError(
                    [key],
                    f"{later.text} comes after {earlier.text}; expected instants that ascend, "
                    "and are 1 us apart",
                )
        if self.repeat is not None and instants[-1] >= self.repeat:
            raise KeyedError(
                ["repeat"], f"expected more than {instants[-1].text}, the last instant of {key}"
            )

    def _check_deliveries(self, instants: Sequence[int]) -> None:
        where = ["deliveries"]
        if self.rate is not None:
            raise KeyedError(where, "say what a wire carries as rate does; expected one of the two")
        if len(instants) > DELIVERIES_MAX:
            found = f"has {len(instants)} instants; expected {DELIVERIES_MAX} at most"
            raise KeyedError(where, found)
        if list(instants) != sorted(instants):
            raise KeyedError(where, "expected instants in ms that ascend")
        if not instants[-1]:
            raise KeyedError(where, "expected an instant after 0 ms, at which they begin again")
        if self.repeat is not None and instants[-1] * _MS > self.repeat:
            raise KeyedError(["repeat"], f"expected {instants[-1]} ms, the last delivery, or more")
        if len(instants) * _APART_NS > self.period_ns:
            raise KeyedError(where, "expected no more than a delivery in a us")

    @property
    def period_ns(self) -> int:
        """After what time all comes again; 0: never."""
        if self.repeat is None and self.deliveries:
            return self.deliveries[-1] * _MS
        return int(self.repeat or 0)


_APART_NS, _MS = 1000, 10**6


VaryTables = Annotated[tuple[VaryTable, ...], array_of_tables(VARY)]


def wire_ends(graph: Graph, link: str) -> tuple[LinkEnd, ...]:
    """The ends of wires that a table is about; none if it is no wire's."""
    names = {f"{sender}>{receiver}" for sender, receiver in ways_of(link)}
    return tuple(end for end in graph.link_ends if end.port.egress in names)


def radio_ways(graph: Graph, link: str) -> tuple[tuple[Medium, str, str], ...]:
    """The media and the nodes, sender and receiver, of radio links that a table is about."""
    found = []
    for medium in graph.media:
        nodes = {member.port.node for member in medium.members}
        found += [(medium, *way) for way in ways_of(link) if {*way} <= nodes]
    return tuple(found)


def check_vary(tables: Sequence[VaryTable], graph: Graph, length: Duration) -> None:
    """Raises KeyedError for what a testbed does not have, or that would change twice."""
    if len(tables) > VARY_MAX:
        raise KeyedError([VARY], f"{len(tables)} tables; expected {VARY_MAX} at most")
    seen: set[tuple[str, str]] = set()
    for number, table in enumerate(tables, 1):
        at = [VARY, str(number)]
        _check_link(table, graph, at)
        for key in KEYS:
            if getattr(table, key) is None:
                continue
            for way in ways_of(table.link):
                what = (">".join(way), "rate" if key == "deliveries" else key)
                if what in seen:
                    raise KeyedError([*at, key], f"the {what[1]} of {what[0]} varies already")
                seen.add(what)
        _check_times(table, length, at)


def _check_link(table: VaryTable, graph: Graph, at: list[str]) -> None:
    wires, radios = wire_ends(graph, table.link), radio_ways(graph, table.link)
    if not wires and not radios:
        raise KeyedError(
            [*at, "link"], f'no link "{table.link}"; {hint(table.link, _links(graph))}'
        )
    accepted, what = (OF_WIRES, "a wire") if wires else (OF_RADIOS, "a radio link")
    if wires and radios:
        raise KeyedError([*at, "link"], f'"{table.link}" is a wire and a radio link, too')
    for key in KEYS:
        if getattr(table, key) is not None and key not in accepted:
            keys = ", ".join(accepted)
            raise KeyedError([*at, key], f"{table.link} is {what}, of which vary {keys}")
    for _, text in table.rate or ():
        _check_rate(text, [*at, "rate"], Rate.of if wires else parse_rate)


def _links(graph: Graph) -> list[str]:
    """What links are called: each way of a wire, a station with its access point, two peers."""
    stations = (member for medium in graph.media for member in medium.members)
    radios = [f"{member.port.node}-{member.access_point}" for member in stations
              if member.access_point]  # fmt: skip
    networks = (segment for segment in graph.segments if segment.relays)
    radios += (f"{one.node}-{other.node}" for segment in networks
               for one, other in itertools.combinations(segment.ports, 2)
               if other in segment.neighbours(one.node))  # fmt: skip
    return [*(end.port.egress for end in graph.link_ends), *radios]


def _check_rate(text: str, where: list[str], read: Callable[[str], object]) -> None:
    try:
        rate = read(text)
    except ValueError as error:
        raise KeyedError(where, str(error)) from None
    if isinstance(rate, Rate) and (rate > RATE_MAX or rate % 1000):
        raise KeyedError(
            where, f'expected a whole number of kbit/s up to {RATE_MAX.text}, not "{text}"'
        )


def _check_times(table: VaryTable, length: Duration, at: list[str]) -> None:
    """What a process has to do at its instant is not to be done without end."""
    for key in ("rate", "loss", "snr"):
        steps: Sequence[Any] = getattr(table, key) or ()
        rounds = length // table.period_ns + 1 if table.period_ns else 1
        if len(steps) * rounds > CHANGES_MAX:
            raise KeyedError(
                [*at, "repeat"],
                f"{key} changes {len(steps) * rounds} times; expected {CHANGES_MAX} at most",
            )


CHANGES_MAX = 100_000
"""How often one thing may change in a cell."""


def instants(
    steps: Sequence[tuple[Duration, Value]], period_ns: int, length_ns: int
) -> Iterator[tuple[int, Value]]:
    """All instants of steps in that time, in ns from when flows begin, with their values."""
    begins_ns = 0
    while steps:
        for at, value in steps:
            if begins_ns + at >= length_ns:
                return
            yield begins_ns + at, value
        if not period_ns:
            return
        begins_ns += period_ns


def said_changes(tables: Sequence[VaryTable]) -> dict[str, str]:
    """The keys that changes are said by, dotted, each with its value as a text."""
    found = {}
    for number, table in enumerate(tables, 1):
        found[f"{VARY}.{number}.link"] = table.link
        for key in (*KEYS, "repeat"):
            if (value := getattr(table, key)) is not None:
                found[f"{VARY}.{number}.{key}"] = _text(value)
    return found


_SHOWN_MAX = 6


def _text(value: object) -> str:
    """What changes, in full if it is short, and else by how much of it there is and its digest."""
    if not isinstance(value, tuple):
        return text_of(value)
    if len(value) <= _SHOWN_MAX:
        return ", ".join(
            f"{text_of(one[0])} {text_of(one[1])}" if isinstance(one, tuple) else f"{one} ms"
            for one in value
        )
    digest = hashlib.sha256(repr(value).encode()).hexdigest()[:8]
    return f"{len(value)} instants, {digest}"
