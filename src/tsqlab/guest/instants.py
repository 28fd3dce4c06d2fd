# SPDX-License-Identifier: GPL-2.0-or-later
"""When things are in a guest, in virtual time since its boot."""

from __future__ import annotations

from tsqlab.experiment.before import time_before
from tsqlab.experiment.spec import Spec

T0_NS = 10_000_000_000
"""When the measurement starts, after the boot, in virtual time, or what runs before it, unless
set-up may take longer. It is done before, whatever it took, so its own timing cannot be seen in a
result."""

_SECOND_NS = 1_000_000_000


def first_t0_ns(set_up_ns: int) -> int:
    """When the first clock starts: in a whole second, by which the testbed is there."""
    return max(T0_NS, -(-set_up_ns // _SECOND_NS) * _SECOND_NS)


def t0_ns(spec: Spec, set_up_ns: int) -> int:
    """When a cell's measurement starts, after the boot, if set-up takes so long at the most."""
    return first_t0_ns(set_up_ns) + time_before(spec.lab.before)


def flows_begin_ns(spec: Spec, set_up_ns: int) -> int:
    """When a cell's flows begin, after the boot."""
    return t0_ns(spec, set_up_ns) + spec.flows.delay
