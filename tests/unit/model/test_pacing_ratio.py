# SPDX-License-Identifier: GPL-2.0-or-later
"""TSQ's time by the pacing ratios."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsqlab.model.pacing_ratio import (
    PacingRatios,
    longest_ms,
    ratios_for,
    sets_its_own_rate,
)


@pytest.mark.parametrize(
    ("ms", "shift", "ratios"),
    [
        (6, 10, PacingRatios(1000, 737)),
        (6, 8, PacingRatios(307, 184)),
        (6, 7, PacingRatios(153, 92)),
        (8.1, 10, PacingRatios(1000, 995)),
        (9, 10, None),
        (0.001, 10, None),
    ],
)
def test_known_ratios(ms: float, shift: int, ratios: PacingRatios | None) -> None:
    assert ratios_for(ms, shift) == ratios


@pytest.mark.parametrize("shift", [10, 8, 7])
def test_the_kernels_own_ratios_give_the_kernels_own_time(shift: int) -> None:
    assert ratios_for(1000 / 2**shift, shift) == PacingRatios(200, 120)


@given(st.floats(0.05, 60), st.integers(4, 10))
def test_a_ratio_gives_its_ms_to_a_percent_of_rounding(ms: float, shift: int) -> None:
    ratios = ratios_for(ms, shift)
    if ratios is None:
        assert ms > 0.99 * longest_ms(shift) or ms * 2**shift < 5
    else:
        # A step is one percent of what the kernel's own 120 give.
        assert abs(1000 / 2**shift * ratios.ca / 120 - ms) <= 1000 / 2**shift / 240 * 1.001
        assert ratios.ca <= ratios.ss <= 1000


def test_controls_with_a_rate_of_their_own() -> None:
    assert [sets_its_own_rate(name) for name in ("cubic", "reno", "bbr", "bbrplus")] == [
        False, False, True, True,
    ]  # fmt: skip
