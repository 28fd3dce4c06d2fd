# SPDX-License-Identifier: GPL-2.0-or-later
"""Verdicts as people read them: the paper's statement beside the lab's number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tsqlab.experiment.claims import Claim, claims_of
from tsqlab.experiment.era import TODAY
from tsqlab.experiment.reference import reference_of
from tsqlab.experiment.stored import Folder
from tsqlab.report.since import Today, changed_lines, today_of
from tsqlab.report.table import aligned, format_estimate, heading
from tsqlab.report.verdicts import OUTCOMES, Outcome, Verdict, check

# Comparisons whose number does not have the quantity's unit.
_BARE = ("ratio", "step", "span", "knee")
_MARKS: dict[Outcome, str] = {"holds": "✓", "differs": "✗", "not comparable": "≠", "not run": "–"}
RARE = ("not comparable",)  # outcomes that totals name only where there are any


@dataclass(frozen=True)
class ClaimRow:
    """A verdict as text."""

    id: str
    context: str
    statement: str
    paper: str
    what: str  # the quantity, and the settings that it is about
    accepted: str
    lab: str  # the number with its confidence interval
    outcome: Outcome
    mark: str  # the outcome as a sign
    note: str
    kernel: str
    why: str
    # Why the lab's number differs. It is empty, as is the evidence, when it does not, and over a
    # kernel of which nobody has found out why.
    explanation: str
    evidence: str
    cause: str = ""  # the name of the cause, of what differs over whatever kernel
    apart: str = ""  # why the totals leave it out; empty if they have it
    fitted: bool = False  # whether that is because values were fitted to it
    today: Today | None = None  # the verdict over hosts of today; None where nobody asked for it


@dataclass(frozen=True)
class Judgement:
    """A claim's verdict in the experiment's own era, and over hosts of today where they ran."""

    own: Verdict
    today: Verdict | None = None  # None where nobody asked for it


@lru_cache(maxsize=1)  # a folder's page, the page of all folders and the terminal have them
def judgements(folder: Folder) -> tuple[Judgement, ...]:
    """The verdicts on the claims about a folder's experiment; none where no paper claims any."""
    name = folder.manifest.experiment
    if not (claims := claims_of(name)):
        return ()
    reference = reference_of(name) if folder.whole.results else None
    own = check(folder, claims, reference)
    if folder.today is None:
        return tuple(map(Judgement, own))
    of_today = reference.as_of(TODAY) if reference else None
    today = {(verdict.claim.id, verdict.context): verdict
             for verdict in check(folder.today, claims, of_today)}  # fmt: skip
    # Cells that are not done yet may not tell which context they belong to.
    return tuple(
        Judgement(verdict, today.get((verdict.claim.id, verdict.context))
                  or Verdict(verdict.claim, "not run", None))
        for verdict in own
    )  # fmt: skip


@lru_cache(maxsize=1)
def claim_rows(folder: Folder) -> tuple[ClaimRow, ...]:
    """The claims about a folder's experiment; none where no paper claims anything."""
    return tuple(
        claim_row(one.own, _today(one.today, folder.manifest.era) if one.today else None)
        for one in judgements(folder)
    )


def claims_table(folder: Folder, report: Path | None = None) -> str:
    """A folder's claims as a table for the terminal; empty when there are none.

    *report* is the page that explains what differs.
    """
    rows = claim_rows(folder)
    if not rows:
        return ""
    head = ["claim", "paper", "accepted", "lab", *(["today"] if folder.today else []), "verdict"]
    fields = [head, *(_fields(row) for row in rows)]
    lines = [*aligned(fields, left=len(head)), "", totals(rows)]
    if folder.today:
        lines += [totals_today(rows), *changed_lines(rows, folder.manifest.era)]
    explained = sum(bool(row.explanation) for row in rows)
    if report and explained:
        who = "it differs" if explained == 1 else f"{explained} differ"
        lines.append(f"why {who}, and what shows it: {report}")
    return "\n".join(lines)


