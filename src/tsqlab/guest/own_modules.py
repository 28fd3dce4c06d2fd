# SPDX-License-Identifier: GPL-2.0-or-later
"""Modules of a user's own in a guest: where they lie there, and the lines that load them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from tsqlab.experiment.modules import arguments, module_name
from tsqlab.experiment.spec import Spec
from tsqlab.guest.places import GUEST_DIR
from tsqlab.kernels import Kernel
from tsqlab.kernels.own_modules import OwnModule

_PLACE = re.compile(rf"{GUEST_DIR}/module-(.*)\.ko")


def _place(name: str) -> str:
    return f"{GUEST_DIR}/module-{name}.ko"


def own_module_lines(spec: Spec) -> Iterable[list[str]]:
    """The plan's lines that load the modules of *spec*, in their order."""
    for name in map(module_name, spec.lab.modules):
        yield ["module", _place(name), *arguments(spec.lab.parameters.get(name, {}))]


def shown(modules: Iterable[OwnModule]) -> Mapping[str, Path]:
    """What a guest that loads *modules* sees of the host."""
    return {_place(module.name): module.file for module in modules}


def files(kernel: Kernel, shown: Mapping[str, Path]) -> Mapping[str, Path]:
    """The file of each module that a guest may load which sees what is *shown*, by its name."""
    own = {name: shown[place] for name, place in in_guest(shown).items()}
    return {**{file.stem: file for file in kernel.modules.glob("*.ko")}, **own}


def in_guest(shown: Iterable[str]) -> Mapping[str, str]:
    """Where modules lie among what a guest sees, by their names."""
    return {found[1]: place for place in shown if (found := _PLACE.fullmatch(place))}
