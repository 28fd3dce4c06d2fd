# SPDX-License-Identifier: GPL-2.0-or-later
"""Building what an experiment needs, with progress shown."""

from __future__ import annotations

import dataclasses
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING

from tsqlab.cli.progress import BuildProgress
from tsqlab.experiment.era import ERAS
from tsqlab.kernels import Kernel, Recipe, build
from tsqlab.kernels.names import recipe_of
from tsqlab.kernels.source import versions

if TYPE_CHECKING:  # pydantic is not needed to build a kernel
    from tsqlab.experiment.matrix import Cell


def build_shown(recipe: Recipe, jobs: int | None = None, trains: bool | None = None) -> Kernel:
    """Build, or find built, a kernel.

    Whether it *trains* one to have a profile for it; None: if it has to be compiled anyway.
    """
    what = f"Linux {recipe.source or recipe.version or versions()[0]} at {recipe.hz} Hz"
    if recipe.without:
        back = f"{len(recipe.without)} changes" if len(recipe.without) > 1 else recipe.without[0]
        what += f" without {back}"
    training = None
    if trains is not False:
        # It runs cells, and so loads what they are described by.
        from tsqlab.guest.training import CellTraining  # noqa: PLC0415

        training = CellTraining()
    with closing(BuildProgress(what)) as progress:
        return build(recipe, progress, jobs, training, anew=trains is True)


def recipe_for(cell: Cell) -> Recipe:
    """The recipe of the kernel that a cell names, as of its era."""
    lab = cell.spec.lab
    recipe = recipe_of(lab.kernel)
    without = tuple(dict.fromkeys([*recipe.without, *ERAS[lab.era].patches]))
    return dataclasses.replace(recipe, hz=lab.hz, without=without)


def kernel_for(cell: Cell) -> Kernel:
    """The kernel that a cell names, as of its era."""
    return _kernel(recipe_for(cell))


@cache
def _kernel(recipe: Recipe) -> Kernel:
    return build_shown(recipe)
