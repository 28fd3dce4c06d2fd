# SPDX-License-Identifier: GPL-2.0-or-later
"""Lost MPDUs, and why they shorten the aggregates of a driver that forms them ahead.

The receiver acknowledges MPDUs one by one within a window of W sequence numbers, which begins
at the oldest one that is neither acknowledged nor given up. A sender may send nothing beyond
the window. It always has new frames, loses each MPDU with probability e, and repeats it up to a
number of times.

A driver keeps ``ahead`` aggregates in the hardware's queue, the one on the air included, so that
the hardware need not wait for it. When one is completed, new ones are formed until there are
so many again: first what has to be repeated, lowest number first, then new frames, as many as
the aggregate and the window hold. If nothing may be sent, no aggregate is formed until the next
completion.

With ``ahead`` = 1 a lost MPDU is in the very next aggregate. With 2, which is what ath9k does, it
is in the next but one: the aggregate between has been formed before the loss was known. All that
time the window stands still behind it. Two aggregates of 32 are the whole window of 64, so every
loss takes from the second aggregate what the window has not moved: 5 % of losses leave 20.2
MPDUs of 32 on average. Half the window at a time sounds careful, and is not.

Against it stands the ideal, the full aggregate every time, of which (1 - e) arrives:

    goodput = (1 - e) * subframes * payload / exchange(subframes)

Lost block acks are not here, nor is the lifetime of a frame.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tsqlab.model.sampling import BATCHES, Sampled, ratio


@dataclass(frozen=True)
class Sender:
    """How a driver aggregates and repeats."""

    subframes: int = 32  # the largest number of MPDUs in an aggregate
    ahead: int = 2  # how many aggregates the hardware's queue holds, with the one on the air
    window: int = 64  # the window of the block-ack agreement, in sequence numbers
    retries: int = 30  # how often an MPDU is sent again before it is given up


@dataclass(frozen=True)
class Air:
    """What the air makes of an aggregate."""

    error: float  # the probability that an MPDU is lost
    # How long an exchange of 1, 2, ... MPDUs takes, with the access to the medium.
    exchange_ns: Sequence[int]
    payload_bits: int  # the payload of an MPDU


@dataclass(frozen=True)
class Outcome:
    """What a run has shown."""

    subframes: Sampled  # the mean number of MPDUs in an aggregate
    goodput_bit_per_s: Sampled
    delivered: float  # the share of the frames that were not given up


@dataclass
class _Queue:
    """The sender's state; MPDUs are sequence numbers from 0 on that never wrap."""

    sender: Sender
    aggregates: deque[list[int]] = field(default_factory=deque)
    # The MPDUs that one aggregate has lost, in order.
    repeat: list[int] = field(default_factory=list)
    failures: dict[int, int] = field(default_factory=dict)
    # Numbers that were sent, or are to be sent again, and are not acknowledged.
    pending: set[int] = field(default_factory=set)
    new: int = 0  # the next number that was never sent
    start: int = 0  # where the window starts

    def fill(self) -> None:
        """Form aggregates until the hardware's queue is full, or nothing may be sent."""
        while len(self.aggregates) < self.sender.ahead:
            aggregate, self.repeat = self.repeat, []
            room = min(self.sender.subframes - len(aggregate),
                       self.start + self.sender.window - self.new)  # fmt: skip
            fresh = range(self.new, self.new + room)
            self.new += len(fresh)
            self.pending.update(fresh)
            aggregate += fresh
            if not aggregate:
                return
            self.aggregates.append(aggregate)

    def complete(self, aggregate: Sequence[int], lost: Sequence[bool]) -> tuple[int, int]:
        """Note what became of an aggregate; returns how many MPDUs arrived and were given up."""
        given_up = 0
        for number, is_lost in zip(aggregate, lost, strict=True):
            failures = self.failures.pop(number, 0) + 1
            if is_lost and failures <= self.sender.retries:
                self.failures[number] = failures
                self.repeat.append(number)
            else:
                self.pending.remove(number)
                given_up += is_lost
        while self.start < self.new and self.start not in self.pending:
            self.start += 1
        return len(aggregate) - sum(lost), given_up


def simulate(sender: Sender, air: Air, *, aggregates: int = 20_000, seed: int = 1) -> Outcome:
    """Send that many *aggregates*, in 20 batches after one that does not count."""
    if len(air.exchange_ns) < sender.subframes:
        raise ValueError(
            f"durations of up to {len(air.exchange_ns)} MPDUs are not enough for {sender.subframes}"
        )
    random = np.random.default_rng(seed)
    queue = _Queue(sender)
    per_batch = aggregates // BATCHES
    # A row for each batch: the MPDUs that were sent, arrived and were given up, and the time in ns.
    counts = np.zeros((BATCHES + 1, 4))
    for batch in range(BATCHES + 1):
        for _ in range(per_batch):
            queue.fill()
            aggregate = queue.aggregates.popleft()
            n = len(aggregate)
            became = queue.complete(aggregate, (random.random(n) < air.error).tolist())
            counts[batch] += (n, *became, air.exchange_ns[n - 1])
    sent, arrived, given_up, ns = counts[1:].T
    return Outcome(
        subframes=ratio(sent.tolist(), [per_batch] * BATCHES),
        goodput_bit_per_s=ratio((arrived * air.payload_bits).tolist(), (ns / 1e9).tolist()),
        delivered=float(arrived.sum() / (arrived.sum() + given_up.sum())),
    )


def ideal_goodput_bit_per_s(sender: Sender, air: Air) -> float:
    """What full aggregates would give: repeats cost their airtime and nothing else."""
    n = sender.subframes
    return (1 - air.error) * n * air.payload_bits * 1e9 / air.exchange_ns[n - 1]
