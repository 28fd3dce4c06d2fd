# SPDX-License-Identifier: GPL-2.0-or-later
"""Quantities with units, as people write them in an experiment file.

Each kind of quantity is an integer of one base unit: nanoseconds, bits per second, bytes, parts
per billion, hundredths of a decibel, millimetres. A text that is not exactly such an integer is an
error, so nothing is ever rounded behind the reader's back. Where a number is wanted, the property
says in which unit: ``length.s``, ``rate.mbit_per_s``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:  # pydantic takes a third of a second, which not every command needs
    from pydantic import GetCoreSchemaHandler, ValidationInfo
    from pydantic_core import CoreSchema

_DURATIONS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "min": 60_000_000_000}
_RATES = {"bit/s": 1, "kbit/s": 10**3, "Mbit/s": 10**6, "Gbit/s": 10**9}
_SIZES = {"B": 1, "kB": 10**3, "MB": 10**6, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_FRACTIONS = {"%": 10**7, "ppm": 10**3, "ppb": 1}
_RATIOS = {"dB": 100, "cdB": 1}
_POWERS = {"dBm": 100, "cdBm": 1}
_LENGTHS = {"mm": 1, "cm": 10, "m": 1_000, "km": 1_000_000}

# More digits than these do not fit into a whole number of 64 bits anyway.
_QUANTITY = re.compile(r"\s*([0-9]{1,20})(?:\.([0-9]{1,20}))?\s*(\S{1,20})\s*")
_LARGEST = (1 << 63) - 1


def _parse(text: object, units: Mapping[str, int], example: str) -> int:
    match = _QUANTITY.fullmatch(text) if isinstance(text, str) else None
    if match is None or match[3] not in units:
        given = repr(text) if len(repr(text)) <= _SHOWN_MAX else f"{repr(text)[:_SHOWN_MAX]}..."
        raise ValueError(
            f'expected a number with a unit ({", ".join(units)}), such as "{example}", not {given}'
        )
    decimals = match[2] or ""
    scaled: int = int(match[1] + decimals) * units[match[3]]
    if scaled % 10 ** len(decimals):
        raise ValueError(f'"{text}" is not a whole number of {_smallest(units)}')
    value: int = scaled // 10 ** len(decimals)
    if value > _LARGEST:
        raise ValueError(f'"{text}" is more than {_LARGEST} {_smallest(units)}')
    return value


_SHOWN_MAX = 100  # characters of a value that a message shows


def _smallest(units: Mapping[str, int]) -> str:
    return min(units, key=units.__getitem__)


BASE_UNITS = "base units"
"""The key of a pydantic context in which bare integers are quantities: a stored specification
has been through the parser once."""


class Quantity(int):
    """An integer of a base unit, told apart from a bare number in a file."""

    units: ClassVar[Mapping[str, int]]
    example: ClassVar[str]

    @classmethod
    def of(cls, text: object) -> Self:
        """The quantity that a text such as "2.5 ms" says. Raises ValueError."""
        return cls(_parse(text, cls.units, cls.example))

    @property
    def text(self) -> str:
        """The quantity in the largest unit that keeps it whole: "64 MiB", but "60 s"."""
        for unit, size in sorted(self.units.items(), key=lambda item: -item[1]):
            if unit != "min" and self >= size and self % size == 0:
                return f"{self // size} {unit}"
        return f"{int(self)} {_smallest(self.units)}"

    @classmethod
    def __get_pydantic_core_schema__(
        cls, _source: Any, _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Validate texts of a file and quantities themselves; write integers."""
        from pydantic_core import core_schema  # noqa: PLC0415

        return core_schema.with_info_plain_validator_function(
            cls._validated,
            serialization=core_schema.plain_serializer_function_ser_schema(int),
        )

    @classmethod
    def _validated(cls, value: object, info: ValidationInfo) -> Self:
        if isinstance(value, cls):
            return value
        if type(value) is int and info.context and info.context.get(BASE_UNITS):
            if not 0 <= value <= _LARGEST:
                raise ValueError(f"expected 0 to {_LARGEST} {_smallest(cls.units)}")
            return cls(value)
        return cls.of(value)


class Duration(Quantity):
    """A time in nanoseconds."""

    units = _DURATIONS
    example = "2.5 ms"

    @property
    def ns(self) -> int:
        """The time in nanoseconds."""
        return int(self)

    @property
    def us(self) -> float:
        """The time in microseconds."""
        return self / 1e3

    @property
    def s(self) -> float:
        """The time in seconds."""
        return self / 1e9


class Rate(Quantity):
    """A rate of data in bits per second."""

    units = _RATES
    example = "150 Mbit/s"

    @property
    def bit_per_s(self) -> int:
        """The rate in bits per second."""
        return int(self)

    @property
    def mbit_per_s(self) -> float:
        """The rate in Mbit/s."""
        return self / 1e6


class Size(Quantity):
    """A size in bytes."""

    units = _SIZES
    example = "64 KiB"

    @classmethod
    def of(cls, text: object) -> Self:
        """The size that a text such as "64 KiB" says. Raises ValueError."""
        if type(text) is int and 0 < text <= _LARGEST:  # it can only have been meant as bytes
            raise ValueError(f'expected a size with its unit, as "{cls(text).text}", not {text}')
        return super().of(text)


class Fraction(Quantity):
    """A share of a whole in parts per billion."""

    units = _FRACTIONS
    example = "0.1 %"

    @classmethod
    def of(cls, text: object) -> Self:
        """The share that a text such as "0.1 %" says. Raises ValueError."""
        share = super().of(text)
        if share > 10**9:
            raise ValueError(f'"{text}" is more than the whole')
        return share

    @property
    def percent(self) -> float:
        """The share in percent."""
        return self / 1e7


class Decibel(Quantity):
    """A ratio in hundredths of a decibel."""

    units = _RATIOS
    example = "21.5 dB"

    @property
    def db(self) -> float:
        """The ratio in decibels."""
        return self / 1e2


class Power(Quantity):
    """A power in hundredths of a decibel above a milliwatt."""

    units = _POWERS
    example = "16 dBm"

    @property
    def dbm(self) -> float:
        """The power in decibels above a milliwatt."""
        return self / 1e2


class Length(Quantity):
    """A length in millimetres."""

    units = _LENGTHS
    example = "2.5 m"

    @property
    def m(self) -> float:
        """The length in metres."""
        return self / 1e3
