# SPDX-License-Identifier: GPL-2.0-or-later
"""A claim with all that is known of it: the paper, its cells, the verdict, why the lab differs.

Nothing is said here that a file of claims, of causes or of results does not say; what is worked
out is which of the experiment's cells the claim is about, and the command that runs just these.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tsqlab.experiment.bundled import bundled_claims
from tsqlab.experiment.causes import Cause, causes
from tsqlab.experiment.claims import Claim, claims_of
from tsqlab.experiment.load import Experiment, load
from tsqlab.experiment.matrix import Cell, level
from tsqlab.experiment.papers import Paper, papers
from tsqlab.experiment.stored import Folder
from tsqlab.experiment.toml import flattened, read_toml
from tsqlab.report.claims import ClaimRow, Judgement, claim_row, judgements, unit_of
from tsqlab.report.verdicts import Verdict


@dataclass(frozen=True)
class Explained:
    """A claim, and what the lab has of it."""

    claim: Claim
    experiment: Experiment
    cells: tuple[Cell, ...]  # those of the experiment that it is about
    paper: Paper | None
    cause: Cause | None
    judged: tuple[Judgement, ...]  # the verdicts, one for each context; none without results
    folder: Path | None  # where the results are

    @property
    def rows(self) -> tuple[ClaimRow, ...]:
        """The verdicts as text, or the one row of a claim that was not run."""
        if not self.judged:
            return (claim_row(Verdict(self.claim, "not run", None)),)
        return tuple(claim_row(one.own) for one in self.judged)

    @property
    def overrides(self) -> tuple[str, ...]:
        """What leaves of the experiment's matrix as little as has all the cells."""
        return tuple(_overrides(self.experiment, self.cells))

    @property
    def command(self) -> str:
        """The command that runs these cells."""
        words = ["tsqlab", "run", self.experiment.name]
        if self.overrides:
            words += [word for one in self.overrides for word in ("--set", one)]
            words += ["--out", str(own_folder(self.claim.id))]
        return shlex.join(words)

    def as_data(self) -> dict[str, Any]:
        """All of it as JSON-ready data; numbers in the claim's unit."""
        spec = self.experiment.spec
        return {
            **self.claim.model_dump(mode="json"),
            "experiment": self.experiment.name,
            "source": self.paper.citation if self.paper else spec.paper,
            "figure": spec.figure,
            "unit": unit_of(self.claim),
            "counted": not self.claim.apart,
            "cause_title": self.cause.title if self.cause else "",
            "switch": self.cause.switch if self.cause else "",
            "cells": [cell.id for cell in self.cells],
            "virtual_s": sum(cell.spec.total.s for cell in self.cells),
            "command": self.command,
            "results": str(self.folder) if self.folder else None,
            "verdicts": [verdict_data(one) for one in self.judged],
        }


def verdict_data(one: Judgement) -> dict[str, Any]:
    """A verdict as JSON-ready data."""
    own, today = one.own, one.today
    return {
        "context": own.context,
        "verdict": own.outcome,
        "lab": asdict(own.lab) | {"ends": own.lab.ends} if own.lab else None,
        "note": own.note,
        "kernel": own.kernel,
        "today": {"verdict": today.outcome, "lab": today.lab.mean if today.lab else None}
        if today
        else None,
    }


def own_folder(claim: str) -> Path:
    """Where the command of Explained puts a claim's own cells."""
    return Path("results") / claim


def experiment_of_claim() -> dict[str, str]:
    """The bundled experiment of every claim, by the claim's name."""
    return {claim: experiment for experiment, path in bundled_claims().items()
            for claim in read_toml(path).tables}  # fmt: skip


def explained(name: str, folder: Folder | None) -> Explained:
    """What there is to say of a bundled claim, which *folder* may have results of."""
    experiment = load(experiment_of_claim()[name])
    claim = next(one for one in claims_of(experiment.name) if one.id == name)
    judged = judgements(folder) if folder else ()
    return Explained(
        claim,
        experiment,
        tuple(cell for cell in experiment.cells if _is_about(claim, cell)),
        papers().get(experiment.spec.paper),
        causes()[claim.cause] if claim.cause else None,
        tuple(one for one in judged if one.own.claim.id == name),
        folder.path if folder else None,
    )


def _is_about(claim: Claim, cell: Cell) -> bool:
    return any(side.items() <= cell.factors.items() for side in claim.sides)


def _overrides(experiment: Experiment, cells: Sequence[Cell]) -> Iterator[str]:
    matrix = flattened(read_toml(experiment.path).tables.get("matrix", {}))
    for factor in experiment.factors:
        levels = {cell.factors[factor] for cell in cells}
        values = [value for value in matrix[factor] if level(value) in levels]
        if len(values) < len(matrix[factor]):
            yield f"{factor}={_toml(values[0] if len(values) == 1 else values)}"


def _toml(value: Any) -> str:
    """A value that a file had, in one line of TOML, whose texts and numbers are JSON's."""
    if isinstance(value, Mapping):
        pairs = (f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items())
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)
