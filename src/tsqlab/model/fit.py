# SPDX-License-Identifier: GPL-2.0-or-later
"""The aggregation model's free parameters from measurements, by least squares.

c, and if asked for t_oh and RTT_base, such that goodput and RTT under limits of t packets come
near to what was measured. Two things want care.

Goodput is continuous in c, with a kink where k reaches the largest aggregate. The RTT is a
staircase beyond: its derivative is zero or infinite, and a descent sees nothing. So only
the RTTs short of the first step count, k < 1.5 mxg by the c of the round before, where
RTT_base + 2 TxTime(min(k, mxg)) is the staircase exactly, and continuous. The steps are left to
be predicted: ``rtt_rms_ns`` holds all RTTs against the whole staircase, and is a test.

On the ramp alone goodput tells only t_oh / c, since 1 / Thr = 1 / r + (8 l_oh / r + t_oh) /
(8 l t p c); the RTT there, and goodput beyond the ramp, tell them apart. Where nothing measured
does, the fit is refused.

Mbit/s and ms cannot be added up. Each series is divided by what the model leaves unexplained of
it, anew in each of a few rounds, so that the one that the model describes better counts for
more. Intervals are Student's at 95 %, from the covariance
s^2 (J^T J)^-1 at the optimum: they hold as far as the model does, for errors that are
independent and about as large everywhere in a series. (Of made-up data sets with such errors,
where the weights come from the data too, 90 to 94 % of the intervals hold the truth.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares
from scipy.special import stdtrit  # Student's t; scipy.stats takes longer to import

from tsqlab.model.aggregation import (
    Floats,
    Parameters,
    aggregate_ns,
    goodput_bit_per_s,
    packets_in_card,
    rtt_ns,
)

FREE = ("backlog", "access_ns", "rtt_base_ns")
"""What may be fitted: c, t_oh, RTT_base."""

_ROUNDS = 5
_RAMP = 1.5  # RTTs count up to this multiple of the largest aggregate; the first step is at 2
# A series is divided by at least this share of its mean: perfect data must not make a weight
# infinite.
_SCALE_MIN = 1e-6
_CONDITION_MAX = 1e6
_BACKLOGS = np.geomspace(0.05, 1.5, 30)


@dataclass(frozen=True)
class Interval:
    """A fitted value with its 95 % confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Fit:
    """What fits best, and how well."""

    parameters: Parameters  # the given ones, with the fitted values in their place
    intervals: dict[str, Interval]  # the interval of each fitted value; the keys are names in FREE
    goodput_rms_bit_per_s: float  # what the fit leaves unexplained of the goodput
    rtt_rms_ns: float  # what it leaves unexplained of all RTTs, with those beyond the ramp


def fit(
    limit_packets: ArrayLike,
    measured: tuple[ArrayLike, ArrayLike],
    parameters: Parameters,
    free: Sequence[str] = ("backlog",),
) -> Fit:
    """Fit the *free* parameters to *measured* goodputs (bit/s) and RTTs (ns) under limits.

    The others, and where the search starts, are *parameters*. c is not kept below 1: one that
    comes out above says that the model does not hold. Raises ValueError when the measurements
    are too few, or cannot tell the parameters apart.
    """
    problem = _Problem(np.asarray(limit_packets, float), measured, parameters, free)
    factors = problem.start()
    for _ in range(_ROUNDS):
        problem.weigh(factors)
        solution = least_squares(problem.residuals, factors, bounds=(1e-6, np.inf), x_scale="jac")
        factors = np.asarray(solution.x)
    half_widths = _half_widths(np.asarray(solution.jac), float(solution.cost), problem)
    fitted = problem.at(factors)
    return Fit(
        parameters=fitted,
        intervals={
            name: Interval(value, value - half, value + half)
            for name, value, half in zip(
                free,
                (getattr(fitted, name) for name in free),
                half_widths.tolist(),
                strict=True,
            )
        },
        goodput_rms_bit_per_s=_rms(goodput_bit_per_s(problem.limits, fitted) - problem.measured[0]),
        rtt_rms_ns=_rms(rtt_ns(problem.limits, fitted) - problem.measured[1]),
    )


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2))) if values.size else 0.0


