# SPDX-License-Identifier: GPL-2.0-or-later
"""TSQ's limit in closed form: the kernel's own examples, and what the lab holds to be true as
well."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tsq
import tsqlab
from tsq.limit import (
    GSO_HEAD_BYTES,
    MAC80211_SHIFT,
    RATIO_MAX,
    SKB_HEAD_BYTES,
    STOCK_CA_RATIO,
    STOCK_SHIFT,
    Gso,
    Knobs,
    Path,
    Ratios,
    limit_of,
    ms_max,
    ms_of_shift,
    ratios_for,
    skb_data_bytes,
)
from tsqlab.experiment import era
from tsqlab.experiment import tsq as lab
from tsqlab.paths import ROOT

MSS = 1448


def test_the_lab_knows_the_same():
    """tsq imports nothing of the lab, so what both have is held together here."""
    assert tsq.__version__ == tsqlab.__version__
    assert (STOCK_SHIFT, MAC80211_SHIFT) == (lab.STOCK_SHIFT, lab.MAC80211_SHIFT)
    assert era.CHARGED == MSS + SKB_HEAD_BYTES


def test_cotsq_s_series_has_the_names():
    added = (ROOT / "kernel/patches/6.12/tcp").glob("*.patch")
    text = "".join(path.read_text() for path in added)
    from tsq.knobs import TSQ_US  # noqa: PLC0415
    from tsq.measure import TCP_TSQ_INFO  # noqa: PLC0415

    assert re.search(rf"^\+.*\"{TSQ_US.rpartition('.')[2]}\"", text, re.MULTILINE)
    assert f"TCP_TSQ_INFO\t\t{TCP_TSQ_INFO:#x}" in text


@pytest.mark.parametrize(
    ("ms", "shift", "ratios"),
    [
        (6, 10, Ratios(737, 1000)),  # 200/120 of 737 would be 1228
        (6, 8, Ratios(184, 307)),
        (6, 7, Ratios(92, 153)),
        (ms_of_shift(10), 10, Ratios(120, 200)),  # what it is without us
        (8.1, 10, Ratios(995, 1000)),
    ],
)
def test_six_ms_is_737_percent_on_a_wire_and_92_over_mac80211(ms, shift, ratios):
    assert ratios_for(ms, shift) == ratios


@pytest.mark.parametrize(("ms", "shift"), [(8.3, 10), (1000, 7), (0.003, 10), (66, 7)])
def test_what_the_sysctl_does_not_reach_is_none(ms, shift):
    assert ratios_for(ms, shift) is None


@given(st.floats(0.1, 70), st.integers(6, 11))
def test_the_ratio_gives_the_time_that_was_asked_for(ms, shift):
    ratios = ratios_for(ms, shift)
    if ratios is None:
        assert ms > ms_max(shift) * 0.999 or ms < 0.1
    else:
        assert ratios.ms(shift) == pytest.approx(ms, abs=ms_of_shift(shift) / STOCK_CA_RATIO)
        assert ratios.ca <= ratios.ss <= RATIO_MAX or ratios.ss == RATIO_MAX


def rate(mbit, percent=120):
    """The pacing rate of a flow of that goodput, in bytes per second."""
    return int(mbit * 1e6 / 8 * percent / 100)


def data(mbit, min_rtt_us, gso=None, mss=MSS, **knobs):
    path = Path(mss, min_rtt_us)
    return skb_data_bytes(rate(mbit), 10, path, gso or Gso(), Knobs(**knobs))


def test_an_skb_is_as_large_as_one_ms_is_on_a_long_path():
    """100 Mbit/s: 120 Mbit/s / 1024 are 14648 bytes, ten packets; a short path adds to 64 KiB."""
    assert data(100, 20_000) == 10 * MSS
    assert data(100, 40) == 45 * MSS
    assert data(100, None) == 10 * MSS
    short = data(100, 2_500)
    assert short == (14648 + ((65536 - GSO_HEAD_BYTES) >> 4)) // MSS * MSS
    assert data(100, 2_500, tso_rtt_log=11) > 2 * short


def test_a_device_bounds_an_skb():
    assert data(100, 40, Gso(max_segs=1)) == MSS
    assert data(1, 20_000) == 2 * MSS
    assert data(1, 20_000, min_tso_segs=8) == 8 * MSS
    assert data(0, None, mss=1) == 2


def limit(mbit, shift, skb, cap=1 << 20, *, paced=False):
    return limit_of(rate(mbit), shift, skb, Knobs(limit_output_bytes=cap), paced=paced)


@pytest.mark.parametrize(
    ("limit", "binds", "size"),
    [
        (limit(100, 10, MSS + 960), "time", 14648),
        (limit(100, 10, 66_000), "two skbs", 132_000),
        (limit(100, 10, 66_000, 20_000), "bytes", 20_000),
        (limit(100, 10, 66_000, 20_000, paced=True), "two skbs", 132_000),
        (limit(100, 7, 66_000), "two skbs", 132_000),
        (limit(200, 7, 66_000), "time", 234_375),
    ],
)
def test_the_largest_of_time_and_two_skbs_but_not_more_than_the_bytes(limit, binds, size):
    assert (limit.binds, limit.bytes) == (binds, size)


def test_cotsq_s_terms_take_the_place_of_stock_s():
    def cotsq(**knobs):
        zeros = {"tsq_us": 0, "tsq_pkts": 0, "tsq_bytes": 0}
        return limit_of(15_000_000, 10, 66_000, Knobs(**zeros | knobs), paced=True)

    assert cotsq().bytes == 132_000
    assert cotsq(tsq_us=20_000).bytes == 300_000
    assert cotsq(tsq_us=1, tsq_pkts=3).bytes == 3 * (MSS + SKB_HEAD_BYTES)
    assert (cotsq(tsq_bytes=5000).bytes, cotsq(tsq_bytes=5000).binds) == (5000, "bytes")
    assert cotsq(tsq_bytes=-1).bytes > 4e9
