# SPDX-License-Identifier: GPL-2.0-or-later
"""Looks at all flows some twenty times a second, and what follows for each.

One look shows an instant. What a flow is held back by is what most looks show, but for two
answers that the kernel itself gives as times: those for which the receiver's window and the send
buffer held it up. From shares of looks, a binomial's: of 20 looks a share of a half is uncertain
by a fifth.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from tsq.devices import Device
from tsq.errors import TsqError
from tsq.flows import Flow, read_flows
from tsq.host import Host
from tsq.knobs import read_knobs
from tsq.routes import words_of
from tsq.view import Exact, View, view_of

LOOKS_PER_S = 20
_HALF = 0.5


@dataclass(frozen=True)
class Answer:
    """What a flow was held back by."""

    binds: str  # a term of the limit, or what other than TSQ
    share: float  # of the looks, or of the time where the kernel tells one
    by: str  # whose word it is: looks, or the kernel's clock


@dataclass(frozen=True)
class Sampled:
    """A flow over some looks."""

    views: tuple[View, ...]
    duration_s: float

    @property
    def last(self) -> View:
        """As it was at the last look."""
        return self.views[-1]

    @property
    def looks(self) -> int:
        """How many there were."""
        return len(self.views)

    @property
    def sent_bytes(self) -> int:
        """What it sent from the first look to the last."""
        return self.last.flow.sent_bytes - self.views[0].flow.sent_bytes

    @property
    def busy(self) -> bool:
        """Whether it sent at all or had anything to send."""
        return busy([view.flow for view in self.views])

    @property
    def below_bytes(self) -> float:
        """The median of what was below TCP."""
        return median(view.flow.below_bytes for view in self.views)

    @property
    def limit_bytes(self) -> float:
        """The median of its limit."""
        return median(view.limit.bytes for view in self.views)

    @property
    def limited_share(self) -> float:
        """The share of the looks at which TSQ held it back."""
        return sum(view.held_by == "TSQ" for view in self.views) / len(self.views)

    @property
    def answer(self) -> Answer:
        """What binds."""
        first, last = self.views[0].flow, self.last.flow
        busy = last.busy_us - first.busy_us
        if busy > 0:
            for name, us in (
                ("receiver", last.receiver_us - first.receiver_us),
                ("send buffer", last.buffer_us - first.buffer_us),
            ):
                if us / busy >= _HALF:
                    return Answer(name, min(us / busy, 1.0), "the kernel's clock")
        holders = Counter(view.held_by for view in self.views)
        del holders["nothing"]
        if not holders:
            return Answer("nothing", 1.0, "looks")
        holder, count = holders.most_common(1)[0]
        share = count / len(self.views)
        if holder != "TSQ":
            return Answer(holder, share, "looks")
        terms = Counter(view.limit.binds for view in self.views if view.held_by == "TSQ")
        return Answer(terms.most_common(1)[0][0], share, "looks")


Reader = Callable[[], Sequence[Flow]]
ExactReader = Callable[[], Mapping[int, Exact]]


def sample(
    host: Host,
    devices: Mapping[str, Device],
    duration_s: float,
    *,
    flows: Reader = read_flows,
    exact: ExactReader | None = None,
) -> list[Sampled]:
    """All flows that sent or wanted to, over that time; those that end meanwhile as far as they
    go."""
    seen: dict[int, list[_Look]] = {}
    for _ in _ticks(duration_s):
        # sock_diag is what gives a flow its cookie, by which BPF's rows are found.
        now, at_s = flows(), time.monotonic()
        exacts = exact() if exact else {}
        for flow in now:
            seen.setdefault(flow.cookie, []).append(_Look(at_s, flow, exacts.get(flow.cookie)))
    # A server has thousands of flows; who is idle need not be asked for a way.
    knobs, ways = read_knobs(host), Ways(host, devices)
    return [
        Sampled(
            tuple(view_of(look.flow, ways.device(look.flow), knobs, look.exact) for look in looks),
            looks[-1].at_s - looks[0].at_s,
        )
        for looks in seen.values()
        if busy([look.flow for look in looks])
    ]


@dataclass(frozen=True)
class _Look:
    at_s: float
    flow: Flow
    exact: Exact | None


def busy(looks: Sequence[Flow]) -> bool:
    """Whether a flow sent at all, or had anything to send."""
    return looks[-1].sent_bytes > looks[0].sent_bytes or any(flow.unsent_bytes for flow in looks)


def _ticks(duration_s: float) -> Iterator[None]:
    """A look now and one each 50 ms; one that comes late is not made up for.

    The time counts from the end of the first, before which modules are loaded.
    """
    end = None
    while True:
        due = time.monotonic() + 1 / LOOKS_PER_S
        yield
        now = time.monotonic()
        end = now + duration_s if end is None else end
        if now >= end:
            return
        time.sleep(max(min(due, end) - now, 0))


class Ways:
    """The device by which each flow leaves, asked of the kernel once for each destination."""

    def __init__(self, host: Host, devices: Mapping[str, Device]) -> None:
        """Nothing is asked yet."""
        self._host, self._devices = host, devices
        self._names = {device.index: device.name for device in devices.values()}
        self._known: dict[tuple[str, str, int], Device | None] = {}

    def device(self, flow: Flow) -> Device | None:
        """None where there is no route any more."""
        ends = (flow.source, flow.destination, flow.interface)
        if ends not in self._known:
            self._known[ends] = self._asked(flow)
        return self._known[ends]

    def _asked(self, flow: Flow) -> Device | None:
        words = ["ip", "-oneline", "route", "get", flow.destination, "from", flow.source]
        if flow.interface and flow.interface in self._names:  # a VRF has a table of its own
            words += ["oif", self._names[flow.interface]]
        try:
            told = words_of(self._host.asked(words))
        except TsqError:
            return None
        # A name comes after "dev", wherever that is in the line.
        return next(
            (self._devices.get(name) for word, name in pairwise(told) if word == "dev"),
            None,
        )
