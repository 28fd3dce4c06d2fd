# SPDX-License-Identifier: GPL-2.0-or-later
"""Quantities: exact, with units, and errors that help."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsqlab import units


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (units.Duration.of, "2.5 ms", 2_500_000),
        (units.Duration.of, "60 s", 60_000_000_000),
        (units.Duration.of, "0 ms", 0),
        (units.Rate.of, "150 Mbit/s", 150_000_000),
        (units.Rate.of, "1 Gbit/s", 10**9),
        (units.Size.of, "64 KiB", 65536),
        (units.Size.of, "10 MB", 10**7),
        (units.Fraction.of, "0.1 %", 10**6),
    ],
)
def test_reads_quantities(parse, text, value):
    assert parse(text) == value


@pytest.mark.parametrize("text", ["4", 4, "ms", "4 parsecs", "-1 ms", "1e3 ms", None, "4ms 5"])
def test_refuses_what_has_no_unit(text):
    with pytest.raises(ValueError, match=r'such as "2\.5 ms"'):
        units.Duration.of(text)


def test_refuses_to_round():
    with pytest.raises(ValueError, match="not a whole number of ns"):
        units.Duration.of("0.5 ns")


def test_refuses_more_than_the_whole():
    with pytest.raises(ValueError, match="more than the whole"):
        units.Fraction.of("101 %")


@given(st.integers(min_value=0, max_value=10**18))
def test_writes_what_it_reads(value):
    for kind in (units.Duration, units.Rate, units.Size):
        assert kind.of(kind(value).text) == value


@pytest.mark.parametrize(
    ("quantity", "text"),
    [
        (units.Size(64 << 20), "64 MiB"),
        (units.Size(65532), "65532 B"),
        (units.Duration.of("1440 min"), "86400 s"),
        (units.Duration.of("2.5 ms"), "2500 us"),
        (units.Rate.of("425 Mbit/s"), "425 Mbit/s"),
        (units.Decibel.of("0 dB"), "0 cdB"),
    ],
)
def test_writes_the_largest_unit_that_is_exact(quantity, text):
    assert quantity.text == text


def test_bytes_without_a_unit_are_said_with_one():
    with pytest.raises(ValueError, match='a size with its unit, as "64 MiB", not 67108864'):
        units.Size.of(67108864)
