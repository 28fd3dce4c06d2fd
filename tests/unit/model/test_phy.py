# SPDX-License-Identifier: GPL-2.0-or-later
"""Rates and durations of PPDUs: the standard's tables, and sums made by hand."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsqlab.model import ppdu
from tsqlab.model.band import GHZ_2_4, GHZ_2_4_LONG, GHZ_5
from tsqlab.model.phy import LEGACY_MBPS, VHT_INVALID, Rate

# N_DBPS of one stream: HT20 and VHT20, HT40 and VHT40, VHT80, VHT160; HE 20, 40, 80, 160.
N_DBPS = """
26 54 117 234 117 234 490 980
52 108 234 468 234 468 980 1960
78 162 351 702 351 702 1470 2940
104 216 468 936 468 936 1960 3920
156 324 702 1404 702 1404 2940 5880
208 432 936 1872 936 1872 3920 7840
234 486 1053 2106 1053 2106 4410 8820
260 540 1170 2340 1170 2340 4900 9800
312 648 1404 2808 1404 2808 5880 11760
- 720 1560 3120 1560 3120 6533 13066
- - - - 1755 3510 7350 14700
- - - - 1950 3900 8166 16333
"""
WIDTHS = [("VHT", 20), ("VHT", 40), ("VHT", 80), ("VHT", 160),
          ("HE", 20), ("HE", 40), ("HE", 80), ("HE", 160)]  # fmt: skip
CELLS = [
    (standard, width, mcs, int(cell))
    for mcs, row in enumerate(N_DBPS.split("\n")[1:-1])
    for (standard, width), cell in zip(WIDTHS, row.split(), strict=True)
    if cell != "-"
]


def every_rate():
    """All valid rates but legacy's."""
    for standard, widths, streams, mcs, intervals in (
        ("HT", (20, 40), 4, 8, (800, 400)),
        ("VHT", (20, 40, 80, 160), 8, 10, (800, 400)),
        ("HE", (20, 40, 80, 160), 8, 12, (800, 1600, 3200)),
    ):
        for width in widths:
            for n in range(1, streams + 1):
                for m in range(mcs):
                    if standard != "VHT" or (width, n, m) not in VHT_INVALID:
                        for gi in intervals:
                            yield Rate(standard, width, n, m, gi)


RATES = list(every_rate())
ANY_RATE = st.sampled_from([*RATES, *map(Rate.legacy, LEGACY_MBPS)])


@pytest.mark.parametrize(("standard", "width", "mcs", "bits"), CELLS)
def test_bits_in_a_symbol(standard, width, mcs, bits):
    assert Rate(standard, width, 1, mcs).n_dbps == bits
    if standard == "VHT" and width <= 40 and mcs <= 7:
        assert Rate("HT", width, 1, mcs).n_dbps == bits


def test_he_rounds_down_after_multiplying_by_the_streams():
    assert Rate("HE", 80, 3, 9).n_dbps == 19600  # 6533.3 each
    assert Rate("HE", 80, 2, 11).n_dbps == 16333


def test_legacy_bits_in_a_symbol():
    assert [Rate.legacy(mbps).n_dbps for mbps in LEGACY_MBPS] == [24, 36, 48, 72, 96, 144, 192, 216]
    assert [Rate.legacy(mbps).bit_per_s for mbps in LEGACY_MBPS] == [
        mbps * 1_000_000 for mbps in LEGACY_MBPS
    ]


@pytest.mark.parametrize(
    ("rate", "mbps"),
    [
        (Rate("HT", 20, 1, 0), 6.5),
        (Rate("HT", 20, 2, 7, 400), 144.4),
        (Rate("HT", 40, 1, 7, 400), 150),
        (Rate("HT", 40, 4, 7, 400), 600),
        (Rate("VHT", 20, 3, 9), 260),
        (Rate("VHT", 80, 2, 9, 400), 866.7),
        (Rate("VHT", 160, 8, 9, 400), 6933.3),
        (Rate("HE", 20, 1, 0, 3200), 7.3),
        (Rate("HE", 80, 2, 11), 1201),
        (Rate("HE", 160, 8, 11), 9607.8),
    ],
    ids=str,
)
def test_rates_as_sold(rate, mbps):
    assert rate.bit_per_s / 1e6 == pytest.approx(mbps, abs=0.06)


def test_encoders_of_ht():
    two = {(rate.width_mhz, rate.streams, rate.mcs) for rate in RATES
           if rate.standard == "HT" and rate.n_es == 2}  # fmt: skip
    # 802.11-2020 19.5: above 300 Mbit/s with the short guard interval
    assert two == {(40, 3, 5), (40, 3, 6), (40, 3, 7), (40, 4, 4), (40, 4, 5), (40, 4, 6),
                   (40, 4, 7)}  # fmt: skip


