# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims of the papers against what the lab measured.

A claim is about one setting, compares two, or is about a curve over several; cells that differ
in their seed alone repeat it. Each repetition gives a number: the quantity of its one cell, the
ratio or difference of its two, which have the same seed, or what the claim asks of the curve
through its several. The lab's number is their mean, but for a curve's step and span, which are
those of the mean curve (tsqlab.metrics.curves). The claim *holds* when it lies in the accepted
range, ends included, and *differs* when it does not, or when a cell has no such number (a curve
without dips has no dip period). It is *not run* as long as a cell of it is missing or
not done. The 95 % confidence interval of the mean decides nothing; where it crosses a bound,
the seeds do not settle the verdict, and a note says so.

A paper speaks of its own testbed. What ran under other conditions than the bundled experiment has
(another rate, a shorter flow) is *not comparable*: its number is there, and nothing is said of it.
A kernel is the exception, since kernels are what the lab is there to compare: a claim is judged
over any, but what was found out about the experiment's own explains nothing there.

Factors that vary in the experiment but that the claim does not name, such as the kernel when a
run was given two, make a verdict for each combination of their levels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tsqlab.experiment.claims import Claim, level_number
from tsqlab.experiment.conditions import KERNEL, Change
from tsqlab.experiment.reference import Reference
from tsqlab.experiment.stored import Folder, Result, releases
from tsqlab.metrics.curves import span, step
from tsqlab.metrics.knee import first_enough
from tsqlab.metrics.pings import MANY
from tsqlab.metrics.shapes import SHAPES
from tsqlab.metrics.statistics import Estimate, estimate
from tsqlab.report.table import lost_of
from tsqlab.results.folder import ManifestCell
from tsqlab.results.record import Level
from tsqlab.results.repetitions import Setting, setting_of, varying

Outcome = Literal["holds", "differs", "not comparable", "not run"]
OUTCOMES: tuple[Outcome, ...] = ("holds", "differs", "not comparable", "not run")


@dataclass(frozen=True)
class Verdict:
    """What the lab says of a claim."""

    claim: Claim
    outcome: Outcome
    lab: Estimate | None  # None if it was not run, or no repetition has a number
    context: str = ""  # the levels of factors that vary and that the claim does not name
    note: str = ""  # what is missing or other than the paper's, or that the seeds do not settle it
    kernel: str = ""  # the releases of the kernel that its cells ran
    # Whether it is of the kernel whose differences the file of claims explains.
    explained: bool = True
    settings: tuple[Setting, ...] = ()  # those of its cells


Repetition = dict[int, ManifestCell]
"""The cells of one seed, by their place in sides()."""


def check(
    folder: Folder, claims: Sequence[Claim], reference: Reference | None = None
) -> list[Verdict]:
    """The verdicts on *claims* about a folder's experiment, in their order.

    *reference* is what the claims are about; without one, every run is comparable.
    """
    results = {result.id: result for result in folder.results}
    verdicts = []
    for claim in claims:
        levels = {cell.id: _levels(claim, cell, results.get(cell.id), reference)
                  for cell in folder.manifest.cells}  # fmt: skip
        for context, found in _contexts(claim, folder.manifest.cells, levels).items():
            repetitions = [one for one in found if _counts(claim, one, results)]
            verdict = replace(_verdict(claim, repetitions, results, context),
                              kernel=_kernel(repetitions, results),
                              settings=_settings(repetitions))  # fmt: skip
            if reference and verdict.outcome != "not run":
                verdict = _compared(verdict, repetitions, results, reference)
            verdicts.append(verdict)
    return verdicts


