# SPDX-License-Identifier: GPL-2.0-or-later
"""An experiment's cells once more, over hosts of today: what has changed since its own era.

They are as the experiment's own but for the era, and what follows from it: what [sender] gives,
they have too. In their names and files the era is one factor more, as if it varied.
"""

from __future__ import annotations

from dataclasses import replace

from tsqlab.errors import UsageError
from tsqlab.experiment.era import TODAY
from tsqlab.experiment.load import CELLS_MAX, Experiment
from tsqlab.experiment.matrix import Cell
from tsqlab.experiment.spec import full_key
from tsqlab.results.folder import ERA


def with_today(experiment: Experiment) -> Experiment:
    """The experiment with its cells once more, in era "today"; as it is where nothing is to add.

    They stand behind its own. Raises UsageError where that makes too many.
    """
    if nothing_to_add(experiment):
        return experiment
    own = experiment.cells
    if 2 * len(own) > CELLS_MAX:
        raise UsageError(
            f"--today: {experiment.name} has {len(own)} cells, and twice that is more than "
            f"{CELLS_MAX}; let fewer levels vary"
        )
    return replace(experiment, cells=(*own, *map(_today, own)))


def nothing_to_add(experiment: Experiment) -> str:
    """Why an experiment's cells are not run once more, as a text; empty if they are."""
    if any(full_key(name) == f"lab.{ERA}" for name in experiment.factors):
        eras = dict.fromkeys(cell.spec.lab.era for cell in experiment.cells)
        return f"its matrix has eras: {', '.join(eras)}"
    return "its hosts are of today" if experiment.spec.lab.era == TODAY else ""


def _today(cell: Cell) -> Cell:
    factors = {**cell.factors, ERA: TODAY}
    return replace(cell, factors=factors, spec=cell.spec.as_of(TODAY), today=True)
