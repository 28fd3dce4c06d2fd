# SPDX-License-Identifier: GPL-2.0-or-later
"""Verdicts as people read them: the paper's words beside the lab's number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tsqlab.experiment.claims import Claim, claims_of
from tsqlab.experiment.stored import Folder
from tsqlab.report.table import aligned, format_estimate, heading
from tsqlab.report.verdicts import WORDS, Verdict, Word, check

_BARE = ("ratio", "step", "span", "knee")  # without the quantity's unit
_MARKS: dict[Word, str] = {"holds": "✓", "differs": "✗", "not run": "–"}


@dataclass(frozen=True)
class Line:
    """A verdict as text."""

    id: str
    context: str
    words: str
    paper: str
    what: str  # the quantity, and of which settings
    accepted: str
    lab: str  # with its confidence interval
    word: Word
    mark: str  # the same as a sign
    note: str
    kernel: str
    why: str
    explanation: str  # of a claim that differs
    evidence: str


def claim_lines(folder: Folder) -> list[Line]:
    """The claims about a folder's experiment; none where no paper claims anything."""
    claims = claims_of(folder.manifest.experiment)
    return [_line(verdict) for verdict in check(folder, claims)]


def claims_table(folder: Folder) -> str:
    """A folder's claims as a table for the terminal; empty when there are none."""
    lines = claim_lines(folder)
    if not lines:
        return ""
    head = ["claim", "paper", "accepted", "lab", "verdict"]
    rows = [head, *(_row(line) for line in lines)]
    return "\n".join([*aligned(rows, left=len(head)), "", totals(lines)])


def totals(lines: Sequence[Line]) -> str:
    """How many claims hold, differ and were not run: "3 hold, 1 differs, 2 not run"."""
    count = Counter(line.word for line in lines)
    several = {"holds": "hold", "differs": "differ"}
    words = (f"{count[word]} {word if count[word] == 1 else several.get(word, word)}"
             for word in WORDS)  # fmt: skip
    return f"claims: {', '.join(words)}"


def _row(line: Line) -> list[str]:
    name = f"{line.id} ({line.context})" if line.context else line.id
    verdict = f"{line.word}: {line.note}" if line.note else line.word
    return [name, line.paper, line.accepted, line.lab, verdict]


def _line(verdict: Verdict) -> Line:
    claim = verdict.claim
    differs = verdict.word == "differs"
    return Line(
        id=claim.id,
        context=verdict.context,
        words=claim.words,
        paper=claim.paper,
        what=_what(claim),
        accepted=_with_unit(_accepted(claim), claim),
        lab=_lab(verdict),
        word=verdict.word,
        mark=_MARKS[verdict.word],
        note=verdict.note,
        kernel=verdict.kernel,
        why=claim.why,
        explanation=claim.explanation if differs else "",
        evidence=claim.evidence if differs else "",
    )


def _what(claim: Claim) -> str:
    """The quantity and the settings: "TCP RTT median, L10M: NoTSQ / TSQ"."""
    name = heading(claim.quantity)[0]
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
        return "" if verdict.word == "not run" else "none"
    return _with_unit(format_estimate(verdict.lab), verdict.claim)


def _with_unit(text: str, claim: Claim) -> str:
    unit = "" if claim.compare in _BARE else heading(claim.quantity)[1]
    return f"{text} {unit}".rstrip()