def _compared(
    verdict: Verdict,
    repetitions: Sequence[Repetition],
    results: Mapping[str, Result],
    reference: Reference,
) -> Verdict:
    """The verdict in view of the conditions that its cells ran under."""
    sides, changes = verdict.claim.sides, list[Change]()
    for repetition in repetitions:
        for place, cell in repetition.items():
            ran = results[cell.id].conditions
            if ran is None:
                note = "how its cells were run is not in their files"
                return replace(verdict, outcome="not comparable", note=note)
            changes += reference.differences(sides[place], ran)
    others = dict.fromkeys(change.instead for change in changes if change.key != KERNEL)
    if others:
        return replace(verdict, outcome="not comparable", note="; ".join(others))
    kernels = dict.fromkeys(change.instead for change in changes)
    note = "; ".join(part for part in (*kernels, verdict.note) if part)
    return replace(verdict, note=note, explained=not kernels)


def setting_text(side: Iterable[tuple[str, Level]]) -> str:
    """A setting as text: "bottleneck=L10M, tsq=NoTSQ"."""
    return ", ".join(f"{name}={level}" for name, level in side)


def _levels(
    claim: Claim, cell: ManifestCell, result: Result | None, reference: Reference | None
) -> Mapping[str, Level]:
    """A cell's factors, and the levels of those that the claim names and that do not vary here.

    Who sets a key to one value ends its place in the matrix, and the cells have it all the same.
    """
    if reference is None or result is None or result.conditions is None:
        return cell.factors
    fixed = {name: reference.level_of(name, result.conditions)
             for name in {*claim.of, *claim.over} - cell.factors.keys()}  # fmt: skip
    return {name: level for name, level in fixed.items() if level is not None} | cell.factors


def _contexts(
    claim: Claim, cells: Sequence[ManifestCell], levels: Mapping[str, Mapping[str, Level]]
) -> dict[str, list[Repetition]]:
    """The repetitions of a claim that *cells* make up, by the name of their context.

    *levels* has the factors of each cell by which it is compared with the claim.
    """
    found: dict[Setting, dict[frozenset[tuple[str, Level]], Repetition]] = {}
    named = {*claim.of, *claim.over}
    for cell in cells:
        rest = {name: level for name, level in cell.factors.items() if name not in named}
        for place, side in enumerate(claim.sides):
            if side.items() <= levels[cell.id].items():
                repetitions = found.setdefault(setting_of(rest), {})
                repetitions.setdefault(frozenset(rest.items()), {})[place] = cell
    names = varying(list(found))
    return {
        setting_text(item for item in context if item[0] in names): list(repetitions.values())
        for context, repetitions in found.items()
    } or {"": []}


def _counts(claim: Claim, repetition: Repetition, results: Mapping[str, Result]) -> bool:
    """Whether a repetition is one of the claim.

    A seed beyond the experiment's own is run where some claim needs it; it is a repetition of
    another only if all the cells happen to be there.
    """
    if not any(cell.further for cell in repetition.values()):
        return True
    whole = len(repetition) == len(claim.sides)
    return whole and all(cell.id in results for cell in repetition.values())


def _settings(repetitions: Sequence[Repetition]) -> tuple[Setting, ...]:
    cells = (cell for repetition in repetitions for cell in repetition.values())
    return tuple(dict.fromkeys(setting_of(cell.factors) for cell in cells))


def _kernel(repetitions: Sequence[Repetition], results: Mapping[str, Result]) -> str:
    ids = (cell.id for repetition in repetitions for cell in repetition.values())
    return releases(results[cell] for cell in ids if cell in results)


def _verdict(
    claim: Claim, repetitions: Sequence[Repetition], results: Mapping[str, Result], context: str
) -> Verdict:
    missing = _missing(claim, repetitions, results)
    if missing:
        return Verdict(claim, "not run", None, context, missing)
    curves = [_quantities(claim, [results[cell.id] for _, cell in sorted(repetition.items())])
              for repetition in repetitions]  # fmt: skip
    known = [curve for curve in curves if curve is not None]
    lab, without = _lab(claim, known), len(curves) - len(known)
    if lab is None or without:
        note = f"no such number in {without or len(curves)} of {len(curves)} repetitions"
        return Verdict(claim, "differs", lab, context, note)
    note = "; ".join(_notes(claim, lab, repetitions, results))
    return Verdict(claim, "holds" if claim.accepts(lab.mean) else "differs", lab, context, note)


