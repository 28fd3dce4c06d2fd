# SPDX-License-Identifier: GPL-2.0-or-later
"""SNR by distance: the formula's numbers, by hand, and as the documentation has them."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsqlab.model.propagation import Propagation, free_space_db, noise_dbm
from tsqlab.paths import ROOT

USUAL = Propagation(3.0, free_space_db(2_437e6), 16.0, 7.0, 20e6, 4.0)


def test_free_space_is_friis():
    """20 log10 of the circumference in wavelengths: 4 pi 1 m / 12.3 cm = 102.2, 40.2 dB."""
    assert free_space_db(2_437e6) == pytest.approx(20 * math.log10(102.15), abs=0.005)
    assert free_space_db(5_180e6) == pytest.approx(46.73, abs=0.005)
    assert free_space_db(2_437e6, 10.0) - free_space_db(2_437e6) == pytest.approx(20)


def test_noise_is_that_of_a_room_and_of_the_receiver():
    assert noise_dbm(1.0, 0.0) == pytest.approx(-173.975, abs=0.005)
    assert noise_dbm(20e6, 7.0) == pytest.approx(-173.975 + 73.01 + 7, abs=0.005)
    assert noise_dbm(40e6, 7.0) - noise_dbm(20e6, 7.0) == pytest.approx(3.01, abs=0.005)


def test_the_snr_falls_by_the_exponent_each_tenfold():
    assert USUAL.snr_db(1) == pytest.approx(16 - 40.184 + 93.965, abs=0.01)
    assert USUAL.snr_db(1) - USUAL.snr_db(10) == pytest.approx(30)
    assert USUAL.snr_db(0.01) == USUAL.snr_db(1), "nothing is nearer than the reference"


@given(exponent=st.floats(1, 10), power=st.floats(0, 40), hears_from=st.floats(0, 60))
def test_a_radio_is_heard_up_to_its_range(exponent, power, hears_from):
    model = Propagation(exponent, 40.18, power, 7.0, 20e6, hears_from)
    if model.hears(1):
        assert model.hears(0.999 * model.range_m)
        assert not model.hears(1.001 * model.range_m)
    else:
        assert model.range_m == 1


def test_the_documentation_has_these_numbers():
    text = (ROOT / "docs" / "positions.md").read_text()
    section = text[text.index("## The formula") :].partition("\n## ")[0]
    distances, _, snrs = (re.findall(r"\d+(?:\.\d+)?", line)
                          for line in section.splitlines() if line.startswith("|"))  # fmt: skip
    assert snrs == [f"{USUAL.snr_db(float(distance)):.1f}" for distance in distances]
    assert f"beyond {USUAL.range_m:.1f} m" in section
