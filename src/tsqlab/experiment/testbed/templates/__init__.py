# SPDX-License-Identifier: GPL-2.0-or-later
"""Templates: functions from a few keys of [testbed] to a graph, by the name of a layout."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tsqlab.experiment.testbed.templates.wifi import wifi
from tsqlab.experiment.testbed.templates.wired import wired
from tsqlab.topology import WIFI, WIRED

if TYPE_CHECKING:
    from tsqlab.experiment.testbed.graph import Graph
    from tsqlab.experiment.testbed.table import Testbed

TEMPLATES: dict[str, Callable[[Testbed], Graph]] = {WIRED: wired, WIFI: wifi}