def _notes(
    claim: Claim, lab: Estimate, repetitions: Sequence[Repetition], results: Mapping[str, Result]
) -> Iterator[str]:
    # Which seeds are added, the experiment's own era decides; those of today follow.
    further = sum(any(cell.further and not cell.today for cell in one.values())
                  for one in repetitions)  # fmt: skip
    if further:
        yield f"{further} of {len(repetitions)} seeds were added, as the others left it open"
    if crossed(claim, lab):
        still = "still " if further else ""
        yield f"the interval {still}crosses a bound: more seeds would settle it"
    cells = [results[cell.id] for repetition in repetitions for cell in repetition.values()]
    name = lost_of(claim.metric)
    lost = max(cell.metrics.get(name) or 0.0 for cell in cells) if name else 0.0
    if lost > MANY:
        yield f"up to {100 * lost:.0f} % of the pings were lost, and it is of those that came back"


def _missing(claim: Claim, repetitions: Sequence[Repetition], results: Mapping[str, Result]) -> str:
    """Which cells are missing, as text; empty when all are there."""
    for place, side in enumerate(claim.sides):
        if not any(place in repetition for repetition in repetitions):
            return f"no cell has {setting_text(side.items())}"
    wanted = len(repetitions) * len(claim.sides)
    done = sum(cell.id in results for repetition in repetitions for cell in repetition.values())
    return f"{wanted - done} of {wanted} cells missing or not done" if done < wanted else ""


def _quantities(claim: Claim, cells: Sequence[Result]) -> list[float] | None:
    """The quantity of each cell of a repetition, in the order of the claim's sides.

    None if a cell has none, or if what the claim compares is not there.
    """
    found = [quantity(cell, claim.metric) for cell in cells]
    numbers = [number for number in found if number is not None]
    if len(numbers) < len(found) or (claim.compare == "knee" and _number(claim, numbers) is None):
        return None
    divisors = {"ratio": numbers[1:2], "span": [min(numbers)], "step": numbers[:-1]}
    return None if 0 in divisors.get(claim.compare, []) else numbers


def _lab(claim: Claim, curves: Sequence[Sequence[float]]) -> Estimate | None:
    """The lab's number; each repetition has a curve, of one level or two where that is all."""
    if of_means := _OF_MEANS.get(claim.compare):
        return of_means(curves) if curves else None
    numbers = [_number(claim, curve) for curve in curves]
    return estimate([number for number in numbers if number is not None])


def _number(claim: Claim, numbers: Sequence[float]) -> float | None:
    """The number that one repetition gives; *numbers* are in the order of the claim's sides."""
    if claim.compare == "knee":
        first = first_enough(numbers, max(numbers))
        return None if first is None else level_number(claim.levels[first])
    return _COMPARED[claim.compare](numbers)


_COMPARED: Mapping[str, Callable[[Sequence[float]], float]] = {
    "value": lambda numbers: numbers[0],
    "ratio": lambda numbers: numbers[0] / numbers[1],
    "difference": lambda numbers: numbers[0] - numbers[1],
    "highest": max,
    "lowest": min,
}
# What noise would move one way, so that it is asked of the mean curve.
_OF_MEANS: Mapping[str, Callable[[Sequence[Sequence[float]]], Estimate]] = {
    "step": step,
    "span": span,
}


def quantity(cell: Result, name: str) -> float | None:
    """A metric or a shape of a cell."""
    return SHAPES[name](cell.trace) if name in SHAPES else cell.metrics.get(name)


def crossed(claim: Claim, lab: Estimate) -> list[float]:
    """The bounds that lie within the confidence interval."""
    low, high = lab.ends
    bounds = (claim.lower, claim.upper)
    return [bound for bound in bounds if bound is not None and low < bound < high]
