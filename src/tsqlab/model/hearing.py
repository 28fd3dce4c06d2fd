# SPDX-License-Identifier: GPL-2.0-or-later
"""Stations and relays of which not all hear each other, exactly: EDCA on a graph.

:mod:`tsqlab.model.contention` has one busy period at a time, which everybody hears. Where some do
not, frames overlap in any way, and so this is a simulation of the frames themselves, each with its
beginning and its end, in continuous time.

    who hears a frame                    its medium is busy from the first to the last ns
    and hears another at the same time   decodes neither
    and sends itself meanwhile           decodes it not
    who could not decode it              waits EIFS - DIFS + AIFS from its end, unless it decodes
                                         another frame first
    who decodes it, as a bystander       is silent for its Duration, which is the rest of the
                                         exchange (NAV)
    who gets no response                 knows AckTimeout after its own frame, counts AIFS from
                                         there, and draws from a doubled window
    who gets it garbled                  knows at its end

A response comes SIFS after a frame whoever else is on the air. A CTS comes only from a station
whose NAV is over. Someone who has sent during a frame knows nothing of it but that the medium is
busy: no EIFS. A NAV is not taken back when an exchange breaks off. What is due at the instant of an
access comes before it.

A saturated node always has something to send. Any other sends on what it receives, to its next hop,
from a queue without a limit. A node has one PPDU at a time: it is formed when the one before is
over, or when the first frame comes, of what is there at that instant. A frame that comes to a node
whose counter is 0 waits for the next slot boundary if the medium is idle for it, and otherwise
draws a backoff. A PPDU that fails ``attempts`` times is formed anew; no frame is ever given up.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from tsqlab.model.edca import STATION, Access, eifs_extra_ns
from tsqlab.model.exchange import Exchange, Settings, exchange
from tsqlab.model.phy import Rate
from tsqlab.model.ppdu import cts_ns, rts_ns
from tsqlab.model.sampling import BATCHES, Sampled, ratio


@dataclass(frozen=True)
class Node:
    """A station, and what it does."""

    hears: frozenset[int]  # the nodes whose frames it senses, by number
    to: int | None = None  # the node that it sends to; None: it only responds
    saturated: bool = False  # whether it has frames of its own, and no end of them
    access: Access = STATION["BE"]


@dataclass(frozen=True)
class Traffic:
    """What all that send have in common."""

    rate: Rate
    mpdu_bytes: int
    subframes: int = 1  # the most MPDUs in a PPDU
    settings: Settings = Settings()  # noqa: RUF009  (it is frozen)
    attempts: int = 7  # a PPDU is formed anew after this many, and CW returns to CWmin


@dataclass(frozen=True)
class Outcome:
    """What a run has shown."""

    received_per_s: tuple[Sampled, ...]  # MPDUs that came to each node, counted once
    failure_probability: Sampled  # how likely an attempt, RTS or PPDU, gets no response


@dataclass
class _Frame:
    sender: int
    garbled: set[int] = field(default_factory=set)  # who hears another at the same time
    deaf: set[int] = field(default_factory=set)  # who sends at the same time


@dataclass
class _State:
    """Where a node is."""

    node: Node
    heard_by: list[int]  # who senses it
    queue: float  # frames that wait: infinitely many, if it is saturated
    counter: int = 0
    failures: int = 0
    ppdu: int = 0  # frames in the PPDU that is ready or under way; 0: there is none
    came: bool = False  # whether they have come to the receiver
    sends: bool = False  # an exchange of its own is under way
    asked_ns: int = 0  # when it began to contend
    idle_ns: int = 0  # the medium is not busy with frames, nor its own exchange, from then on
    nav_ns: int = 0
    eifs_ns: int = 0

    @property
    def silent_until_ns(self) -> int:
        return max(self.idle_ns, self.nav_ns, self.eifs_ns)


@dataclass
class _Batch:
    """Sums over a part of the run."""

    received: list[int]  # frames that came to each node
    attempts: int = 0
    failed: int = 0


class _Air:
    """The simulation: nodes, frames on the air, and what is due when."""

    def __init__(self, nodes: Sequence[Node], traffic: Traffic, seed: int) -> None:
        self.states = []
        for number, node in enumerate(nodes):
            heard_by = [n for n, other in enumerate(nodes) if number in other.hears]
            self.states.append(_State(node, heard_by, math.inf if node.saturated else 0))
        self.exchanges = [
            exchange(traffic.rate, traffic.mpdu_bytes, size, traffic.settings)
            for size in range(1, traffic.subframes + 1)
        ]
        self.band, self.attempts = traffic.settings.band, traffic.attempts
        self.rts = traffic.settings.rts
        self.rts_ns, self.cts_ns = rts_ns(traffic.rate, self.band), cts_ns(traffic.rate, self.band)
        self.random = np.random.default_rng(seed)
        self.due: list[tuple[int, int, Callable[[], None]]] = []
        self.order = itertools.count()
        self.on_air: list[_Frame] = []
        self.now_ns = 0
        self.batch = _Batch([])
        for state in self.states:
            self.form(state)
            self.draw(state)

    def at(self, when_ns: int, action: Callable[[], None]) -> None:
        heapq.heappush(self.due, (when_ns, next(self.order), action))

    def run(self, until_ns: int, batch: _Batch) -> None:
        self.batch = batch
        while True:
            starts = {
                number: self.access_ns(state)
                for number, state in enumerate(self.states)
                if state.ppdu and not state.sends
            }
            access_ns = min(starts.values(), default=until_ns)
            if self.due and self.due[0][0] <= min(access_ns, until_ns):
                self.now_ns, _, action = heapq.heappop(self.due)
                action()
            elif access_ns < until_ns:
                self.now_ns = access_ns
                for number in [n for n, when_ns in starts.items() if when_ns == access_ns]:
                    self.begin(number)
            else:
                return

    # Access

    def boundary_ns(self, state: _State) -> int:
        return state.silent_until_ns + state.node.access.aifs_ns(self.band)

    def access_ns(self, state: _State) -> int:
        first_ns, slot_ns = self.boundary_ns(state), self.band.slot_ns
        missed = -((first_ns - state.asked_ns) // slot_ns)  # boundaries before it asked
        return first_ns + max(state.counter, missed) * slot_ns

    def count_down(self, state: _State) -> None:
        first_ns = self.boundary_ns(state)
        if not state.sends and self.now_ns >= first_ns:
            passed = (self.now_ns - first_ns) // self.band.slot_ns + 1
            state.counter = max(0, state.counter - passed)

    def draw(self, state: _State) -> None:
        state.counter = int(self.random.integers(state.node.access.cw_after(state.failures) + 1))

    def form(self, state: _State) -> None:
        """Form a PPDU, if there is none, of what is there."""
        if not state.ppdu and state.node.to is not None:
            state.ppdu = int(min(len(self.exchanges), state.queue))
            state.queue -= state.ppdu
            state.came = False

    def arrive(self, state: _State) -> None:
        """A frame comes to a relay's queue."""
        state.queue += 1
        if not state.ppdu:
            self.form(state)
            state.asked_ns = self.now_ns
            if not state.counter and self.now_ns < state.silent_until_ns:
                self.draw(state)

    # Frames

    def send(self, sender: int, length_ns: int, then: Callable[[_Frame], None]) -> None:
        """Put a frame on the air, and do *then* at its end."""
        state = self.states[sender]
        frame = _Frame(sender, deaf={sender})
        for other in self.on_air:
            frame.garbled.update(self.states[other.sender].heard_by)
            frame.deaf.add(other.sender)
            other.garbled.update(state.heard_by)
            other.deaf.add(sender)
        self.on_air.append(frame)
        for hearer in (state, *(self.states[number] for number in state.heard_by)):
            if hearer.silent_until_ns < self.now_ns:
                self.count_down(hearer)
            hearer.idle_ns = max(hearer.idle_ns, self.now_ns + length_ns)
        self.at(self.now_ns + length_ns, lambda: then(frame))

    def end(self, frame: _Frame, rest_ns: int, parties: tuple[int, int]) -> None:
        """Let those who hear the frame draw their conclusions; its exchange goes on *rest_ns*."""
        self.on_air.remove(frame)
        for number in set(self.states[frame.sender].heard_by) - frame.deaf:
            state = self.states[number]
            if number in frame.garbled:
                state.eifs_ns = self.now_ns + eifs_extra_ns(self.band)
                continue
            state.eifs_ns = 0
            if number not in parties:
                state.nav_ns = max(state.nav_ns, self.now_ns + rest_ns)

    def decodes(self, number: int, frame: _Frame) -> bool:
        hears = frame.sender in self.states[number].node.hears
        return hears and number not in frame.garbled | frame.deaf

    # An exchange: RTS, CTS, PPDU, response

    def begin(self, sender: int) -> None:
        state = self.states[sender]
        assert state.node.to is not None  # it has a PPDU, which form() gives to nobody else
        self.batch.attempts += 1
        # The countdown is over: nothing is left of it.
        state.counter, state.sends = 0, True
        _Exchange(self, sender, state.node.to, self.exchanges[state.ppdu - 1]).begin()

    def timeout(self, sender: int) -> None:
        self.at(self.now_ns + self.band.ack_timeout_ns, lambda: self.over(sender, answered=False))

    def over(self, sender: int, *, answered: bool) -> None:
        state = self.states[sender]
        state.sends, state.idle_ns = False, max(state.idle_ns, self.now_ns)
        if answered:
            state.failures = state.ppdu = 0
        else:
            self.batch.failed += 1
            state.failures = (state.failures + 1) % self.attempts
            if not state.failures and not state.came:
                state.queue += state.ppdu
                state.ppdu = 0
        self.form(state)
        self.draw(state)

    def deliver(self, sender: int, receiver: int) -> None:
        state = self.states[sender]
        if state.came:  # before; the response got lost
            return
        state.came = True
        self.batch.received[receiver] += state.ppdu
        if self.states[receiver].node.to is not None:
            for _ in range(state.ppdu):
                self.arrive(self.states[receiver])


