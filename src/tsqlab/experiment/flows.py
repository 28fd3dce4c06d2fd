# SPDX-License-Identifier: GPL-2.0-or-later
"""The traffic of a cell: that of a test, under Flent's names, or that of its [[flow]] tables.

Flent's timing: DELAY of ping alone, the flows for LENGTH, DELAY of ping alone again.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tsqlab.experiment.flow_table import FlowTable
from tsqlab.topology import CLIENT, SERVER
from tsqlab.units import Duration

Direction = Literal["up", "down"]

# The IPv4 TOS bytes of the DSCP classes that Flent's RRUL marks its flows with.
_TOS = {"BE": 0x00, "BK": 0x20, "CS5": 0xA0, "EF": 0xB8}

START_JITTER_NS = 10_000_000
"""A flow starts at most this much later than its nominal instant; the seed determines how much.
A test driver on a real machine forks its flows one after another, and flows in lockstep are an
artefact."""


@dataclass(frozen=True)
class Said:
    """What a [[flow]] says of one flow; times count from the beginning of flows."""

    number: int  # its place in the file, from 1
    name: str
    start_ns: int | None  # None: as the flows of a test; of a ping, the measurement's start
    stop_ns: int | None
    bytes: int | None = None
    rate_bit_per_s: int | None = None
    datagram_bytes: int | None = None


@dataclass(frozen=True)
class Flow:
    """One stream of data between two nodes."""

    id: str  # names its series files: ID-send.tsv and ID-recv.tsv
    series: str  # Flent's name, such as "TCP upload::1"
    protocol: Literal["tcp", "udp"]
    direction: Direction  # up: from a client, as far as there is one
    congestion_control: str  # "-" for UDP
    tos: int
    sender: str = CLIENT
    receiver: str = SERVER
    client: str = CLIENT  # the one of the two that connects
    said: Said | None = None  # None of a test's

    @property
    def server(self) -> str:
        """The one that listens."""
        return self.receiver if self.client == self.sender else self.sender


@dataclass(frozen=True)
class Probe:
    """A stream of pings beside the flows."""

    id: str  # names its series file: ID.tsv
    series: str  # Flent's name, such as "Ping (ms) ICMP"
    protocol: Literal["icmp", "udp"]
    tos: int
    sender: str = CLIENT
    receiver: str = SERVER
    said: Said | None = None


@dataclass(frozen=True)
class Traffic:
    """All that a cell sends."""

    flows: tuple[Flow, ...]
    probes: tuple[Probe, ...]


_PING = Probe("ping-icmp", "Ping (ms) ICMP", "icmp", 0)


def _tcp(direction: Direction, series: str, congestion_control: str, tos: int = 0) -> Flow:
    slug = series.removeprefix("TCP ").replace("::", "-").replace(" ", "-")
    return Flow(f"tcp-{slug}", series, "tcp", direction, congestion_control, tos)


def _numbered(direction: Direction, count: int, controls: list[str]) -> tuple[Flow, ...]:
    return tuple(
        _tcp(direction, f"TCP {direction}load::{i + 1}", controls[i % len(controls)])
        for i in range(count)
    )


def _single(direction: Direction, controls: list[str]) -> tuple[Flow, ...]:
    return (_tcp(direction, f"TCP {direction}load", controls[0]),)


def _rrul(controls: list[str], flows: dict[str, int], probes: dict[str, int]) -> Traffic:
    directions: tuple[Direction, ...] = ("up", "down")
    return Traffic(
        tuple(
            _tcp(direction, f"TCP {direction}load {name}", controls[0], tos)
            for direction in directions
            for name, tos in flows.items()
        ),
        (
            *(
                Probe(f"ping-udp-{name}", f"Ping (ms) UDP {name}", "udp", tos)
                for name, tos in probes.items()
            ),
            _PING,
        ),
    )


# The names of rrul_be's flows, which are all best effort.
_BE_FLOWS = dict.fromkeys(("BE", "BE2", "BE3", "BE4"), _TOS["BE"])
_BE_PROBES = dict.fromkeys(("BE1", "BE2", "BE3"), _TOS["BE"])


_TESTS: dict[str, Callable[[int, list[str]], Traffic]] = {
    "ping": lambda _, __: Traffic((), (_PING, Probe("ping-udp", "Ping (ms) UDP", "udp", 0))),
    "tcp_upload": lambda _, cc: Traffic(_single("up", cc), (_PING,)),
    "tcp_download": lambda _, cc: Traffic(_single("down", cc), (_PING,)),
    "tcp_bidirectional": lambda _, cc: Traffic(_single("down", cc) + _single("up", cc), (_PING,)),
    "tcp_nup": lambda n, cc: Traffic(_numbered("up", n, cc), (_PING,)),
    "tcp_ndown": lambda n, cc: Traffic(_numbered("down", n, cc), (_PING,)),
    "rrul": lambda _, cc: _rrul(cc, _TOS, {name: _TOS[name] for name in ("EF", "BK", "BE")}),
    "rrul_be": lambda _, cc: _rrul(cc, _BE_FLOWS, _BE_PROBES),
    "udp_flood": lambda _, __: Traffic(
        (Flow("udp-upload", "UDP upload", "udp", "up", "-", 0),), (_PING,)
    ),
}

TESTS = tuple(_TESTS)


def traffic(
    test: str,
    streams: int,
    congestion_control: str,
    ends: Sequence[tuple[str, str]] = ((CLIENT, SERVER),),
) -> Traffic:
    """The traffic of *test*, one of TESTS, whose flows take turns at *ends*: client and server.

    *congestion_control* may list several, separated by commas, which the streams of
    ``tcp_nup`` and ``tcp_ndown`` take in turn.
    """
    sent = _TESTS[test](streams, congestion_control.split(","))
    return Traffic(
        tuple(_placed(flow, *pair) for flow, pair in zip(sent.flows, itertools.cycle(ends))),
        tuple(replace(probe, sender=ends[0][0], receiver=ends[0][1]) for probe in sent.probes),
    )


def _placed(flow: Flow, client: str, server: str) -> Flow:
    ends = (client, server) if flow.direction == "up" else (server, client)
    return replace(flow, client=client, sender=ends[0], receiver=ends[1])


OWN_TEST = "rrul_var"
"""The test of Flent's by which it draws a cell of [[flow]] tables: any number of flows and pings,
whose series have names of their own. Its numbers say nothing of what was sent."""


def own_traffic(
    tables: Sequence[FlowTable], congestion_control: str, clients: Sequence[str]
) -> Traffic:
    """The traffic of a file's [[flow]] tables; those of TCP that name no control take turns."""
    controls = itertools.cycle(congestion_control.split(","))
    numbered = [(number, table) for number, table in enumerate(tables, 1)]
    return Traffic(
        tuple(
            _own_flow(number, table, _control(table, controls), clients)
            for number, table in numbered
            if table.kind != "ping"
        ),
        tuple(_own_probe(number, table) for number, table in numbered if table.kind == "ping"),
    )


