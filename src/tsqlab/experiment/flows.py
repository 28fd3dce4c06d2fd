# SPDX-License-Identifier: GPL-2.0-or-later
"""The traffic of each test, under the names that Flent gives its tests and series.

Flent's timing: DELAY of ping alone, the flows for LENGTH, DELAY of ping alone again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Direction = Literal["up", "down"]

# The IPv4 TOS bytes of the DSCP classes that Flent's RRUL marks its flows with.
_TOS = {"BE": 0x00, "BK": 0x20, "CS5": 0xA0, "EF": 0xB8}

START_JITTER_NS = 10_000_000
"""A flow starts at most this much later than its nominal instant; the seed determines how much.
A test driver on a real machine forks its flows one after another, and flows in lockstep are an
artefact."""


@dataclass(frozen=True)
class Flow:
    """One stream of data between the client and the server."""

    id: str  # names its series files: ID-send.tsv and ID-recv.tsv
    series: str  # Flent's name, such as "TCP upload::1"
    protocol: Literal["tcp", "udp"]
    direction: Direction
    congestion_control: str  # "-" for UDP
    tos: int


@dataclass(frozen=True)
class Probe:
    """A stream of pings beside the flows."""

    id: str  # names its series file: ID.tsv
    series: str  # Flent's name, such as "Ping (ms) ICMP"
    protocol: Literal["icmp", "udp"]
    tos: int


@dataclass(frozen=True)
class Traffic:
    """All that a test sends."""

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


def traffic(test: str, streams: int, congestion_control: str) -> Traffic:
    """The traffic of *test*, one of TESTS.

    *congestion_control* may list several, separated by commas, which the streams of
    ``tcp_nup`` and ``tcp_ndown`` take in turn.
    """
    return _TESTS[test](streams, congestion_control.split(","))


def start_jitter_ns(seed: int, flow_id: str) -> int:
    """How long after its nominal instant a flow starts, in 0..START_JITTER_NS."""
    digest = hashlib.sha256(f"{seed} {flow_id}".encode()).digest()
    return int.from_bytes(digest[:8]) % START_JITTER_NS
