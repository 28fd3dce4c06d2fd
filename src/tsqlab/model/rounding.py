# SPDX-License-Identifier: GPL-2.0-or-later
"""Rounding up, in whole numbers: the standard's ceilings must not depend on a float."""


def ceil_div(dividend: int, divisor: int) -> int:
    """The quotient, rounded up."""
    return -(-dividend // divisor)


def round_up(value: int, step: int) -> int:
    """The first multiple of *step* that is no less than *value*."""
    return ceil_div(value, step) * step
