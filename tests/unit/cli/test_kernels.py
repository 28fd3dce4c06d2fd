# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel that a cell names, as of its era."""

from types import SimpleNamespace

import pytest

from tsqlab.cli import kernels
from tsqlab.experiment.era import ERAS, TODAY


@pytest.fixture
def recipes(monkeypatch):
    """The recipes that are built, and none is."""
    found = []
    monkeypatch.setattr(kernels, "build_shown", lambda recipe: found.append(recipe) or recipe)
    kernels._kernel.cache_clear()
    yield found
    kernels._kernel.cache_clear()


def cell(kernel, era, hz=1000):
    return SimpleNamespace(spec=SimpleNamespace(
        lab=SimpleNamespace(kernel=kernel, era=era, hz=hz, trace=(), modules=())))  # fmt: skip


def test_an_era_s_patches_come_to_those_of_the_kernel(recipes):
    kernels.kernel_for(cell("6.12", TODAY))
    kernels.kernel_for(cell("6.12", "5.10", hz=250))
    kernels.kernel_for(cell("6.12-without-hystart-usec", "5.10"))
    kernels.kernel_for(cell("6.12-without-cwnd-memory", "5.10"))
    assert [recipe.hz for recipe in recipes] == [1000, 250, 1000, 1000]
    assert [set(recipe.without) for recipe in recipes] == [
        set(),
        set(ERAS["5.10"].patches),
        {"hystart-usec", *ERAS["5.10"].patches},
        set(ERAS["5.10"].patches),
    ]
    assert all(len(set(recipe.without)) == len(recipe.without) for recipe in recipes)


def test_a_kernel_is_looked_for_once(recipes):
    for era in ("4.13", TODAY, "4.13"):
        kernels.kernel_for(cell("6.12", era))
    assert len(recipes) == 2
