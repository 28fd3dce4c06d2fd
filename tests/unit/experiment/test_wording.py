# SPDX-License-Identifier: GPL-2.0-or-later
"""Values as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsqlab.experiment.tsq import Tsq, parse_tsq
from tsqlab.experiment.wording import text_of
from tsqlab.units import Decibel, Duration, Fraction, Quantity, Rate, Size

KINDS: tuple[type[Quantity], ...] = (Duration, Rate, Size, Fraction, Decibel)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ((), "none"),
        (("C>AP", "air"), "C>AP, air"),
        (Duration.of("60 s"), "60 s"),
        (Duration.of("2.5 ms"), "2.5 ms"),
        (Duration.of("1440 min"), "86400 s"),
        (Duration(0), "0 s"),
        (Duration(1_000_000_001), "1000000.001 us"),
        (Rate.of("150 Mbit/s"), "150 Mbit/s"),
        (Rate(0), "0 bit/s"),
        (Size.of("4352 B"), "4352 B"),
        (Size.of("512 MiB"), "512 MiB"),
        (Fraction.of("0.003 %"), "0.003 %"),
        (Fraction(0), "0 %"),
        (Decibel.of("21.5 dB"), "21.5 dB"),
        (Tsq(), "TSQ"),
        (Tsq(bytes=-1), "NoTSQ"),
        (Tsq.of_ms(6), "6TSQ"),
        (Tsq.of_packets(40), "40pkts"),
        (Tsq(shift=8), "{ shift = 8 }"),
        (Tsq(bytes=131072, us=6000, pkts=1), "{ bytes = 131072, us = 6000, pkts = 1 }"),
        (None, "none"),
        (True, "true"),
        (("cdf", "sweep"), "cdf, sweep"),
        (1500, "1500"),
        ("cubic", "cubic"),
    ],
)
def test_a_value_is_as_people_write_it(value: object, text: str) -> None:
    assert text_of(value) == text


@pytest.mark.parametrize("kind", KINDS)
@given(st.integers(min_value=0, max_value=10**9))
def test_nothing_is_rounded(kind: type[Quantity], value: int) -> None:
    assert kind.of(text_of(kind(value))) == value


@pytest.mark.parametrize("name", ["TSQ", "NoTSQ", "2TSQ", "16TSQ", "1pkts", "40pkts"])
def test_a_setting_of_the_papers_has_its_name(name: str) -> None:
    assert text_of(parse_tsq(name)) == name
    assert text_of(Tsq.of_ms(3.5)) == "bytes=10000000+us=3500+pkts=1"
