# SPDX-License-Identifier: GPL-2.0-or-later
"""Quantities with units, as people write them in an experiment file.

Each kind of quantity is kept as an integer of one base unit: nanoseconds, bits per second,
bytes, parts per billion, hundredths of a decibel. A text that is not exactly such an integer
is an error, so nothing is ever rounded behind the reader's back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator

_DURATIONS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "min": 60_000_000_000}
_RATES = {"bit/s": 1, "kbit/s": 10**3, "Mbit/s": 10**6, "Gbit/s": 10**9}
_SIZES = {"B": 1, "kB": 10**3, "MB": 10**6, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_FRACTIONS = {"%": 10**7, "ppm": 10**3, "ppb": 1}
_RATIOS = {"dB": 100, "cdB": 1}

_QUANTITY = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(\S+)\s*")


def _parse(text: object, units: Mapping[str, int], example: str) -> int:
    match = _QUANTITY.fullmatch(text) if isinstance(text, str) else None
    if match is None or match[2] not in units:
        raise ValueError(
            f'expected a number with a unit ({", ".join(units)}), such as "{example}", not {text!r}'
        )
    exact = Decimal(match[1]) * units[match[2]]
    if exact != int(exact):
        smallest = min(units, key=units.__getitem__)
        raise ValueError(f'"{text}" is not a whole number of {smallest}')
    return int(exact)


def duration_ns(text: object) -> int:
    """Nanoseconds of a text such as "2.5 ms". Raises ValueError."""
    return _parse(text, _DURATIONS, "2.5 ms")


def rate_bit_per_s(text: object) -> int:
    """Bits per second of a text such as "150 Mbit/s". Raises ValueError."""
    return _parse(text, _RATES, "150 Mbit/s")


def size_bytes(text: object) -> int:
    """Bytes of a text such as "64 KiB". Raises ValueError."""
    return _parse(text, _SIZES, "64 KiB")


def fraction_ppb(text: object) -> int:
    """Parts per billion, at most all of them, of a text such as "0.1 %". Raises ValueError."""
    ppb = _parse(text, _FRACTIONS, "0.1 %")
    if ppb > 10**9:
        raise ValueError(f'"{text}" is more than the whole')
    return ppb


def ratio_cdb(text: object) -> int:
    """Hundredths of a decibel of a text such as "21.5 dB". Raises ValueError."""
    return _parse(text, _RATIOS, "21.5 dB")


def _once(parse: Callable[[object], int]) -> BeforeValidator:
    """Parse a text, and leave alone the integer that a default or a parsed value is."""

    def validate(value: Any) -> Any:
        return value if type(value) is Quantity else Quantity(parse(value))

    return BeforeValidator(validate)


class Quantity(int):
    """An integer of a base unit, told apart from a bare number in a file."""


Duration = Annotated[int, _once(duration_ns)]
Rate = Annotated[int, _once(rate_bit_per_s)]
Size = Annotated[int, _once(size_bytes)]
Fraction = Annotated[int, _once(fraction_ppb)]
Decibel = Annotated[int, _once(ratio_cdb)]


def format_duration(ns: int) -> str:
    """Write a duration in the largest unit that keeps it exact."""
    return _format(ns, {u: n for u, n in _DURATIONS.items() if u != "min"})


def format_rate(bit_per_s: int) -> str:
    """Write a rate in the largest unit that keeps it exact."""
    return _format(bit_per_s, _RATES)


def _format(value: int, units: Mapping[str, int]) -> str:
    for unit, size in sorted(units.items(), key=lambda item: -item[1]):
        if value % size == 0 and value >= size:
            return f"{value // size} {unit}"
    return f"{value} {min(units, key=units.__getitem__)}"
