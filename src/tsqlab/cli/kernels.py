# SPDX-License-Identifier: GPL-2.0-or-later
"""Building what an experiment needs, with progress shown."""

from __future__ import annotations

import dataclasses
import shutil
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING

from tsqlab.cli.progress import BuildProgress
from tsqlab.cli.prune import in_gib, removed
from tsqlab.errors import TsqlabError
from tsqlab.experiment.era import ERAS
from tsqlab.kernels import Kernel, Recipe, against, build
from tsqlab.kernels.names import recipe_of
from tsqlab.kernels.own_modules import OwnModule, own_module
from tsqlab.kernels.own_source import Source
from tsqlab.kernels.prebuilt import DISTRIBUTION, installed, prebuilt
from tsqlab.kernels.prune import BYTES, bytes_max, prune, whole_kernels
from tsqlab.kernels.source import tarball_of, versions

if TYPE_CHECKING:  # pydantic is not needed to build a kernel
    from tsqlab.experiment.matrix import Cell


def build_shown(recipe: Recipe, jobs: int | None = None, trains: bool | None = None) -> Kernel:
    """Build, or find built, a kernel.

    Whether it *trains* one to have a profile for it; None: if it has to be compiled anyway. A
    kernel of tsqlab-kernels needs neither a source nor a compiler, and comes before all others.
    """
    package = installed()
    kernel, why_none = prebuilt(recipe, package)
    if kernel:
        return kernel
    what = f"Linux {recipe.source or recipe.version or versions()[0]} at {recipe.hz} Hz"
    if recipe.without:
        back = f"{len(recipe.without)} changes" if len(recipe.without) > 1 else recipe.without[0]
        what += f" without {back}"
    if recipe.extra:
        what += f" with {' and '.join(recipe.extra)}"
    if package is None and not recipe.source and not shutil.which("gcc"):
        why_none = f"there is no {DISTRIBUTION}, which has some that are built"
    if why_none and not _can_build(recipe):
        raise TsqlabError(
            f"{what}: {why_none}, and nothing builds one here; try: "
            f"pip install --upgrade tsqlab {DISTRIBUTION}, or, for what builds one, tsqlab doctor"
        )
    training = None
    if trains is not False:
        # It runs cells, and so loads what they are described by.
        from tsqlab.guest.training import CellTraining  # noqa: PLC0415

        training = CellTraining()
    bound = bytes_max()
    with closing(BuildProgress(what)) as progress:
        if why_none:
            progress.note(f"{why_none}, so it is built here")
        before = whole_kernels()
        kernel = build(recipe, progress, jobs, training, anew=trains is True)
        if bound is not None and kernel.linux.parent not in before:
            progress.part("looking at what the cache holds")
            if gone := prune(bound):
                progress.note(removed(gone, f"more than {BYTES}, {in_gib(bound)}"))
        return kernel


def _can_build(recipe: Recipe) -> bool:
    """Whether there is a compiler, and a source."""
    version = recipe.version or versions()[0]
    return bool(shutil.which("gcc") and (recipe.source or tarball_of(version)))


def recipe_for(cell: Cell) -> Recipe:
    """The recipe of the kernel that a cell names, as of its era, with events if it wants any."""
    lab = cell.spec.lab
    recipe = recipe_of(lab.kernel)
    without = tuple(dict.fromkeys([*recipe.without, *ERAS[lab.era].patches]))
    extra = tuple(dict.fromkeys([*recipe.extra, *(["trace"] if lab.trace else [])]))
    # What is compiled against a kernel needs what that was built in.
    ready = not lab.modules
    return dataclasses.replace(
        recipe, hz=lab.hz, without=without, extra=extra, prebuilt=recipe.prebuilt and ready
    )


def kernel_for(cell: Cell) -> Kernel:
    """The kernel that a cell names, as of its era."""
    return _kernel(recipe_for(cell))


def module_for(cell: Cell, kernel: Kernel, source: Source) -> OwnModule:
    """A module of a cell's own, for the cell's kernel; what the compiler says of it is shown."""
    return module_of(recipe_for(cell), kernel, source)


def module_of(recipe: Recipe, kernel: Kernel, source: Source) -> OwnModule:
    """The same for the kernel of a recipe."""
    key = kernel.id, source.key
    if key not in _MODULES:
        with closing(BuildProgress(f"{source.said} for Linux {kernel.release}")) as progress:
            built_in = against(recipe, kernel, progress=progress)
            _MODULES[key] = own_module(source, kernel.linux.parent, built_in, progress)
            if _MODULES[key].warnings:
                progress.note(f"the compiler warns\n{_MODULES[key].warnings}")
    return _MODULES[key]


_MODULES: dict[tuple[str, str], OwnModule] = {}
"""What is built already, and has been told, by kernel and source."""


@cache
def _kernel(recipe: Recipe) -> Kernel:
    return build_shown(recipe)