class _Problem:
    """The model beside the measurements, by factors to the parameters' starting values."""

    def __init__(
        self,
        limits: Floats,
        measured: tuple[ArrayLike, ArrayLike],
        parameters: Parameters,
        free: Sequence[str],
    ) -> None:
        self.limits, self.parameters, self.free = limits, parameters, tuple(free)
        self.measured = [np.asarray(series, float) for series in measured]
        if any(series.shape != limits.shape or limits.ndim != 1 for series in self.measured):
            raise ValueError("limits, goodputs and RTTs are not as many")
        if not free or set(free) - set(FREE):
            raise ValueError(f"what can be fitted is {', '.join(FREE)}; not {', '.join(free)}")
        if 2 * limits.size <= len(free):
            raise ValueError(f"{limits.size} points are too few for {len(free)} parameters")
        self.ramp = np.ones(limits.size, bool)
        self.sizes = [1.0, 1.0]
        self.scale = np.array([getattr(parameters, name) for name in free], float)
        if not (self.scale > 0).all():
            raise ValueError(f"the search for {', '.join(free)} has to start above 0")

    def at(self, factors: Floats) -> Parameters:
        values = (self.scale * factors).tolist()
        return replace(self.parameters, **dict(zip(self.free, values, strict=True)))

    def weigh(self, factors: Floats) -> None:
        """Choose the RTTs that count, and divide each series by what is left of it."""
        tried = self.at(factors)
        full = tried.aggregate_max_packets
        self.ramp = packets_in_card(self.limits, tried) < _RAMP * full
        self.sizes = [
            max(_rms(left), _SCALE_MIN * float(series.mean()))
            for left, series in zip(self.left(factors), self.measured, strict=True)
        ]

    def left(self, factors: Floats) -> list[Floats]:
        """What the model leaves of the goodputs, and of the RTTs that count."""
        tried = self.at(factors)
        packets = np.minimum(packets_in_card(self.limits, tried), tried.aggregate_max_packets)
        rtt = tried.rtt_base_ns + 2 * aggregate_ns(packets, tried)
        return [
            goodput_bit_per_s(self.limits, tried) - self.measured[0],
            (rtt - self.measured[1])[self.ramp],
        ]

    def residuals(self, factors: Floats) -> Floats:
        left = self.left(factors)
        return np.concatenate([part / size for part, size in zip(left, self.sizes, strict=True)])

    def start(self) -> Floats:
        """The best of some values of c by goodput, so that the descent begins near."""
        ones = np.ones(len(self.free))
        if "backlog" not in self.free:
            return ones
        tried = [ones.copy() for _ in _BACKLOGS]
        for factors, backlog in zip(tried, _BACKLOGS, strict=True):
            factors[self.free.index("backlog")] = backlog / self.parameters.backlog
        return min(tried, key=lambda factors: _rms(self.left(factors)[0]))


def _half_widths(jacobian: Floats, cost: float, problem: _Problem) -> Floats:
    """Half the width of each parameter's 95 % interval, from the derivatives by the factors."""
    lengths = np.linalg.norm(jacobian, axis=0)
    if not lengths.all() or np.linalg.cond(jacobian / lengths) > _CONDITION_MAX:
        raise ValueError(
            f"the measurements cannot tell {', '.join(problem.free)} apart; they need limits both "
            "below and beyond the largest aggregate, or fewer free parameters"
        )
    degrees = jacobian.shape[0] - jacobian.shape[1]
    if degrees < 1:
        raise ValueError("the measurements short of the first step are too few")
    covariance = 2 * cost / degrees * np.linalg.inv(jacobian.T @ jacobian)
    factors = stdtrit(degrees, 0.975) * np.sqrt(np.diag(covariance))
    return np.asarray(factors * problem.scale)
