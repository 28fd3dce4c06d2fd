# SPDX-License-Identifier: GPL-2.0-or-later
"""How many further seeds would settle the verdicts that an experiment's own seeds leave open.

An interval of n seeds that reaches h to the side of a bound, which is only d away, takes about
n (h / d)² seeds to end at it, as an interval shrinks with the root of its seeds. This is worked
out once, from the experiment's own seeds and nothing else (in statistics: a sample in two stages,
after Stein), and never again from what the further ones have measured: so it is the same however
often a run is interrupted, and nobody goes on until an answer is to the liking.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from tsqlab.experiment.claims import Claim, claims_of
from tsqlab.experiment.reference import Reference, reference_of
from tsqlab.experiment.stored import Folder
from tsqlab.report.verdicts import Verdict, check, crossed
from tsqlab.results.repetitions import SEED, Setting


def unsettled(folder: Folder, most: int) -> dict[Setting, int]:
    """The further seeds that each setting of a folder needs, *most* at most. Raises FileError."""
    name = folder.manifest.experiment
    return further_seeds(folder, claims_of(name), reference_of(name), most)


def further_seeds(
    folder: Folder, claims: Sequence[Claim], reference: Reference | None, most: int
) -> dict[Setting, int]:
    """As unsettled(), of *claims*: those that are counted, and whose run is the paper's."""
    cells = [cell for cell in folder.manifest.cells if not cell.further]
    if not all(SEED in cell.factors for cell in cells):
        return {}
    own = replace(folder, manifest=folder.manifest.model_copy(update={"cells": cells}))
    found: dict[Setting, int] = {}
    for verdict in check(own, [claim for claim in claims if not claim.apart], reference):
        needed = min(_needed(verdict), most)
        for setting in verdict.settings if needed else ():
            found[setting] = max(needed, found.get(setting, 0))
    return found


def _needed(verdict: Verdict) -> int:
    """How many further seeds a verdict needs: none if it is settled or there is none."""
    lab = verdict.lab
    if lab is None or verdict.outcome not in ("holds", "differs"):
        return 0
    low, high = lab.ends
    reach = [
        (lab.mean - low, lab.mean - bound)
        if bound < lab.mean
        else (high - lab.mean, bound - lab.mean)
        for bound in crossed(verdict.claim, lab)
    ]
    shares = (math.inf if not away else (half / away) ** 2 for half, away in reach)
    seeds = max((lab.n * share for share in shares), default=0.0)
    # More than anybody runs; the caller has a bound of its own.
    return max(0, math.ceil(min(seeds, 1e6)) - lab.n)