def _control(table: FlowTable, controls: Iterator[str]) -> str:
    return "-" if table.kind != "tcp" else table.congestion_control or next(controls)


def _own_flow(number: int, table: FlowTable, control: str, clients: Sequence[str]) -> Flow:
    down = table.receiver in clients and table.sender not in clients
    direction: Direction = "down" if down else "up"
    tcp = table.kind == "tcp"
    return Flow(
        f"flow-{number}",
        f"{'TCP' if tcp else 'UDP'} {direction}load::{_label(number, table)}",
        "tcp" if tcp else "udp",
        direction,
        control,
        table.dscp << 2,
        table.sender,
        table.receiver,
        table.sender,
        _said(number, table),
    )


def _own_probe(number: int, table: FlowTable) -> Probe:
    series = f"Ping (ms)::{_label(number, table)}"
    ends = table.sender, table.receiver
    return Probe(f"ping-{number}", series, "icmp", table.dscp << 2, *ends, _said(number, table))


def _label(number: int, table: FlowTable) -> str:
    return f"{number} {table.name}".rstrip()


def _said(number: int, table: FlowTable) -> Said:
    return Said(
        number, table.name, table.start, table.stop, table.bytes, table.rate, table.size
    )  # fmt: skip


def period_ns(sent: Flow | Probe, seed: int, delay: Duration, length: Duration) -> tuple[int, int]:
    """When a flow or a [[flow]] of pings starts and stops, from the measurement's start."""
    said, pings = sent.said, isinstance(sent, Probe)
    begin = delay.ns
    start = 0 if pings else begin + start_jitter_ns(seed, sent.id)
    stop = begin + length.ns + (begin if pings else 0)
    if said and said.start_ns is not None:
        start = begin + said.start_ns
    if said and said.stop_ns is not None:
        stop = begin + said.stop_ns
    return start, stop


def start_jitter_ns(seed: int, flow_id: str) -> int:
    """How long after its nominal instant a flow starts, in 0..START_JITTER_NS."""
    digest = hashlib.sha256(f"{seed} {flow_id}".encode()).digest()
    return int.from_bytes(digest[:8]) % START_JITTER_NS
