# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsq verify SERVER``: is it better, on this link, now? A against B, by turns, with an interval.

Each round is a test of Flent's with the host as it is (A) and one with each limit (B), in an
order that is drawn anew: what changes by and by on the link changes both. Of each round the
difference is taken, and of the rounds' mean difference a 95 % interval, by the bootstrap: nothing
is supposed of how goodput and latency are distributed. An interval that contains 0 says that so
many rounds do not tell.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from tsq.errors import TsqError

_DRAWS = 5000
_SEED = 1  # the interval of the same files is the same


@dataclass(frozen=True)
class Outcome:
    """What one test measured."""

    goodput_mbps: float
    ping_ms: float  # the median


@dataclass(frozen=True)
class Interval:
    """A mean difference and its 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def tells(self) -> bool:
        """Whether it excludes no difference."""
        return self.low > 0 or self.high < 0


def paired(before: Sequence[float], after: Sequence[float]) -> Interval:
    """Of the differences of pairs: at least two."""
    if len(before) != len(after) or len(before) < 2:
        raise TsqError("an interval needs two rounds at least")
    differences = [b - a for a, b in zip(before, after, strict=True)]
    draw = random.Random(_SEED)
    means = sorted(fmean(draw.choices(differences, k=len(differences))) for _ in range(_DRAWS))
    return Interval(
        fmean(differences), means[round(0.025 * (_DRAWS - 1))], means[round(0.975 * (_DRAWS - 1))]
    )


def read_outcome(path: Path) -> Outcome:
    """Of a .flent.gz of tcp_nup. TsqError if it is none."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            results = json.load(file)["results"]
        uploads, pings = results["TCP upload sum"], results["Ping (ms) ICMP"]
        # Flent pings before and after the upload, too.
        beside = [
            ping
            for ping, upload in zip(pings, uploads, strict=True)
            if ping is not None and upload is not None
        ]
        return Outcome(_mean(uploads), median(beside))
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise TsqError(f"{path}: is no complete result of flent's tcp_nup: {error!r}") from error


def _mean(values: Sequence[float | None]) -> float:
    return fmean(value for value in values if value is not None)


Run = Callable[[str, int], Outcome]
"""Runs a test with a setting ("as it is", or a number of ms as a text) in a round."""


def rounds(settings: Sequence[str], number: int, run: Run) -> Iterator[dict[str, Outcome]]:
    """The outcomes of each round, by setting."""
    draw = random.Random(_SEED)
    for count in range(1, number + 1):
        order = list(settings)
        draw.shuffle(order)
        yield {setting: run(setting, count) for setting in order}


def as_text(done: Sequence[dict[str, Outcome]], settings: Sequence[str]) -> Iterator[str]:
    """A row for each setting, and its difference from the first."""
    first = settings[0]
    yield f"{len(done)} rounds; the median of each, and the mean difference from {first!r} (95 %)"
    yield f"{'':12} {'Mbit/s':>8} {'difference':>26} {'ping, ms':>9} {'difference':>26}"
    for setting in settings:
        goodputs = [outcome[setting].goodput_mbps for outcome in done]
        pings = [outcome[setting].ping_ms for outcome in done]
        row = f"{setting:12} {median(goodputs):8.1f}"
        if setting == first:
            yield f"{row} {'':26} {median(pings):9.1f}"
            continue
        goodput = paired([outcome[first].goodput_mbps for outcome in done], goodputs)
        ping = paired([outcome[first].ping_ms for outcome in done], pings)
        yield f"{row} {_words(goodput):>26} {median(pings):9.1f} {_words(ping):>26}"
    yield "not known: what other hours, other stations of the cell, and other servers would show"


def _words(interval: Interval) -> str:
    tells = "" if interval.tells else " (?)"
    return f"{interval.mean:+.1f} [{interval.low:+.1f}, {interval.high:+.1f}]{tells}"
