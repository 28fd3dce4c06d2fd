# SPDX-License-Identifier: GPL-2.0-or-later
"""Where packets go: what a file says of it, and the graph that this is.

    [testbed] with a layout  -- templates/ -->  Graph  -- tsqlab.guest.testbed -->  a plan's lines
    [nodes], [[link]], [[medium]]  -- own.py -->  Graph

`table` is the schema of [testbed], `written` that of a user's own graph, `graph` what both come
to; `routes` finds the ways through it.
"""

from __future__ import annotations

from tsqlab.experiment.testbed.graph import Graph, Port
from tsqlab.experiment.testbed.keys import QDISCS, Egress, Table
from tsqlab.experiment.testbed.layouts import GRAPH, RECENT
from tsqlab.experiment.testbed.table import Testbed

__all__ = ["GRAPH", "QDISCS", "RECENT", "Egress", "Graph", "Port", "Table", "Testbed"]
