# SPDX-License-Identifier: GPL-2.0-or-later
"""The bundled experiments as what a run is compared with.

What a paper claims, it claims of its own testbed. A cell is that of the paper when its keys came
to the same as those of the bundled experiment's cell with the same levels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tsqlab.experiment.bundled import bundled_experiments
from tsqlab.experiment.conditions import Change, Conditions, differences, same
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec, bare_key
from tsqlab.experiment.testbed import GRAPH
from tsqlab.results.record import Level
from tsqlab.topology import WIRED

FREE = frozenset({"seed", "memory", "capture", "snap_length", "plots", "latency"})
"""The keys that decide nothing that a paper could claim: which repetition it is, how much memory
the guest may touch, what is recorded beside the result, and what is drawn."""


@dataclass(frozen=True)
class Case:
    """A cell's levels, and the conditions that they stand for."""

    factors: Mapping[str, Level]
    conditions: Conditions


@dataclass(frozen=True)
class Reference:
    """A bundled experiment."""

    name: str
    cells: tuple[Case, ...]

    def differences(self, side: Mapping[str, Level], ran: Conditions) -> tuple[Change, ...]:
        """What *ran* differs in from the nearest cell that has the levels of *side*.

        What is in FREE does not count. The cells of a bundled experiment may vary in more than
        *side* says; each of them is as good.
        """
        cells = [cell for cell in self.cells if side.items() <= cell.factors.items()]
        found = (differences(cell.conditions, ran, FREE) for cell in cells or self.cells)
        return min(found, key=len)

    def as_of(self, era: str) -> Reference:
        """The same over hosts of another era."""
        cells = (Case(cell.factors, cell.conditions.as_of(era)) for cell in self.cells)
        return Reference(self.name, tuple(cells))

    def level_of(self, factor: str, ran: Conditions) -> Level | None:
        """The level of *factor* here that is as it is in *ran*; None if no level is."""
        key = bare_key(factor)
        for cell in self.cells:
            if factor in cell.factors and same(key, cell.conditions, ran):
                return cell.factors[factor]
        return None


def reference_of(name: str) -> Reference | None:
    """The bundled experiment of that name; None if there is none. Raises FileError."""
    if name not in bundled_experiments():
        return None
    experiment = load(name)
    cells = zip(experiment.cells, experiment.profiles(), experiment.others(), strict=True)
    return Reference(name, tuple(Case(cell.factors, Conditions(cell.spec, profile, others))
                                 for cell, profile, others in cells))  # fmt: skip


def default_of(layout: str) -> Conditions:
    """The conditions of an experiment that says nothing but its layout.

    A graph says all of itself: it is held against a file that says nothing at all.
    """
    layout = WIRED if layout == GRAPH else layout
    spec = Spec.model_validate({"title": "", "testbed": {"layout": layout}})
    return Conditions(spec, load_profile(spec.testbed.device))