class _Exchange:
    """One attempt, frame by frame."""

    def __init__(self, air: _Air, sender: int, receiver: int, lengths: Exchange) -> None:
        self.air, self.sender, self.receiver, self.lengths = air, sender, receiver, lengths
        self.data_ns = lengths.ppdu_ns + lengths.sifs_ns + lengths.response_ns

    def later(self, action: Callable[[], None]) -> None:
        self.air.at(self.air.now_ns + self.lengths.sifs_ns, action)

    def end(self, frame: _Frame, rest_ns: int) -> None:
        self.air.end(frame, rest_ns, (self.sender, self.receiver))

    def begin(self) -> None:
        if self.air.rts:
            self.air.send(self.sender, self.air.rts_ns, self.rts_ends)
        else:
            self.data()

    def rts_ends(self, frame: _Frame) -> None:
        self.end(frame, 2 * self.lengths.sifs_ns + self.air.cts_ns + self.data_ns)
        free = self.air.states[self.receiver].nav_ns <= self.air.now_ns
        if free and self.air.decodes(self.receiver, frame):
            self.later(lambda: self.air.send(self.receiver, self.air.cts_ns, self.cts_ends))
        else:
            self.air.timeout(self.sender)

    def cts_ends(self, frame: _Frame) -> None:
        self.end(frame, self.lengths.sifs_ns + self.data_ns)
        if self.air.decodes(self.sender, frame):
            self.later(self.data)
        else:
            self.air.over(self.sender, answered=False)

    def data(self) -> None:
        self.air.send(self.sender, self.lengths.ppdu_ns, self.data_ends)

    def data_ends(self, frame: _Frame) -> None:
        sifs_ns, response_ns = self.lengths.sifs_ns, self.lengths.response_ns
        self.end(frame, sifs_ns + response_ns)
        if self.air.decodes(self.receiver, frame):
            self.air.deliver(self.sender, self.receiver)
            self.later(lambda: self.air.send(self.receiver, response_ns, self.response_ends))
        else:
            self.air.timeout(self.sender)

    def response_ends(self, frame: _Frame) -> None:
        self.end(frame, 0)
        self.air.over(self.sender, answered=self.air.decodes(self.sender, frame))


def simulate(nodes: Sequence[Node], traffic: Traffic, seconds: float, seed: int = 1) -> Outcome:
    """Let the *nodes* send for so long, in 20 batches; one more comes first, and does not count."""
    air = _Air(nodes, traffic, seed)
    length_ns = round(seconds * 1e9 / BATCHES)
    batches = [_Batch([0] * len(nodes)) for _ in range(BATCHES + 1)]
    for number, batch in enumerate(batches, 1):
        air.run(number * length_ns, batch)
    counted = batches[1:]
    lengths_s = [length_ns / 1e9] * BATCHES
    return Outcome(
        tuple(
            ratio([batch.received[number] for batch in counted], lengths_s)
            for number in range(len(nodes))
        ),
        ratio([batch.failed for batch in counted], [batch.attempts for batch in counted]),
    )
