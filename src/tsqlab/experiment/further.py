# SPDX-License-Identifier: GPL-2.0-or-later
"""An experiment with seeds beyond its own, for some of its settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tsqlab.experiment.load import CELLS_MAX, Experiment
from tsqlab.experiment.matrix import Cell
from tsqlab.results.repetitions import SEED, Setting, by_setting


def with_further(experiment: Experiment, wanted: Mapping[Setting, int]) -> Experiment:
    """The experiment with so many more seeds of each setting: those after the largest it has.

    They stand behind its own cells, and there are never more than CELLS_MAX in all.
    """
    further = [*_further(experiment, wanted)][: CELLS_MAX - len(experiment.cells)]
    return replace(experiment, cells=(*experiment.cells, *further))


def _further(experiment: Experiment, wanted: Mapping[Setting, int]) -> Iterator[Cell]:
    first = 1 + max(cell.spec.lab.seed for cell in experiment.cells)
    for setting, cells in by_setting(experiment.cells).items():
        for seed in range(first, first + wanted.get(setting, 0)):
            yield _reseeded(cells[0], seed)


def _reseeded(cell: Cell, seed: int) -> Cell:
    lab = cell.spec.lab.model_copy(update={"seed": seed})
    spec = cell.spec.model_copy(update={"lab": lab})
    return replace(cell, factors={**cell.factors, SEED: seed}, spec=spec, further=True)
