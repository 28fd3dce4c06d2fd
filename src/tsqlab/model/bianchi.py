# SPDX-License-Identifier: GPL-2.0-or-later
"""Many saturated stations as a fixed point: Bianchi's model, for EDCA.

Bianchi (IEEE JSAC 18(3), 2000) takes time in steps from one slot boundary to the next: an idle
slot, or a transmission with all that follows up to the boundary at the end of AIFS. In each step
a station transmits with probability tau, and a transmission collides with probability p,
whatever happened before:

    p   = 1 - (1 - tau)^(n - 1)
    tau = sum p^i / sum p^i (CW_i / 2 + 1)             i = 0 .. attempts - 1

(numerator: transmissions for one frame; denominator: steps, CW_i / 2 of backoff on average and
the transmission itself). In EDCA a counter goes down at each boundary, one that starts a busy
period included, so a step is a step for every station and with AIFS for DIFS the bookkeeping is
exact. (In DCF counters stand still in a busy step, and a station that has just succeeded has the
next slot to itself; this model ignores both.) With P_tr = 1 - (1 - tau)^n and
P_s = n tau (1 - tau)^(n - 1),

    goodput = P_s payload / ((1 - P_tr) slot + P_s T_success + (P_tr - P_s) T_collision)

What it assumes is that all stations are alike, that steps are the same for all of them, also
after a collision, and that p does not depend on the past. :mod:`tsqlab.model.contention` does
without any of the three.
"""

from __future__ import annotations

from dataclasses import dataclass

from scipy.optimize import brentq

from tsqlab.model.edca import Access


@dataclass(frozen=True)
class Steps:
    """How long each kind of step lasts, and what it brings."""

    slot_ns: int
    # The time from the start of the transmission to the boundary at the end of AIFS.
    success_ns: int
    # The same time for a collision, again up to the end of AIFS.
    collision_ns: int
    payload_bits: int  # the payload that a success delivers


@dataclass(frozen=True)
class Saturation:
    """What the stations arrive at."""

    tau: float  # the probability that a station transmits in a step
    collision_probability: float  # the probability that a transmission collides
    goodput_bit_per_s: float  # the goodput of all stations together


def transmission_probability(collision_probability: float, access: Access, attempts: int) -> float:
    """tau, if each of a frame's at most *attempts* transmissions collides with that probability."""
    weights = [collision_probability**i for i in range(attempts)]
    steps = (weight * (access.cw_after(i) / 2 + 1) for i, weight in enumerate(weights))
    return sum(weights) / sum(steps)


def saturation(stations: int, access: Access, steps: Steps, attempts: int = 7) -> Saturation:
    """The fixed point of that many *stations*; a frame is given up after *attempts*."""

    def excess(p: float) -> float:
        return p - (1 - (1 - transmission_probability(p, access, attempts)) ** (stations - 1))

    p = float(brentq(excess, 0, 1 - 1e-12, xtol=1e-14)) if stations > 1 else 0.0
    tau = transmission_probability(p, access, attempts)
    busy = 1 - (1 - tau) ** stations
    success = stations * tau * (1 - tau) ** (stations - 1)
    mean_ns = (
        (1 - busy) * steps.slot_ns
        + success * steps.success_ns
        + (busy - success) * steps.collision_ns
    )
    return Saturation(tau, p, success * steps.payload_bits * 1e9 / mean_ns)
