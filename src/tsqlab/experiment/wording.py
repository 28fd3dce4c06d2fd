# SPDX-License-Identifier: GPL-2.0-or-later
"""The value of a key as a person would write it, for those who are told what was run.

Two values that differ have two texts: nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from tsqlab.experiment.tsq import Tsq, name_of_ms
from tsqlab.units import Decibel, Duration, Fraction, Length, Power, Quantity, Rate, Size

NONE = "none"
"""The text for a key that is left out, where nothing follows from that."""

# How each kind of quantity is written: its nothing, how many decimals it may have, and its units.
_WRITTEN: dict[type[Quantity], tuple[str, int, Sequence[str]]] = {
    Duration: ("0 s", 3, ("s", "ms", "us", "ns")),
    Rate: ("0 bit/s", 3, ("Gbit/s", "Mbit/s", "kbit/s", "bit/s")),
    Size: ("0 B", 0, ("GiB", "MiB", "KiB", "B")),
    Fraction: ("0 %", 7, ("%",)),
    Decibel: ("0 dB", 2, ("dB",)),
    Power: ("0 dBm", 2, ("dBm",)),
    Length: ("0 m", 3, ("m",)),
}


def text_of(value: object) -> str:
    """The text for a value of an experiment or a profile."""
    match value:
        case None:
            return NONE
        case bool():
            return str(value).lower()
        case Quantity():
            return _quantity(value)
        case Tsq():
            return _tsq(value)
        case tuple() | list():
            return ", ".join(map(text_of, value)) or NONE
        case _:
            return str(value)


def _quantity(value: Quantity) -> str:
    """A quantity in the largest unit that has no more decimals than its kind may."""
    nothing, decimals, units = _WRITTEN[type(value)]
    if not value:
        return nothing
    for unit in units:
        size = value.units[unit]
        whole = int(value) * 10**decimals % size == 0
        if unit == units[-1] or (value >= size and whole):
            break
    return f"{(Decimal(int(value)) / size).normalize():f} {unit}"


def _tsq(setting: Tsq) -> str:
    """A setting by its name in the papers, or as its table."""
    if setting == Tsq():
        return "TSQ"
    if setting == Tsq(bytes=-1):
        return "NoTSQ"
    if setting.limit_packets and setting == Tsq.of_packets(setting.limit_packets):
        return f"{setting.limit_packets}pkts"
    if setting.us and setting == Tsq.of_ms(setting.us / 1000):
        return name_of_ms(setting.us / 1000)
    return "{ " + ", ".join(f"{key} = {value}" for key, value in setting if value) + " }"
