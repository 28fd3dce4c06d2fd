# SPDX-License-Identifier: GPL-2.0-or-later
"""What has changed since an experiment's era: the verdicts in it beside those of today's hosts.

A paper speaks of hosts of its time, so its claims are judged in the experiment's own era alone.
What the same cells measure over hosts of today stands beside that, by the same bounds, and is
counted in no total but its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from tsqlab.report.table import in_parts
from tsqlab.report.verdicts import Outcome

JUDGED: tuple[Outcome, ...] = ("holds", "differs")


@dataclass(frozen=True)
class Today:
    """A claim's verdict over hosts of today, as text."""

    lab: str  # the number with its confidence interval
    outcome: Outcome
    mark: str  # the outcome as a sign
    note: str
    since: str  # the experiment's own era


class Judged(Protocol):
    """Whatever has a verdict in the experiment's own era and perhaps one of today."""

    @property
    def id(self) -> str:
        """The claim's name."""

    @property
    def outcome(self) -> Outcome:
        """The verdict in the experiment's own era."""

    @property
    def apart(self) -> str:
        """Why the totals leave it out; empty if they have it."""

    @property
    def today(self) -> Today | None:
        """The verdict of today; None where nobody asked for it."""


Row = TypeVar("Row", bound=Judged)


def today_of(rows: Iterable[Row]) -> list[Today]:
    """The verdicts of today on what is counted."""
    return [row.today for row in rows if row.today and not row.apart]


def judged(rows: Iterable[Row]) -> list[Row]:
    """What is counted and holds or differs in both eras."""
    return [row for row in rows if row.today and not row.apart
            and {row.outcome, row.today.outcome} <= {*JUDGED}]  # fmt: skip


def changed(rows: Iterable[Row]) -> list[Row]:
    """What is counted and holds in one of the two eras only."""
    return [row for row in judged(rows) if row.today and row.outcome != row.today.outcome]


def holds_today(rows: Sequence[Judged]) -> str:
    """How many of the claims that are counted hold today: "12", or "12 of 20" if not all ran."""
    counted = [row for row in rows if not row.apart]
    outcomes = [one.outcome for one in today_of(counted) if one.outcome in JUDGED]
    hold = outcomes.count("holds")
    if len(outcomes) == len(counted):
        return str(hold)
    return f"{hold} of {len(outcomes)}" if outcomes else "-"


def changed_lines(rows: Sequence[Judged], era: str) -> list[str]:
    """What has changed since *era*, as lines for the terminal; none where nothing was judged."""
    found = changed(rows)
    if not found:
        return [f"no verdict has changed since {era}"] if judged(rows) else []
    then = [row.id for row in found if row.outcome == "holds"]
    now = [row.id for row in found if row.outcome == "differs"]
    return [*in_parts(f"hold in {era} only", then), *in_parts("hold today only", now)]
