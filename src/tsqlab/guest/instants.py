# SPDX-License-Identifier: GPL-2.0-or-later
"""When things are in a guest, in virtual time since its boot."""

from __future__ import annotations

from tsqlab.experiment.before import time_before
from tsqlab.experiment.spec import Spec

T0_NS = 10_000_000_000
"""When the measurement starts, after the boot, in virtual time, or what runs before it. Set-up is
done long before, whatever it took, so its own timing cannot be seen in a result."""


def t0_ns(spec: Spec) -> int:
    """When a cell's measurement starts, after the boot."""
    return T0_NS + time_before(spec.lab.before)


def flows_begin_ns(spec: Spec) -> int:
    """When a cell's flows begin, after the boot."""
    return t0_ns(spec) + spec.flows.delay