def totals(rows: Sequence[ClaimRow]) -> str:
    """How many claims hold, differ and were not run: "3 hold, 1 differs, 2 not run".

    Those that are not comparable are counted apart, where there are any; so are those that the
    totals leave out.
    """
    left_out = sum(bool(row.apart) for row in rows)
    counted = _counted(row.outcome for row in rows if not row.apart)
    return f"claims: {counted}" + (f"; {left_out} not counted" if left_out else "")


def totals_today(rows: Sequence[ClaimRow]) -> str:
    """The same of what is counted over hosts of today: "today: 3 hold, 1 differs, 0 not run"."""
    return f"today: {_counted(today.outcome for today in today_of(rows))}"


def _counted(outcomes: Iterable[Outcome]) -> str:
    count = Counter(outcomes)
    plural = {"holds": "hold", "differs": "differ"}
    return ", ".join(
        f"{count[outcome]} {outcome if count[outcome] == 1 else plural.get(outcome, outcome)}"
        for outcome in OUTCOMES
        if count[outcome] or outcome not in RARE
    )


def _fields(row: ClaimRow) -> list[str]:
    name = f"{row.id} ({row.context})" if row.context else row.id
    verdict = f"{row.outcome}: {row.note}" if row.note else row.outcome
    verdict += f" (not counted: {row.apart})" if row.apart else ""
    today = [f"{row.today.lab} {row.today.outcome}".lstrip()] if row.today else []
    return [name, row.paper, row.accepted, row.lab, *today, verdict]


def claim_row(verdict: Verdict, today: Today | None = None) -> ClaimRow:
    """A verdict as text."""
    claim = verdict.claim
    explained = verdict.outcome == "differs" and verdict.explained
    return ClaimRow(
        id=claim.id,
        context=verdict.context,
        statement=claim.statement,
        paper=claim.paper,
        what=_what(claim),
        accepted=_with_unit(_accepted(claim), claim),
        lab=_lab(verdict),
        outcome=verdict.outcome,
        mark=_MARKS[verdict.outcome],
        note=verdict.note,
        kernel=verdict.kernel,
        why=claim.why,
        explanation=claim.explanation if explained else "",
        evidence=claim.evidence if explained else "",
        cause=claim.cause if verdict.outcome == "differs" else "",
        apart=claim.apart,
        fitted=bool(claim.fitted),
        today=today,
    )


def _today(verdict: Verdict, since: str) -> Today:
    outcome = verdict.outcome
    return Today(_lab(verdict), outcome, _MARKS[outcome], verdict.note, since)


def _what(claim: Claim) -> str:
    """The quantity and the settings: "TCP RTT median, L10M: NoTSQ / TSQ"."""
    name = heading(claim.metric)[0]
    if claim.over:
        place = ", ".join([name, *map(str, claim.of.values())])
        return f"{place}: {claim.compare} of {', '.join(map(str, claim.levels))}"
    same = [
        str(level) for factor, level in claim.of.items() if claim.to.get(factor, level) == level
    ]
    place = ", ".join([name, *same])
    if not claim.to:
        return place
    of, to = (
        " ".join(
            str(level) for factor, level in side.items() if claim.of[factor] != claim.to[factor]
        )
        for side in (claim.of, claim.to)
    )
    return f"{place}: {of} {'/' if claim.compare == 'ratio' else '−'} {to}"


def _accepted(claim: Claim) -> str:
    if claim.lower is None:
        return f"at most {claim.upper:g}"
    if claim.upper is None:
        return f"at least {claim.lower:g}"
    return f"{claim.lower:g} to {claim.upper:g}"


def _lab(verdict: Verdict) -> str:
    if verdict.lab is None:
        return "" if verdict.outcome == "not run" else "none"
    return _with_unit(format_estimate(verdict.lab), verdict.claim)


def _with_unit(text: str, claim: Claim) -> str:
    return f"{text} {unit_of(claim)}".rstrip()


def unit_of(claim: Claim) -> str:
    """The unit of a claim's bounds and of the lab's number; empty if they have none."""
    return "" if claim.compare in _BARE else heading(claim.metric)[1]
