# SPDX-License-Identifier: GPL-2.0-or-later
"""Access, frames, aggregates, and one station's exchange: reference values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsqlab.model import edca, mac
from tsqlab.model.band import GHZ_2_4, GHZ_2_4_LONG, GHZ_5
from tsqlab.model.exchange import Settings, exchange
from tsqlab.model.phy import Rate
from tsqlab.model.ppdu import ppdu_ns

HT40 = Rate("HT", 40, 1, 7, 400)


@pytest.mark.parametrize(
    ("band", "spaces", "aifs"),
    [
        (GHZ_5, (9, 16, 25, 34), [25, 34, 43, 79]),
        (GHZ_2_4, (9, 10, 19, 28), [19, 28, 37, 73]),
        (GHZ_2_4_LONG, (20, 10, 30, 50), [30, 50, 70, 150]),
    ],
)
def test_interframe_spaces(band, spaces, aifs):
    times = (band.slot_ns, band.sifs_ns, band.pifs_ns, band.difs_ns)
    assert times == tuple(us * 1000 for us in spaces)
    assert [edca.Access(n, 15, 1023).aifs_ns(band) / 1000 for n in (1, 2, 3, 7)] == aifs


def test_after_errors():
    assert GHZ_5.ack_timeout_ns == 45_000
    assert GHZ_2_4.ack_timeout_ns == 39_000
    assert edca.eifs_extra_ns(GHZ_5) == edca.eifs_extra_ns(GHZ_2_4) == 60_000
    assert edca.eifs_extra_ns(GHZ_5) + GHZ_5.difs_ns == 94_000
    assert edca.eifs_extra_ns(GHZ_5) + edca.STATION["BE"].aifs_ns(GHZ_5) == 103_000


def test_access_categories():
    assert {
        "BK": edca.Access(7, 15, 1023, 0),
        "BE": edca.Access(3, 15, 1023, 0),
        "VI": edca.Access(2, 7, 15, 3_008_000),
        "VO": edca.Access(2, 3, 7, 1_504_000),
    } == edca.STATION
    assert {ac: (one.aifsn, one.cw_max) for ac, one in edca.ACCESS_POINT.items()} == {
        "BK": (7, 1023), "BE": (3, 63), "VI": (1, 15), "VO": (1, 7)
    }  # fmt: skip


def test_contention_windows():
    assert [edca.STATION["BE"].cw_after(n) for n in range(9)] == [
        15, 31, 63, 127, 255, 511, 1023, 1023, 1023
    ]  # fmt: skip
    assert [edca.ACCESS_POINT["BE"].cw_after(n) for n in range(4)] == [15, 31, 63, 63]
    assert [edca.STATION["VO"].cw_after(n) for n in range(3)] == [3, 7, 7]
    assert edca.STATION["BE"].mean_backoff_ns(GHZ_5) == 67_500


def test_mpdus():
    assert mac.mpdu_bytes(1500) == 1538
    assert mac.mpdu_bytes(1500, ccmp=True) == 1554
    assert mac.mpdu_bytes(1500, qos=False) == 1536
    assert mac.mpdu_bytes(1500, four_addresses=True) == 1544
    assert [mac.mpdu_bytes(1500, packets=n) for n in (2, 3)] == [3076, 4600]
    with pytest.raises(ValueError, match="at most 2304 bytes"):
        mac.mpdu_bytes(2297)


def test_psdus():
    assert mac.psdu_bytes("HT", 1538) == mac.psdu_bytes("legacy", 1538) == 1538
    assert mac.psdu_bytes("VHT", 1538) == mac.psdu_bytes("HE", 1538) == 1542
    for standard in ("HT", "VHT", "HE"):
        assert mac.psdu_bytes(standard, 1538, 2) == 1544 + 1542
        assert mac.psdu_bytes(standard, 1540, 3) == 3 * 1544
    assert mac.psdu_bytes("HT", 1554, 2, extra_delimiters=10) == 1560 + 40 + 1558
    for standard, size, n in (("legacy", 1538, 2), ("HT", 1538, 0), ("HT", 4096, 2)):
        with pytest.raises(ValueError, match="aggregate"):
            mac.psdu_bytes(standard, size, n)


@pytest.mark.parametrize(
    ("rate", "limits", "subframes"),
    [
        (Rate("HT", 20, 1, 7), mac.ATH9K_LIMITS, 21),
        (Rate("HT", 20, 1, 0), mac.ATH9K_LIMITS, 2),
        (Rate("HT", 40, 2, 7, 400), mac.ATH9K_LIMITS, 32),
        (HT40, None, 42),  # 65535 bytes
        (Rate("HT", 20, 1, 0), None, 2),  # 5.484 ms
        (Rate("VHT", 80, 2, 9, 400), None, 64),
        (Rate("HE", 80, 2, 11), None, 256),
        (Rate("HE", 80, 2, 11), mac.Limits(64, 10**9), 64),
        (Rate.legacy(54), None, 1),
        (Rate("HT", 20, 1, 0), mac.Limits(64, 65_535, 1_000_000), 1),
    ],
    ids=str,
)
def test_largest_aggregates(rate, limits, subframes):
    assert mac.largest_aggregate(rate, 1538, limits) == subframes


@pytest.mark.parametrize(("size", "ns", "subframes"), [
    (26_246, 1_440_000, 17), (26_245, 1_440_000, 16), (26_246, 1_439_999, 16)
])  # fmt: skip
def test_a_limit_is_what_may_just_be_reached(size, ns, subframes):
    assert mac.largest_aggregate(HT40, 1538, mac.Limits(64, size, ns)) == subframes


def test_a_long_mpdu_goes_alone():
    assert mac.largest_aggregate(HT40, mac.mpdu_bytes(1500, packets=3)) == 1


@pytest.mark.parametrize(("mcs", "size"), [(0, 3_296), (7, 32_984)])
def test_ath9ks_limit_of_4_ms_is_its_table_of_bytes(mcs, size):
    rate = Rate("HT", 20, 1, mcs)
    assert ppdu_ns(rate, size) <= mac.ATH9K_LIMITS.duration_ns < ppdu_ns(rate, size + 1)


@given(st.sampled_from([HT40, Rate("HT", 20, 1, 3), Rate("VHT", 80, 1, 2), Rate("HE", 20, 2, 4)]),
       st.integers(40, 1500), st.integers(1, 64), st.integers(1, 70_000),
       st.integers(100_000, 6_000_000))  # fmt: skip
def test_an_aggregate_ends_where_the_next_mpdu_would_not_fit(rate, ip, subframes, size, ns):
    limits = mac.Limits(subframes, size, ns).within(mac.STANDARD_LIMITS[rate.standard])
    mpdu = mac.mpdu_bytes(ip)

    def fits(n):
        psdu = mac.psdu_bytes(rate.standard, mpdu, n)
        return (
            n <= limits.subframes
            and psdu <= limits.bytes
            and ppdu_ns(rate, psdu) <= limits.duration_ns
        )

    n = mac.largest_aggregate(rate, mpdu, limits)
    assert n == 1 or fits(n)
    assert not fits(n + 1)


@pytest.mark.parametrize(
    ("arguments", "access", "ppdu_us", "mbps"),
    [
        ((HT40, 1538, 17), edca.STATION["BE"], 1440, 125.24),
        ((Rate("HT", 40, 2, 7, 400), 1538, 32), edca.STATION["BE"], 1360, 248.16),
        ((Rate.legacy(54), 1536, 1), edca.DCF, 248, 29.93),
    ],
    ids=["AR9271", "ath9k", "legacy"],
)
def test_reference_goodputs(arguments, access, ppdu_us, mbps):
    parts = exchange(*arguments, Settings(access))
    assert parts.ppdu_ns == ppdu_us * 1000
    assert parts.goodput_bit_per_s(1472 * arguments[2]) / 1e6 == pytest.approx(mbps, abs=0.005)


def test_the_parts_of_an_exchange():
    parts = exchange(HT40, 1538, 17)
    assert parts.aifs_ns + parts.backoff_ns == 110_500
    assert parts.busy_ns == 1_440_000 + 16_000 + 32_000
    assert parts.total_ns == 1_598_500


@pytest.mark.parametrize("rate", [Rate.legacy(54), HT40, Rate("HE", 20, 1, 5)], ids=str)
@pytest.mark.parametrize("ac", ["BK", "BE", "VI", "VO"])
def test_an_exchange_takes_as_long_in_both_bands(rate, ac):
    both = [exchange(rate, 1538, 1, Settings(edca.STATION[ac], band)) for band in (GHZ_5, GHZ_2_4)]
    assert both[0].total_ns == both[1].total_ns


def test_what_rts_costs():
    plain = exchange(HT40, 1538, 17)
    assert exchange(HT40, 1538, 17, Settings(rts=True)).total_ns - plain.total_ns == 88_000


def test_a_large_window_has_a_large_bitmap():
    rate = Rate("HE", 80, 2, 11)
    short, long = (exchange(rate, 1538, 32, Settings(window=window)) for window in (64, 256))
    assert long.response_ns - short.response_ns == 8_000
    assert exchange(rate, 1538, 1, Settings(window=256)).response_ns == 28_000  # a lone ACK
