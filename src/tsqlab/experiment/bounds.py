# SPDX-License-Identifier: GPL-2.0-or-later
"""Bounds on quantities, written with units, as the errors say them.

A value beyond its bound is refused when a file is read. In a guest it would cost the memory or
the hours of a host, or fail without the file's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import AfterValidator

from tsqlab.units import Quantity


class KeyedError(ValueError):
    """What is wrong with several keys together, to be said at one of them."""

    def __init__(self, where: Sequence[str], message: str) -> None:
        """Remember the key *where*, below the table that is checked."""
        super().__init__(message)
        self.where = tuple(where)


@dataclass(frozen=True)
class Between(AfterValidator):
    """A validator of quantities from *low* to *high*, both included, as texts."""

    low: str
    high: str


def between(kind: type[Quantity], low: str, high: str) -> Between:
    """A validator of quantities of that kind from *low* to *high*, both included."""
    least, most = kind.of(low), kind.of(high)

    def check(value: Quantity) -> Quantity:
        if not least <= value <= most:
            raise ValueError(f'expected {low} to {high}, not "{value.text}"')
        return value

    return Between(check, low, high)


@dataclass(frozen=True)
class Whole(AfterValidator):
    """A validator of quantities that are a whole number of *unit*."""

    unit: str


def whole(unit_size: int, unit: str) -> Whole:
    """A validator of quantities that are a whole number of a unit."""

    def check(value: Quantity) -> Quantity:
        if value % unit_size:
            raise ValueError(f'expected a whole number of {unit}, not "{value.text}"')
        return value

    return Whole(check, unit)


def one_of(what: str, accepted: tuple[str, ...]) -> AfterValidator:
    """A check that a word is one of those *accepted*, of *what* there is."""

    def check(value: str) -> str:
        if value not in accepted:
            raise ValueError(f'no {what} "{value}"; there are {", ".join(accepted)}')
        return value

    return AfterValidator(check)
