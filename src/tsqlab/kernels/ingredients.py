# SPDX-License-Identifier: GPL-2.0-or-later
"""What a kernel is made of besides a source and a compiler: patches, options, modules, the agent.

They decide what a guest does: a source is of its version, and results are the same bytes whichever
compiler made the kernel. So kernels that somebody else has built (tsqlab.kernels.prebuilt) are
known by these.
"""

from __future__ import annotations

from pathlib import Path

from tsqlab.kernels.agent import sources_key
from tsqlab.kernels.config import fragment_text, fragments_for
from tsqlab.kernels.fragments import read_fragments, text_of
from tsqlab.kernels.recipe import Recipe
from tsqlab.kernels.source import SERIES, added_patches, changes, history, patches_of, versions
from tsqlab.keys import key_of, key_of_files
from tsqlab.paths import KERNEL_MODULES


def patches_for(recipe: Recipe, version: str) -> list[Path]:
    """The patches of a recipe for a source of *version*, but for those that take changes back."""
    series = SERIES if recipe.cotsq else ("um",)
    patches = patches_of(version, recipe.patches, series)
    return patches + added_patches(version, recipe.extra)


def taken_back(recipe: Recipe, version: str) -> dict[str, Path]:
    """The patches that take upstream changes back which *version* has, by their names."""
    return {name: path for name, path in history(version).items() if name in recipe.without}


def purposes(recipe: Recipe, version: str) -> tuple[str, ...]:
    """The fragments of kernel/config that a recipe has besides those of every guest."""
    texts = (path.read_text("utf-8", "replace") for path in patches_for(recipe, version))
    return (*fragments_for("".join(texts)), *recipe.extra)


def options(recipe: Recipe, version: str) -> str:
    """All options that a recipe asks for, as a fragment."""
    return fragment_text(
        recipe.hz, purposes(recipe, version), text_of(read_fragments(recipe.fragments))
    )


def module_sources() -> list[Path]:
    """The folders of the modules."""
    return sorted(path.parent for path in KERNEL_MODULES.glob("*/Kbuild"))


def modules_key() -> str:
    """The key of all of kernel/modules."""
    files = [path for path in KERNEL_MODULES.rglob("*") if path.is_file()]
    return key_of_files(files, KERNEL_MODULES)


def ingredients(recipe: Recipe) -> dict[str, str]:
    """The keys of all that is in a kernel of Debian's source, by where it comes from."""
    version = recipe.version or versions()[0]
    back = taken_back(recipe, version)
    return {
        "kernel/patches": key_of(changes([*patches_for(recipe, version), *back.values()])),
        "kernel/config": key_of(options(recipe, version)),
        "kernel/modules": modules_key(),
        "agent": sources_key(),
    }
