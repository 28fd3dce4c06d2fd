# SPDX-License-Identifier: GPL-2.0-or-later
"""The radio's errors by SNR: the formula's known points, and the kernel's integers against it."""

import ctypes
import itertools
import os
import subprocess
import sys

import pytest

from airlink_c import MODULE, Rate, compiled
from tsqlab.model.error import LEGACY_CODINGS, MCS_CODINGS, mpdu_error, uncoded_error
from tsqlab.paths import ROOT

LEGACY, HE = 0, 3
RATES = [
    *((LEGACY, mcs, coding) for mcs, coding in enumerate(LEGACY_CODINGS)),
    *((HE, mcs, coding) for mcs, coding in enumerate(MCS_CODINGS)),
]
MPDU_BYTES = (14, 100, 1538, 3990, 11454)


@pytest.fixture(scope="module")
def kernel_error(tmp_path_factory):
    """al_error_of_mpdu(), compiled outside the kernel, as a probability."""
    function = compiled("air/error", tmp_path_factory.mktemp("error")).al_error_of_mpdu
    function.argtypes = (ctypes.POINTER(Rate), ctypes.c_int16, ctypes.c_uint32)
    function.restype = ctypes.c_uint32

    def error(phy, mcs, snr_cdb, mpdu_bytes):
        rate = Rate(phy, mcs, 1, 20, 800)
        return function(ctypes.byref(rate), snr_cdb, mpdu_bytes) / 1e9

    return error


def test_the_table_is_what_the_formula_gives():
    made = subprocess.run(
        [sys.executable, ROOT / "tools" / "error_table.py"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout == (MODULE / "air" / "error_table.h").read_text()


@pytest.mark.parametrize(("phy", "mcs", "coding"), RATES)
def test_the_kernel_agrees_with_the_formula(kernel_error, phy, mcs, coding):
    for mpdu_bytes in MPDU_BYTES:
        for snr_cdb in range(-1000, 5000, 7):
            expected = mpdu_error(coding, snr_cdb / 100, mpdu_bytes)
            got = kernel_error(phy, mcs, snr_cdb, mpdu_bytes)
            assert got == pytest.approx(expected, rel=0.003, abs=3e-9)


@pytest.mark.parametrize(("phy", "mcs"), [(phy, mcs) for phy, mcs, _ in RATES])
def test_the_kernel_is_certain_far_from_the_curve(kernel_error, phy, mcs):
    for mpdu_bytes in (*MPDU_BYTES, 65535, 2**32 - 1):
        assert kernel_error(phy, mcs, -32767, mpdu_bytes) == 1
        assert kernel_error(phy, mcs, 32767, mpdu_bytes) == 0


def test_more_snr_or_fewer_bytes_never_lose_more(kernel_error):
    for phy, mcs, _ in RATES:
        errors = [kernel_error(phy, mcs, snr, 1538) for snr in range(-500, 4500)]
        assert all(a >= b - 2e-9 for a, b in itertools.pairwise(errors))
        middle = min(range(5000), key=lambda at, e=errors: abs(e[at] - 0.5)) - 500
        by_size = [kernel_error(phy, mcs, middle, size) for size in range(50, 4000)]
        assert by_size == sorted(by_size)


def test_the_uncoded_rates_are_the_textbook_ones():
    assert uncoded_error(1, 9.5879) == pytest.approx(1e-5, rel=1e-3)  # BPSK, Proakis
    assert uncoded_error(2, 9.5879 + 3.0103) == pytest.approx(1e-5, rel=1e-3)  # per dimension
    assert uncoded_error(4, 10.0) == pytest.approx(0.375 * 0.157299, rel=1e-4)  # erfc(1)


def test_rates_fail_in_the_order_of_their_snr():
    def half_lost(coding):
        return min(
            range(-200, 5000), key=lambda snr: abs(mpdu_error(coding, snr / 100, 1538) - 0.5)
        )

    order = [half_lost(coding) for coding in MCS_CODINGS]
    assert order == sorted(order)
