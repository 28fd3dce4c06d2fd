# SPDX-License-Identifier: GPL-2.0-or-later
"""Many saturated stations exactly: EDCA in continuous time, to the nanosecond.

Every station has a backoff counter and a time ``resume``, its first slot boundary after the
last busy period. It will transmit at resume + counter * slot. The earliest of all stations
begins; those that begin in the same nanosecond collide; the others sense it at once, having
taken one off their counter at each boundary that they have passed, the one at that very instant
included, and nothing if they were still in AIFS or EIFS. Then, with ends of PPDUs on the air:

    who                                     resumes at
    success: everybody                      end of the response + AIFS
    collision: a sender                     end of its own PPDU + AckTimeout + AIFS
               everybody else               end of the longest PPDU + (EIFS - DIFS) + AIFS
               a sender whose PPDU ends     the later of its own rule and
                 before another's           end of the longest PPDU + ``overlapped`` + AIFS

At 5 GHz AckTimeout is 45 us and EIFS - DIFS 60 us. So after a collision those who collided are
15 us ahead of the rest, which is more than a slot, and no multiple of one: until a success puts
everybody in step again, their boundaries fall between the others', and the two groups cannot
collide. No model with slots for steps shows that.

``overlapped`` is EIFS - DIFS here: the station ends in the middle of a PPDU that it cannot
decode. The standard's words suggest another reading: EIFS follows only the reception of a frame,
and a station that missed the preamble never began to receive one. ``overlapped`` is then 0. It
has no effect when all PPDUs are equally long.

A collision destroys everything (no capture), nobody is hidden, no frame is lost but in
collisions, and a station has one access category. With RTS the RTS is what collides:
``ppdu_ns`` is the RTS, and all that follows it is ``response_ns``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tsqlab.model.band import GHZ_5, Band
from tsqlab.model.edca import STATION, Access, eifs_extra_ns
from tsqlab.model.sampling import BATCHES, Sampled, ratio


@dataclass(frozen=True)
class Contender:
    """A station that always has a PPDU to send."""

    ppdu_ns: int
    # The time from the end of the PPDU to the end of the response: SIFS and the block ack.
    response_ns: int
    payload_bits: int  # the payload of a PPDU
    access: Access = STATION["BE"]
    attempts: int = 7  # the PPDU is given up after this many, and CW returns to CWmin


@dataclass(frozen=True)
class Recovery:
    """What follows a collision, before AIFS."""

    ack_timeout_ns: int  # how long a sender waits from the end of its own PPDU
    eifs_extra_ns: int  # how long the others wait from the end of the longest PPDU
    # How long a sender whose PPDU is not the longest waits from the end of the longest PPDU.
    overlapped_ns: int


def recovery(band: Band) -> Recovery:
    """What the standard says for a band."""
    extra_ns = eifs_extra_ns(band)
    return Recovery(band.ack_timeout_ns, extra_ns, extra_ns)


@dataclass(frozen=True)
class Outcome:
    """What a run has shown."""

    goodput_bit_per_s: Sampled  # the goodput of all stations together
    collision_probability: Sampled  # the probability that a transmission collides
    station_goodput_bit_per_s: tuple[Sampled, ...]
    given_up: int  # the number of PPDUs given up in the whole run


@dataclass
class _Station:
    contender: Contender
    resume_ns: int  # the first slot boundary after the last busy period
    counter: int = 0
    failures: int = 0

    def start_ns(self, slot_ns: int) -> int:
        return self.resume_ns + self.counter * slot_ns

    def count_down(self, until_ns: int, slot_ns: int) -> None:
        if until_ns >= self.resume_ns:
            self.counter -= (until_ns - self.resume_ns) // slot_ns + 1


@dataclass
class _Batch:
    """Sums over a part of the run."""

    stations: int
    elapsed_ns: int = 0
    transmissions: int = 0
    collided: int = 0
    bits: list[int] = field(init=False)  # how many bits each station has delivered

    def __post_init__(self) -> None:
        self.bits = [0] * self.stations


@dataclass
class _Medium:
    stations: list[_Station]
    slot_ns: int
    recovery: Recovery
    random: np.random.Generator
    aifs_ns: list[int]
    now_ns: int = 0  # when the last response, or the last PPDU that collided, ended
    given_up: int = 0

    def draw(self, station: _Station) -> None:
        window = station.contender.access.cw_after(station.failures)
        station.counter = int(self.random.integers(window + 1))

    def step(self, batch: _Batch) -> None:
        """One busy period, and the idle time before it."""
        starts = [station.start_ns(self.slot_ns) for station in self.stations]
        start_ns = min(starts)
        senders = [number for number, when in enumerate(starts) if when == start_ns]
        for number, station in enumerate(self.stations):
            if number not in senders:
                station.count_down(start_ns, self.slot_ns)
        before_ns = self.now_ns
        if len(senders) == 1:
            self.succeed(senders[0], start_ns, batch)
        else:
            self.collide(senders, start_ns)
            batch.collided += len(senders)
        batch.transmissions += len(senders)
        batch.elapsed_ns += self.now_ns - before_ns

    def succeed(self, sender: int, start_ns: int, batch: _Batch) -> None:
        station = self.stations[sender]
        contender = station.contender
        self.now_ns = start_ns + contender.ppdu_ns + contender.response_ns
        batch.bits[sender] += contender.payload_bits
        station.failures = 0
        self.draw(station)
        for number, other in enumerate(self.stations):
            other.resume_ns = self.now_ns + self.aifs_ns[number]

    def collide(self, senders: Sequence[int], start_ns: int) -> None:
        after = self.recovery
        self.now_ns = start_ns + max(self.stations[number].contender.ppdu_ns for number in senders)
        for number, station in enumerate(self.stations):
            idle_ns = self.now_ns + after.eifs_extra_ns
            if number in senders:
                own_ns = start_ns + station.contender.ppdu_ns
                idle_ns = own_ns + after.ack_timeout_ns
                if own_ns < self.now_ns:
                    idle_ns = max(idle_ns, self.now_ns + after.overlapped_ns)
                self.fail(station)
            station.resume_ns = idle_ns + self.aifs_ns[number]

    def fail(self, station: _Station) -> None:
        station.failures += 1
        if station.failures == station.contender.attempts:
            station.failures = 0
            self.given_up += 1
        self.draw(station)


def simulate(
    contenders: Sequence[Contender],
    busy_periods: int,
    *,
    band: Band = GHZ_5,
    after_collision: Recovery | None = None,
    seed: int = 1,
) -> Outcome:
    """Let the *contenders* contend for that many successes and collisions, in 20 batches.

    A batch more comes first, and does not count: in it the contention windows open.
    """
    medium = _Medium(
        stations=[_Station(contender, contender.access.aifs_ns(band)) for contender in contenders],
        slot_ns=band.slot_ns,
        recovery=after_collision or recovery(band),
        random=np.random.default_rng(seed),
        aifs_ns=[contender.access.aifs_ns(band) for contender in contenders],
    )
    for station in medium.stations:
        medium.draw(station)
    batches = [_Batch(len(contenders)) for _ in range(BATCHES + 1)]
    for batch in batches:
        for _ in range(busy_periods // BATCHES):
            medium.step(batch)
    return _outcome(batches[1:], medium.given_up)


def _outcome(batches: Sequence[_Batch], given_up: int) -> Outcome:
    seconds = [batch.elapsed_ns / 1e9 for batch in batches]
    stations = range(batches[0].stations)
    return Outcome(
        goodput_bit_per_s=ratio([sum(batch.bits) for batch in batches], seconds),
        collision_probability=ratio(
            [batch.collided for batch in batches], [batch.transmissions for batch in batches]
        ),
        station_goodput_bit_per_s=tuple(
            ratio([batch.bits[number] for batch in batches], seconds) for number in stations
        ),
        given_up=given_up,
    )
