# SPDX-License-Identifier: GPL-2.0-or-later
"""Bounds that come from a paper's own model are what that model gives with the paper's table."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tsqlab.experiment.claims import Claim, claims_of
from tsqlab.metrics.knee import WITHIN
from tsqlab.model.aggregation import Parameters, goodput_bit_per_s, rtt_ns

TABLE = Parameters()  # what the module has by itself is the paper's table


def agg_6(name: str) -> Claim:
    return next(claim for claim in claims_of("agg-6") if claim.id == name)


def test_full_is_where_the_models_curve_has_its_knee() -> None:
    limits = np.arange(1, 401, 0.1)
    goodputs = goodput_bit_per_s(limits, TABLE)
    knee = limits[np.flatnonzero(goodputs >= (1 - WITHIN) * goodputs.max())[0]]
    claim = agg_6("agg-6-full")
    assert claim.lower == pytest.approx(knee / math.sqrt(2), rel=0.005)
    assert claim.upper == pytest.approx(knee * math.sqrt(2), rel=0.005)


def test_the_stairs_are_the_models() -> None:
    low, high = rtt_ns([200, 400], TABLE) / 1e6
    claim = agg_6("agg-6-stairs")
    assert claim.lower == pytest.approx(0.75 * (high - low), rel=0.005)
    assert claim.upper == pytest.approx(1.25 * (high - low), rel=0.005)


def test_the_pacing_ratio_is_at_least_half_of_the_models() -> None:
    more = goodput_bit_per_s(8, Parameters(pacing=1.6)) / goodput_bit_per_s(8, TABLE)
    assert agg_6("agg-6-pacing").lower == pytest.approx(1 + (float(more) - 1) / 2, abs=0.0005)
