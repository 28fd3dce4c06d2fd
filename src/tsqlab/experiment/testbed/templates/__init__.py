# SPDX-License-Identifier: GPL-2.0-or-later
"""Templates: functions from a few keys of [testbed] to a graph, by the name of a layout."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tsqlab.experiment.testbed.templates.chain import mesh, wifi_chain
from tsqlab.experiment.testbed.templates.two_bss import two_bss
from tsqlab.experiment.testbed.templates.wifi import hidden, wifi
from tsqlab.experiment.testbed.templates.wired import wired
from tsqlab.experiment.testbed.templates.wires import dumbbell, parking_lot
from tsqlab.topology import (
    DUMBBELL,
    HIDDEN,
    MESH,
    PARKING_LOT,
    TWO_BSS,
    WIFI,
    WIFI_CHAIN,
    WIRED,
)

if TYPE_CHECKING:
    from tsqlab.experiment.testbed.graph import Graph
    from tsqlab.experiment.testbed.table import Testbed

TEMPLATES: dict[str, Callable[[Testbed], Graph]] = {
    WIRED: wired,
    DUMBBELL: dumbbell,
    PARKING_LOT: parking_lot,
    WIFI: wifi,
    HIDDEN: hidden,
    TWO_BSS: two_bss,
    WIFI_CHAIN: wifi_chain,
    MESH: mesh,
}
