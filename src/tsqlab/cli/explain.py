# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab explain``: a claim of a paper, what the lab says of it, and how to see that."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tsqlab.cli.columns import in_columns, sections
from tsqlab.cli.report import RESULTS
from tsqlab.errors import UsageError
from tsqlab.experiment.bundled import bundled_claims, bundled_experiments
from tsqlab.experiment.causes import causes
from tsqlab.experiment.claims import Claim, claims_of
from tsqlab.experiment.invalid import hint, shortened
from tsqlab.experiment.stored import Folder, read_folder
from tsqlab.report.explained import Explained, experiment_of_claim, explained, own_folder
from tsqlab.results.folder import MANIFEST
from tsqlab.results.summary import is_metric


def execute(options: argparse.Namespace) -> None:
    """Print what there is to say of a claim, or the claims of an experiment or a cause."""
    name, known = options.name, experiment_of_claim()
    if name in known:
        one = explained(name, _results(options.results, name, known[name]))
        print(_json(one.as_data()) if options.json else _of_claim(one))
        return
    if options.results is not None:
        raise UsageError("--results belongs to one claim; tsqlab report shows all of a folder")
    if name in bundled_experiments():
        claims = [(name, claim) for claim in claims_of(name)]
        head = f"{name}: {_counted(claims)}"
    elif name in causes():
        claims = [(experiment, claim) for experiment in bundled_claims()
                  for claim in claims_of(experiment) if claim.cause == name]  # fmt: skip
        head = f"{name}: {causes()[name].title}; {_counted(claims)}"
    else:
        raise _unknown(name, [*known, *bundled_experiments(), *causes()])
    print(_json([_short(*one) for one in claims]) if options.json else _listed(head, claims))


def _results(given: Path | None, claim: str, experiment: str) -> Folder | None:
    """The results of a claim's experiment, if there are any. Raises UsageError."""
    if given is None:
        places = (own_folder(claim), RESULTS / experiment)
        found = next((place for place in places if (place / MANIFEST).exists()), None)
        return read_folder(found) if found else None
    folder = read_folder(given)
    if (there := folder.manifest.experiment) != experiment:
        raise UsageError(
            f"{given}: has results of {shortened(there)}; {claim} is about {experiment}"
        )
    return folder


def _unknown(name: str, accepted: Sequence[str]) -> UsageError:
    if is_metric(name):
        return UsageError(f"{shortened(name)} is a metric, which docs/results.md explains")
    near = hint(name, accepted)
    said = near if near.startswith("did") else "tsqlab list names the experiments"
    return UsageError(f'no claim, experiment or cause "{shortened(name)}"; {said}')


def _counted(claims: Sequence[object]) -> str:
    return "1 claim" if len(claims) == 1 else f"{len(claims) or 'no'} claims"


def _short(experiment: str, claim: Claim) -> dict[str, object]:
    return {"experiment": experiment, **claim.model_dump(mode="json")}


def _listed(head: str, claims: Iterable[tuple[str, Claim]]) -> str:
    rows = [(claim.id, f"{claim.statement} ({claim.paper})") for _, claim in claims]
    return sections([head], in_columns(rows))


def _of_claim(one: Explained) -> str:
    claim, spec = one.claim, one.experiment.spec
    source = one.paper.citation if one.paper else spec.paper
    figure = f" Figure {spec.figure}." if spec.figure else ""
    facts = [
        ("paper", f"{spec.paper}: {source}{figure}"),
        ("its number", claim.paper),
        ("experiment", f"{one.experiment.name}: {spec.title}"),
        ("asked", one.rows[0].what),
        ("accepted", f"{one.rows[0].accepted}. {claim.why}"),
        *([("not counted", claim.apart)] if claim.apart else []),
    ]
    why = [
        *([("cause", f"{claim.cause}: {one.cause.title}")] if one.cause else []),
        *([("explanation", claim.explanation)] if claim.explanation else []),
        *([("evidence", claim.evidence)] if claim.evidence else []),
    ]
    switch = ["what shows it:", f"  {one.cause.switch}"] if one.cause and one.cause.switch else []
    return sections(
        [f"{claim.id}: {claim.statement}"],
        in_columns(facts),
        in_columns(_verdicts(one)),
        in_columns(why),
        switch,
        _cells(one),
    )


def _verdicts(one: Explained) -> Iterator[tuple[str, str]]:
    if not one.judged:
        where = f"{one.folder}: no cell of it" if one.folder else "no results here"
        yield "verdict", f"not run ({where}); the command below runs its cells"
        return
    for row, judged in zip(one.rows, one.judged, strict=True):
        if row.context:
            yield "where", row.context
        kernel = f", kernel {row.kernel}" if row.kernel else ""
        yield "lab", f"{row.lab or 'nothing yet'} ({one.folder}{kernel})"
        yield "verdict", f"{row.outcome}: {row.note}" if row.note else row.outcome
        if judged.today:
            lab = judged.today.lab
            number = f"{lab.mean:g}: " if lab else ""
            yield "today", f"{number}{judged.today.outcome}"


def _cells(one: Explained) -> Iterator[str]:
    seconds = sum(cell.spec.total.s for cell in one.cells)
    count = len(one.cells)
    of = f"{count} of {len(one.experiment.cells)} cells" if count > 1 else "1 cell"
    yield f"{of}, {seconds:g} s of virtual time:"
    yield from (f"  {cell.id}" for cell in one.cells[:_CELLS_SHOWN])
    if count > _CELLS_SHOWN:
        yield f"  and {count - _CELLS_SHOWN} more (--json has them all)"
    yield "run them:"
    yield f"  {one.command}"


_CELLS_SHOWN = 10


def _json(data: object) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False)
