# SPDX-License-Identifier: GPL-2.0-or-later
"""One cell of an experiment, as a command names it, with all that is needed to boot its guest."""

from __future__ import annotations

import argparse
import os
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tsqlab.errors import UsageError
from tsqlab.experiment.bundled import bundled_experiments
from tsqlab.experiment.invalid import hint, shortened
from tsqlab.experiment.load import Experiment, load
from tsqlab.experiment.matrix import Cell
from tsqlab.experiment.spec import Spec
from tsqlab.guest.boot import Machine
from tsqlab.guest.instants import t0_ns
from tsqlab.guest.plan import Plan
from tsqlab.guest.testbed import Wiring, wiring
from tsqlab.kernels import Kernel
from tsqlab.runner.cell import plan_of
from tsqlab.runner.experiment import ModuleFor, jobs_of
from tsqlab.units import Duration


@dataclass(frozen=True)
class Chosen:
    """A cell, and what its guest is."""

    cell: Cell
    plan: Plan
    machine: Machine
    wired: Wiring

    @property
    def begin_ns(self) -> int:
        """When its measurement begins, after the boot."""
        return t0_ns(self.cell.spec, self.wired.set_up_ns)


def chosen(options: argparse.Namespace) -> Experiment:
    """The experiment that add_cell()'s options name, with no more than the one cell."""
    experiment = load(options.experiment, options.set)
    cells = {cell.id: cell for cell in experiment.cells}
    name = options.cell or "1"
    if name in cells:
        cell = cells[name]
    elif name.isascii() and name.isdecimal() and 1 <= int(name[:9]) <= len(cells):
        cell = experiment.cells[int(name[:9]) - 1]
    else:
        known = hint(name, list(cells)) if len(cells) <= _LISTED_MOST else "tsqlab run names them"
        raise UsageError(
            f'{experiment.name}: no cell "{shortened(name)}"; there are 1 to {len(cells)}, '
            f"and by name {known}"
        )
    return replace(experiment, cells=(cell,))


_LISTED_MOST = 12


def debug_command(experiment: Experiment, cell: str) -> str:
    """The command that runs a cell of an experiment again in gdb."""
    bundled = bundled_experiments().get(experiment.name) == experiment.path
    name = experiment.name if bundled else str(experiment.path)
    sets = [word for override in experiment.overrides for word in ("--set", override)]
    which = ["--cell", cell] if len(experiment.cells) > 1 else []
    return shlex.join(["tsqlab", "debug", name, *sets, *which])


def after_ns(spec: Spec, at: Duration | None) -> int | None:
    """What --at says. Raises UsageError if the cell is over by then."""
    if at is not None and at > spec.total:
        raise UsageError(f"--at {at.text}: the cell is over by then; it is {spec.total.text} long")
    return None if at is None else at.ns


def terminal_kind() -> str:
    """What the user's terminal is, as TERM has it."""
    kind = os.environ.get("TERM", "")
    # It stands in a line of the plan, and no terminal is called otherwise.
    return kind if re.fullmatch(r"[\w.+-]{1,64}", kind, re.ASCII) else "dumb"


def guest_of(
    experiment: Experiment, kernel_for: Callable[[Cell], Kernel], module_for: ModuleFor
) -> Chosen:
    """What boots the one cell of an experiment. Raises TsqlabError."""
    (job,) = jobs_of(experiment, Path(), kernel_for, module_for)
    spec = job.cell.spec
    machine = Machine(job.kernel, spec.lab.memory, spec.lab.seed)
    return Chosen(job.cell, plan_of(job), machine, wiring(spec, job.profile, job.others))
