# SPDX-License-Identifier: GPL-2.0-or-later
"""Routes of the main table as ip(8) prints and takes them, and which of them may be changed.

The text is kept whole, because `ip route change` has to be given all that a route has: what it is
not given is lost. A route is left alone where a change would not be the same route again: IPv6's of
the kernel itself (router advertisements, prefixes; they have a lifetime that a user cannot write),
routes of several next hops, such as have an attribute that is not known here (encapsulations,
realms), and such as share prefix and metric with another, of which the kernel would change the
first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tsq.errors import TsqError
from tsq.host import Host

_TYPES = ("unicast", "local", "broadcast", "multicast", "blackhole", "unreachable", "prohibit",
          "throw", "anycast", "nat")  # fmt: skip
_STATUS = {"linkdown", "dead", "offload", "trap", "pervasive", "rt_offload", "rt_trap",
           "offload_failed", "rt_offload_failed", "unresolved"}  # fmt: skip
"""Words that tell how a route is, not what it is: nobody may write them."""
_STATUS_PAIRS = {"expires", "error", "users", "age"}
_FLAGS = {"onlink", "nexthop"}
_METRICS = {"mtu", "advmss", "window", "rtt", "rttvar", "rto_min", "ssthresh", "cwnd", "initcwnd",
            "initrwnd", "reordering", "hoplimit", "quickack", "congctl", "features",
            "fastopen_no_cookie"}  # fmt: skip
_PAIRS = {"via", "dev", "proto", "scope", "src", "metric", "tos", "table", "pref", "nhid", "weight"}
_UNKNOWN = "?"

Part = tuple[str, list[str]]
"""A word of ip's, and all that belongs to it, itself included."""


def words_of(text: str) -> list[str]:
    """The words of what ip printed, of which a device's name is one, whatever Python calls a
    space."""
    return [word for word in re.split(r"[ \t]+", text) if word]


def _parts(text: str) -> Iterator[Part]:
    """The type and prefix (as ""), then each attribute.

    A name may be any word, even one of ip's: what stands where decides. What comes after a word
    that is not known here is one part with it, "?".
    """
    words = words_of(text)
    at = 2 if words and words[0] in _TYPES else 1
    yield "", words[:at]
    while at < len(words):
        key, length = words[at], 2
        if key in _STATUS or key in _FLAGS:
            length = 1
        elif key in _METRICS:
            length += words[at + 1 : at + 2] == ["lock"]
        elif key == "via":
            length += words[at + 1 : at + 2] in (["inet"], ["inet6"])
        elif key not in _PAIRS and key not in _STATUS_PAIRS:
            key, length = _UNKNOWN, len(words) - at
        yield key, words[at : at + length]
        at += length


def _joined(parts: Iterator[Part]) -> str:
    return " ".join(word for _, words in parts for word in words)


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
        found: dict[str, str] = {}
        for key, words in _parts(text):
            found.setdefault(key, words[-1] if words else "")
        return cls(*(found.get(key, "") for key in ("", "dev", "metric", "tos")))

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


def default_devices(host: Host) -> list[str]:
    """The devices of the default routes, that which is taken first; IPv4's before IPv6's."""
    keys = (RouteKey.of(line) for family in ("4", "6") for line in _lines(host, family))
    return [key.device for key in keys if key.prefix == "default" and key.device]


def _why_not(family: str, line: str, alone: bool) -> str:
    found = dict(_parts(line))
    if "nexthop" in found or "nhid" in found:
        return "it has several next hops"
    if _UNKNOWN in found:
        return f"it has {found[_UNKNOWN][0]}, which tsq does not know how to write"
    if not alone:
        return "another has the same prefix and metric"
    if family == "6" and (found.get("proto") == ["proto", "kernel"] or "expires" in found):
        return "the kernel itself keeps it, with a lifetime"
    return ""


def with_control(text: str, control: str) -> str:
    """The same route with that congestion control."""
    kept = _joined(part for part in _parts(text) if part[0] != "congctl")
    return f"{kept} congctl {control}"


def by_device(text: str, device: str) -> str:
    """The same route by the device of that name."""
    return _joined((key, ["dev", device] if key == "dev" else words) for key, words in _parts(text))


def route_now(host: Host, family: str, key: RouteKey) -> list[str] | None:
    """The words of the route with that key, sorted: ip's own order is no promise."""
    for line in _lines(host, family):
        if RouteKey.of(line) == key:
            return sorted(words_of(_clean(line)))
    return None


def _lines(host: Host, family: str) -> Iterator[str]:
    words = ["ip", f"-{family}", "-details", "-oneline", "route", "show", "table", "main"]
    try:
        told = host.asked(words)
    except TsqError:
        if family == "6":  # a kernel without IPv6
            return
        raise
    # A next hop is a line of its own otherwise; a backslash alone may be a name's.
    yield from (line.replace("\\\t", " ") for line in told.split("\n") if line.strip())


def _clean(line: str) -> str:
    """Without what nobody may write."""
    return _joined(
        part for part in _parts(line) if part[0] not in _STATUS and part[0] not in _STATUS_PAIRS
    )
