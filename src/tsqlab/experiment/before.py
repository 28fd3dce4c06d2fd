# SPDX-License-Identifier: GPL-2.0-or-later
"""What ran before a cell, in the same guest: a campaign's memory.

A tester runs many tests in a row on the same hosts, and TCP remembers something of each
destination: the RTT, and until v5.6 also ssthresh, with which the next flow begins (an era from
before that has it back). So a cell may be one that follows others: its own test with other
congestion controls, without pings. Each runs for its time, and then the hosts rest until what was
queued has gone out and the flows have ended, which is when TCP takes its note.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

from tsqlab.experiment.flow_table import CONTROL_NAME
from tsqlab.experiment.invalid import shown
from tsqlab.units import Duration

REST = Duration.of("5 s")
"""The time between the end of one test and the start of the next. It is chosen: Flent's tests have
as long a ping alone after the flows."""

TESTS_MAX = 20
_LENGTHS = Duration.of("100 ms"), Duration.of("60 min")
_NOTHING = "none"
_TEST = re.compile(rf"({CONTROL_NAME}) +(\S+ ?\S+)")


@dataclass(frozen=True)
class Earlier:
    """A test that ran before."""

    congestion_control: str
    length: Duration

    @classmethod
    def of(cls, text: str) -> Earlier:
        """The test that a text such as "cubic 10 s" says. Raises ValueError."""
        match = _TEST.fullmatch(text)
        if not match:
            raise ValueError(
                'expected a congestion control and how long it sent, as "cubic 10 s", '
                f"not {shown(text)}"
            )
        length = Duration.of(match[2])
        if not _LENGTHS[0] <= length <= _LENGTHS[1]:
            raise ValueError(f'"{text}": expected {_LENGTHS[0].text} to 60 min')
        return cls(match[1], length)

    def __str__(self) -> str:
        """It as a file has it."""
        return f"{self.congestion_control} {self.length.text}"


def earlier(before: Sequence[str]) -> tuple[Earlier, ...]:
    """The tests that ran before, the first one first."""
    return tuple(map(Earlier.of, before))


def time_before(before: Sequence[str]) -> Duration:
    """How long all of that takes."""
    return Duration(sum(test.length + REST for test in earlier(before)))


def _listed(value: object) -> object:
    """Tests in a text, with commas between, as a list; that is how a matrix has its levels."""
    if isinstance(value, str):
        return [] if value.strip() == _NOTHING else [text.strip() for text in value.split(",")]
    if not isinstance(value, list | tuple):
        raise ValueError(f'expected tests as "cubic 10 s", or "{_NOTHING}", not {shown(value)}')
    return value


def _checked(tests: tuple[str, ...]) -> tuple[str, ...]:
    if len(tests) > TESTS_MAX:
        raise ValueError(f"{len(tests)} tests; expected {TESTS_MAX} at most")
    return tuple(map(str, earlier(tests)))


Before = Annotated[tuple[str, ...], BeforeValidator(_listed), AfterValidator(_checked)]
