# SPDX-License-Identifier: GPL-2.0-or-later
"""Congestion controls that are a module: loaded where a cell asks for one, and nowhere else.

The kernel refuses the name of a control that is not there, so the module comes before the sysctls
that have names in them. It is of the same age as the kernel's own BBR: what the kernel is without,
by its era or by its name, the module is without (kernel/modules/bbrs/age.h).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from tsqlab.experiment.cycle import Cycle
from tsqlab.experiment.era import ERAS
from tsqlab.experiment.spec import Spec
from tsqlab.guest.places import MODULE_DIR
from tsqlab.kernels.names import without_of

CONTROLS = frozenset({"bbr2", "bbr3", "bbrplus", "bbrdev", "bbr_cycle"})
"""What the module bbrs registers."""

_PARAMETERS = "/sys/module/bbrs/parameters"
_OF_BBR = "bbr-"
"""How the names of the patches begin that take a change of BBR back."""


def control_lines(spec: Spec) -> Iterable[list[str]]:
    """The plan's lines that load the controls which *spec* names."""
    if CONTROLS.isdisjoint(spec.controls):
        return
    yield ["module", f"{MODULE_DIR}/bbrs.ko"]
    for change in taken_back(spec):
        yield ["write", "-", f"{_PARAMETERS}/without_{change.replace('-', '_')}", "Y"]
    if spec.sender.cycle is not None:
        for name, value in asdict(Cycle.of(spec.sender.cycle)).items():
            yield ["write", "-", f"{_PARAMETERS}/cycle_{name}", f"{int(value)}"]


def taken_back(spec: Spec) -> list[str]:
    """The changes of BBR that a cell's kernel is without, in the words of the module."""
    patches = {*ERAS[spec.lab.era].patches, *without_of(spec.lab.kernel)}
    return sorted(name.removeprefix(_OF_BBR) for name in patches if name.startswith(_OF_BBR))
