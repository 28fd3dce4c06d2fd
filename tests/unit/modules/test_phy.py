# SPDX-License-Identifier: GPL-2.0-or-later
"""The module's airtime against the model's: every rate there is, written down twice."""

import ctypes
import itertools

import pytest

from airlink_c import Rate, compiled
from tsqlab.model import phy, ppdu
from tsqlab.model.band import GHZ_2_4, GHZ_5

STANDARDS = ("legacy", "HT", "VHT", "HE")
GRID = [
    (standard, width, streams, mcs, gi_ns)
    for standard, width, streams, mcs, gi_ns in itertools.product(
        STANDARDS, (20, 40, 80, 160), (1, 2, 3, 4), range(13), (400, 800, 1600, 3200)
    )
]
PSDU_BYTES = (14, 32, 1538, 1542, 3076, 26246, 49406, 65535, 98814, 395262, 1048575)
BANDS = {"al_band_5ghz": GHZ_5, "al_band_2ghz": GHZ_2_4}


def known(standard, width, streams, mcs, gi_ns):
    """The model's rate, or None."""
    try:
        return phy.Rate(standard, width, streams, mcs, gi_ns)
    except ValueError:
        return None


RATES = [row for row in GRID if known(*row)]


@pytest.fixture(scope="module")
def airlink(tmp_path_factory):
    """phy.c."""
    library = compiled("air/phy", tmp_path_factory.mktemp("phy"))
    library.al_rate_valid.restype = ctypes.c_bool
    for name in ("al_ppdu_ns", "al_psdu_bytes_within", "al_control_ns", "al_rate_kbps"):
        getattr(library, name).restype = ctypes.c_uint32
    return library


def as_c(standard, width, streams, mcs, gi_ns):
    return ctypes.byref(Rate(STANDARDS.index(standard), mcs, streams, width, gi_ns))


def band_of(airlink, name):
    return ctypes.byref(ctypes.c_uint32.in_dll(airlink, name))


def test_the_same_rates_are_valid(airlink):
    assert len(RATES) > 900
    assert [row for row in GRID if airlink.al_rate_valid(as_c(*row))] == RATES


@pytest.mark.parametrize("name", BANDS)
def test_ppdus_take_the_same_time(airlink, name):
    band = band_of(airlink, name)
    for row in RATES:
        rate = known(*row)
        if name == "al_band_2ghz" and (rate.standard == "VHT" or rate.width_mhz > 40):
            continue
        for psdu_bytes in PSDU_BYTES:
            expected = ppdu.ppdu_ns(rate, psdu_bytes, BANDS[name])
            assert airlink.al_ppdu_ns(as_c(*row), band, psdu_bytes) == expected, (rate, psdu_bytes)


@pytest.mark.parametrize("name", BANDS)
def test_responses_take_the_same_time(airlink, name):
    band = band_of(airlink, name)
    for row in RATES:
        rate = known(*row)
        for psdu_bytes, model in (
            (ppdu.ACK_BYTES, ppdu.ack_ns(rate, BANDS[name])),
            (ppdu.RTS_BYTES, ppdu.rts_ns(rate, BANDS[name])),
            (ppdu.BLOCK_ACK_BYTES[64], ppdu.block_ack_ns(rate, BANDS[name])),
            (ppdu.BLOCK_ACK_BYTES[256], ppdu.block_ack_ns(rate, BANDS[name], 256)),
        ):
            assert airlink.al_control_ns(as_c(*row), band, psdu_bytes) == model, rate


def test_the_rate_is_the_standards(airlink):
    for row in RATES:
        assert airlink.al_rate_kbps(as_c(*row)) == known(*row).bit_per_s // 1000


@pytest.mark.parametrize("limit_ns", [20_000, 500_000, 4_096_000, 5_484_000])
def test_the_longest_psdu_fits_and_one_byte_more_does_not(airlink, limit_ns):
    band = band_of(airlink, "al_band_5ghz")
    for row in RATES:
        longest = airlink.al_psdu_bytes_within(as_c(*row), band, limit_ns)
        if longest:
            assert airlink.al_ppdu_ns(as_c(*row), band, longest) <= limit_ns, row
        assert airlink.al_ppdu_ns(as_c(*row), band, longest + 1) > limit_ns, row


@pytest.mark.parametrize("name", BANDS)
def test_waiting_for_an_answer(airlink, name):
    band = band_of(airlink, name)
    assert airlink.al_ack_timeout_ns(band) == BANDS[name].ack_timeout_ns
    eifs = ppdu.ppdu_ns(phy.Rate.legacy(6), ppdu.ACK_BYTES, BANDS[name]) + BANDS[name].sifs_ns
    assert airlink.al_eifs_minus_difs_ns(band) == eifs
