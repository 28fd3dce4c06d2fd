# SPDX-License-Identifier: GPL-2.0-or-later
"""Building what an experiment needs, with progress shown."""

from __future__ import annotations

import dataclasses
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING

from tsqlab.cli.progress import BuildProgress
from tsqlab.kernels import Kernel, Recipe, build
from tsqlab.kernels.names import recipe_of
from tsqlab.kernels.source import versions

if TYPE_CHECKING:  # pydantic is not needed to build a kernel
    from tsqlab.experiment.matrix import Cell


def build_shown(recipe: Recipe, jobs: int | None = None) -> Kernel:
    """Build, or find built, a kernel."""
    what = f"Linux {recipe.source or recipe.version or versions()[0]} at {recipe.hz} Hz"
    with closing(BuildProgress(what)) as progress:
        return build(recipe, progress, jobs)


@cache
def _kernel(name: str, hz: int) -> Kernel:
    return build_shown(dataclasses.replace(recipe_of(name), hz=hz))


def kernel_for(cell: Cell) -> Kernel:
    """The kernel that a cell names."""
    return _kernel(cell.spec.lab.kernel, cell.spec.lab.hz)
