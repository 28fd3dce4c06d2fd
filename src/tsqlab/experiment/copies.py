# SPDX-License-Identifier: GPL-2.0-or-later
"""Which claims are one and the same: the same quantity of the same cells within the same bounds.

Papers repeat themselves, from figure to figure, and experiments share cells. A claim that another
one has already made says so (``same_as``), and the totals count it once. Here they are found, by
what the keys of their cells came to, whichever way they were written.

A claim about one point of another's curve is no copy, nor is one that accepts other numbers: either
can hold where the other differs.
"""

from __future__ import annotations

from collections.abc import Hashable

from tsqlab.experiment.bundled import bundled_claims
from tsqlab.experiment.claims import Claim, claims_of
from tsqlab.experiment.conditions import Conditions
from tsqlab.experiment.reference import FREE, Reference, reference_of
from tsqlab.experiment.shown import Report


def groups() -> list[list[Claim]]:
    """The bundled claims that are one and the same, two or more each, in their files' order."""
    found: dict[Hashable, list[Claim]] = {}
    for name in bundled_claims():
        reference = reference_of(name)
        assert reference, "claims are of a bundled experiment"
        for claim in claims_of(name):
            found.setdefault(_asked(claim, reference), []).append(claim)
    return [same for same in found.values() if len(same) > 1]


def _asked(claim: Claim, reference: Reference) -> Hashable:
    """What a claim asks, and of which cells, as something to compare."""
    sides = tuple(
        frozenset(
            _came_to(case.conditions)
            for case in reference.cells
            if side.items() <= case.factors.items()
        )
        for side in claim.sides
    )
    return claim.compare, claim.metric, claim.lower, claim.upper, sides


def _came_to(cell: Conditions) -> Hashable:
    """What decides a cell's result, its seed aside."""
    drawn = {*FREE, *Report.model_fields}
    texts = ((key, text) for key, text in cell.texts.items() if key not in drawn)
    return frozenset(texts), frozenset(cell.content.items())
