# SPDX-License-Identifier: GPL-2.0-or-later
"""The testbed's wiring: a graph as batches for ip(8) and tc(8), and as lines of a plan.

Each node is a network namespace. `fit` says whether devices suit it, `wiring` has the order of
things, `wires` makes cards, `channel` radios, `softmac` has mac80211's make a BSS, `networks` an
IBSS or a mesh, `sized` has WQM size queues. Pure functions: a spec and profiles in, text out.
"""

from __future__ import annotations

from tsqlab.experiment.profile import NO_OTHERS, Others, Profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.testbed import Port
from tsqlab.guest.testbed.channel import WatchedRadio
from tsqlab.guest.testbed.common import LEAF_MAJOR, PlanLine, egress_queues, qdisc_series
from tsqlab.guest.testbed.fit import check_fit
from tsqlab.guest.testbed.radio_lines import genl
from tsqlab.guest.testbed.wiring import Wiring

__all__ = [
    "LEAF_MAJOR",
    "PlanLine",
    "Port",
    "WatchedRadio",
    "Wiring",
    "egress_queues",
    "genl",
    "qdisc_series",
    "wiring",
]


def wiring(spec: Spec, profile: Profile, others: Others = NO_OTHERS) -> Wiring:
    """The testbed of *spec* over devices of *profile*, and of *others* where it names them.

    Raises UsageError when they do not fit.
    """
    check_fit(spec, profile, others)
    return Wiring(spec, profile, others)
