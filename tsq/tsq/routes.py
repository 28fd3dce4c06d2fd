# SPDX-License-Identifier: GPL-2.0-or-later
"""Routes of the main table as ip(8) prints and takes them, and which of them may be changed.

The text is kept whole, because `ip route change` has to be given all that a route has: what it is
not given is lost. A route is left alone where a change would not be the same route again: IPv6's of
the kernel itself (router advertisements, prefixes; they have a lifetime that a user cannot write),
routes of several next hops, and such as share prefix and metric with another, of which the kernel
would change the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tsq.errors import TsqError
from tsq.host import Host

_TYPES = ("unicast", "local", "broadcast", "multicast", "blackhole", "unreachable", "prohibit",
          "throw", "anycast", "nat")  # fmt: skip
_FLAGS = {"linkdown", "dead", "offload", "trap", "pervasive", "rt_offload", "rt_trap"}
_PAIRS = {"expires", "error", "cache", "users", "age"}
"""Words and pairs of words that tell how a route is, not what it is: nobody may write them."""


@dataclass(frozen=True)
class RouteKey:
    """What makes a route another route."""

    prefix: str
    device: str
    metric: str
    tos: str

    @classmethod
    def of(cls, text: str) -> RouteKey:
        """Of a line that ip printed."""
        words = text.split()
        if words and words[0] in _TYPES:
            words = words[1:]
        return cls(words[0], *(_after(words, name) for name in ("dev", "metric", "tos")))

    @property
    def place(self) -> tuple[str, str, str]:
        """Routes of one place differ in their next hop only."""
        return (self.prefix, self.metric, self.tos)


@dataclass(frozen=True)
class Candidate:
    """A route of a device, and why it may not be changed; "": it may."""

    family: str  # "4" or "6"
    text: str
    why_not: str = ""


def candidates(host: Host, device: str) -> list[Candidate]:
    """The routes of the main table that leave by that device."""
    found = []
    for family in ("4", "6"):
        lines = list(_lines(host, family))
        places = [RouteKey.of(line).place for line in lines]
        for line in lines:
            key = RouteKey.of(line)
            if key.device == device and not key.prefix.startswith(("fe80:", "ff00:")):
                alone = places.count(key.place) == 1
                found.append(Candidate(family, _clean(line), _why_not(family, line, alone)))
    return found


def _why_not(family: str, line: str, alone: bool) -> str:
    words = line.split()
    if "nexthop" in words or "nhid" in words:
        return "it has several next hops"
    if not alone:
        return "another has the same prefix and metric"
    if family == "6" and (_after(words, "proto") == "kernel" or "expires" in words):
        return "the kernel itself keeps it, with a lifetime"
    return ""


def with_control(text: str, control: str) -> str:
    """The same route with that congestion control."""
    words = text.split()
    if "congctl" in words:
        at = words.index("congctl")
        del words[at : at + (3 if words[at + 1 : at + 2] == ["lock"] else 2)]
    return " ".join([*words, "congctl", control])


def route_now(host: Host, family: str, key: RouteKey) -> list[str] | None:
    """The words of the route with that key, sorted: ip's own order is no promise."""
    for line in _lines(host, family):
        if RouteKey.of(line) == key:
            return sorted(_clean(line).split())
    return None


def _lines(host: Host, family: str) -> Iterator[str]:
    words = ["ip", f"-{family}", "-details", "-oneline", "route", "show", "table", "main"]
    try:
        told = host.asked(words)
    except TsqError:
        if family == "6":  # a kernel without IPv6
            return
        raise
    yield from (line.replace("\\", " ") for line in told.splitlines() if line.strip())


def _clean(line: str) -> str:
    """Without what nobody may write."""
    words, kept = line.split(), []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in _PAIRS:
            skip = True
        elif word not in _FLAGS:
            kept.append(word)
    return " ".join(kept)


def _after(words: list[str], name: str) -> str:
    return words[words.index(name) + 1] if name in words[:-1] else ""