def test_encoders_of_vht_share_all_bits_and_the_invalid_do_not():
    """What the standard's tables come from (21.5): whole bits, and whole punctured blocks."""

    def divides(width, streams, mcs, encoders):
        tones = {20: 52, 40: 108, 80: 234, 160: 468}[width]
        bits, above, below = [(1, 1, 2), (2, 1, 2), (2, 3, 4), (4, 1, 2), (4, 3, 4), (6, 2, 3),
                              (6, 3, 4), (6, 5, 6), (8, 3, 4), (8, 5, 6)][mcs]  # fmt: skip
        coded = tones * bits * streams
        return coded % (encoders * below) == 0 and coded * above // below % (encoders * above) == 0

    for rate in RATES:
        if rate.standard == "VHT":
            assert divides(rate.width_mhz, rate.streams, rate.mcs, rate.n_es), str(rate)
            assert rate.n_es >= rate.n_dbps / 2160
    for width, streams, mcs in VHT_INVALID:
        tones = {20: 52, 80: 234, 160: 468}[width]
        bits, code = ((8, 5 / 6), (6, 3 / 4))[mcs == 6]
        encoders = -(-tones * bits * streams * code // 2160)
        assert not divides(width, streams, mcs, int(encoders))


def test_he_has_no_tail():
    assert {rate.n_es for rate in RATES if rate.standard == "HE"} == {0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("11be", 20, 1, 0), "there is no standard 11be; accepted: legacy, HT, VHT, HE"),
        (("HT", 80, 1, 0), "there is no HT width in MHz 80; accepted: 20, 40"),
        (("HT", 20, 5, 0), "there is no HT number of streams 5; accepted: 1 to 4"),
        (("HT", 20, 1, 15), "HT's MCS 15 is written as 2 streams with MCS 7"),
        (("HT", 20, 1, 32), "there is no HT MCS 32; accepted: 0 to 7"),
        (("HT", 20, 1, 0, 1600), "there is no HT guard interval in ns 1600; accepted: 800, 400"),
        (("HE", 20, 1, 0, 400), "accepted: 800, 1600, 3200"),
        (("VHT", 20, 2, 9), "VHT leaves out MCS 9 at 20 MHz with 2 streams"),
        (("VHT", 80, 3, 6), "VHT leaves out MCS 6 at 80 MHz with 3 streams"),
        (("VHT", 160, 3, 9), "VHT leaves out MCS 9 at 160 MHz with 3 streams"),
        (("VHT", 80, 1, 10), "there is no VHT MCS 10; accepted: 0 to 9"),
    ],
)
def test_what_does_not_exist_is_refused(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Rate(*arguments)


def test_a_legacy_rate_that_does_not_exist():
    with pytest.raises(ValueError, match="no legacy rate of 11 Mbit/s; accepted: 6, 9"):
        Rate.legacy(11)


@pytest.mark.parametrize(
    ("standard", "us"),
    [
        ("HT", [36, 40, 48, 48]),
        ("VHT", [40, 44, 52, 52, 60, 60, 68, 68]),
        ("HE", [43.2, 50.4, 64.8, 64.8, 79.2, 79.2, 93.6, 93.6]),
    ],
)
def test_preambles(standard, us):
    assert [ppdu.preamble_ns(Rate(standard, 40, n, 0)) / 1000
            for n in range(1, len(us) + 1)] == us  # fmt: skip


def test_he_training_grows_with_the_guard_interval():
    assert [ppdu.preamble_ns(Rate("HE", 20, 1, 0, gi)) for gi in (800, 1600, 3200)] == [
        36_000 + 7_200,
        36_000 + 8_000,
        36_000 + 16_000,
    ]


@pytest.mark.parametrize(
    ("rate", "size", "us"),
    [
        (Rate.legacy(54), 1536, 248),  # 12310 bits, 57 symbols
        (Rate.legacy(54), 1538, 252),  # 12326 bits, 58 symbols
        (Rate("HT", 40, 1, 7, 400), 26246, 1440),  # 389 symbols, 1400.4 us, to 1404
        (Rate("HT", 40, 2, 7, 400), 49406, 1360),  # 366 symbols, 1317.6 us, to 1320
        (Rate("HT", 40, 1, 7), 26246, 36 + 389 * 4),
        (Rate("HT", 40, 3, 7), 1538, 48 + 8 * 4),  # two tails: 12332 bits, 1620 a symbol
        (Rate("VHT", 80, 2, 9, 400), 1542, 44 + 16),  # 12364 bits, 4 symbols, 14.4 us, to 16
        (Rate("HE", 80, 1, 11), 1542, 43.2 + 2 * 13.6),  # 12352 bits, no tail
        (Rate("HE", 20, 1, 0, 3200), 14, 52 + 2 * 16),  # 128 bits, 117 a symbol
    ],
    ids=str,
)
def test_durations_by_hand(rate, size, us):
    assert ppdu.ppdu_ns(rate, size) == round(us * 1000)


def test_the_tail_can_need_a_symbol_more():
    rate = Rate("VHT", 160, 8, 9)  # 12 encoders, 24960 bits a symbol
    assert ppdu.symbols(rate, (24960 - 16 - 72) // 8) == 1
    assert ppdu.symbols(rate, (24960 - 16 - 72) // 8 + 1) == 2


@given(ANY_RATE, st.integers(1, 65535))
def test_a_duration_is_its_bits_at_the_rate_and_less_than_a_symbol_more(rate, size):
    ns = ppdu.ppdu_ns(rate, size) - ppdu.preamble_ns(rate)
    bits = 16 + 8 * size + 6 * rate.n_es
    slack = 4_000 if rate.gi_ns == 400 else 0
    assert bits * rate.symbol_ns <= ns * rate.n_dbps
    assert (ns - slack - rate.symbol_ns) * rate.n_dbps < bits * rate.symbol_ns
    assert rate.standard == "HE" or ns % 4_000 == 0


@given(ANY_RATE, st.integers(1, 65535), st.integers(0, 100))
def test_more_bytes_never_take_less_time(rate, size, more):
    assert ppdu.ppdu_ns(rate, size) <= ppdu.ppdu_ns(rate, size + more)


def test_the_signal_extension_is_part_of_a_ppdu():
    for rate in (Rate.legacy(6), Rate("HT", 40, 1, 7), Rate("HE", 40, 1, 7)):
        assert ppdu.ppdu_ns(rate, 100, GHZ_2_4) == ppdu.ppdu_ns(rate, 100) + 6_000


@pytest.mark.parametrize("rate", [Rate("VHT", 20, 1, 7), Rate("HE", 80, 1, 7)], ids=str)
def test_what_2_4_ghz_does_not_have(rate):
    with pytest.raises(ValueError, match=r"at 2\.4 GHz"):
        ppdu.ppdu_ns(rate, 100, GHZ_2_4)


def test_packet_extension():
    rate = Rate("HE", 80, 1, 7)
    assert ppdu.ppdu_ns(rate, 100, pe_ns=16_000) == ppdu.ppdu_ns(rate, 100) + 16_000
    for wrong, pe_ns in ((rate, 5_000), (rate, 20_000), (Rate("HT", 20, 1, 0), 4_000)):
        with pytest.raises(ValueError, match="packet extension"):
            ppdu.ppdu_ns(wrong, 100, pe_ns=pe_ns)


def test_a_psdu_has_bytes():
    with pytest.raises(ValueError, match="at least 1 byte"):
        ppdu.ppdu_ns(Rate.legacy(6), 0)


@pytest.mark.parametrize(("mbps", "ack", "block_ack"), [(24, 28, 32), (12, 32, 44), (6, 44, 68)])
def test_responses(mbps, ack, block_ack):
    rate = Rate.legacy(mbps)
    for band, extension in ((GHZ_5, 0), (GHZ_2_4, 6), (GHZ_2_4_LONG, 6)):
        assert ppdu.ack_ns(rate, band) == (ack + extension) * 1000
        assert ppdu.cts_ns(rate, band) == (ack + extension) * 1000
        assert ppdu.block_ack_ns(rate, band) == (block_ack + extension) * 1000


def test_responses_at_24():
    rate = Rate("VHT", 80, 1, 9)
    assert ppdu.block_ack_ns(rate, bitmap=256) == 40_000
    assert ppdu.rts_ns(rate) == 28_000


def test_rates_of_responses_follow_modulation_and_code_alone():
    expected = [6, 12, 12] + [24] * 9
    for rate in RATES:
        assert ppdu.response_rate(rate) == Rate.legacy(expected[rate.mcs])
    assert [ppdu.response_rate(Rate.legacy(mbps)).bit_per_s // 10**6 for mbps in LEGACY_MBPS] == [
        6, 6, 12, 12, 24, 24, 24, 24
    ]  # fmt: skip
    assert ppdu.response_rate(Rate("HT", 20, 1, 7), (6,)) == Rate.legacy(6)
    with pytest.raises(ValueError, match="no basic rate"):
        ppdu.response_rate(Rate("HT", 20, 1, 0), (24,))
