# SPDX-License-Identifier: GPL-2.0-or-later
"""The Wi-Fi testbed: radios made by netlink, traffic over them, what they count."""

import numpy as np
import pytest

from tsqlab.airlink import messages
from tsqlab.airlink.messages import Radio, payload
from tsqlab.airlink.uapi import ProfileAttribute
from tsqlab.experiment.bundled import bundled_profiles
from tsqlab.guest.boot import GuestError
from tsqlab.metrics import summarise
from tsqlab.metrics.document import trace

SHORT = {"length": "5 s", "delay": "1 s"}
ADDRESS = "02:00:00:00:00:01"


def wifi(**testbed):
    return {"layout": "wifi", **testbed}


def test_udp_fills_aggregates(cell):
    """Against docs/radio-model.md's goodput of HT40, 17 subframes and CWmin 15: 125 Mbit/s.

    CWmin is halved here, which saves 36 us of 1.7 ms, and a device is slower than its air.
    """
    document = cell({"testbed": wifi(), "flows": {"test": "udp_flood", **SHORT}})
    summary = summarise(document)
    assert 90 < summary["goodput_mbps"] < 128
    assert summary["aggregate_mean"] == pytest.approx(17, rel=0.02)


@pytest.mark.parametrize("device", ["ath9k_htc", "ath9k", "ath10k"])
def test_a_larger_tsq_aggregates_more(cell, device):
    results = [
        summarise(cell({"testbed": wifi(device=device), "flows": SHORT, "sender": {"tsq": tsq}}))
        for tsq in ("TSQ", "NoTSQ")
    ]
    stock, unlimited = results
    assert unlimited["goodput_mbps"] > 1.3 * stock["goodput_mbps"]
    assert unlimited["aggregate_mean"] > 2 * stock["aggregate_mean"]
    assert unlimited["ping_ms_p50"] > stock["ping_ms_p50"]


@pytest.mark.parametrize("device", ["ideal", "ath9k"])
def test_a_profile_has_the_last_word_on_its_turns(cell, tmp_path, device):
    """Below mac80211 too, which hostapd tells of its own when the station comes."""
    rare = tmp_path / "rare.toml"
    text = bundled_profiles()[device].read_text()
    rare.write_text(text + "edca = { BE = { cw_min = 511, cw_max = 511 } }\n")
    flows = {"test": "udp_flood", "length": "2 s", "delay": "1 s"}
    usual, patient = (
        summarise(cell({"testbed": wifi(device=name), "flows": flows}))
        for name in (device, str(rare))
    )
    assert patient["goodput_mbps"] < 0.6 * usual["goodput_mbps"]  # 2.3 ms more, on average


@pytest.mark.parametrize("device", ["ath9k_htc", "ath9k", "ath10k"])
def test_stations_share_the_air(cell, device):
    document = cell({"testbed": wifi(stations=2, device=device), "flows": {"streams": 2, **SHORT}})
    for number in (1, 2):
        assert np.mean([v for v in document["results"][f"TCP upload::{number}"] if v]) > 10
        assert f"wifi_stats_C{number}::avg_aggr_size::AP" in document["results"]
    assert "wifi_stats_AP::avg_aggr_size::all" in document["results"]


def test_rate_control_finds_the_best_rate_of_a_clean_channel(cell):
    """Within a tenth of the fixed rate's goodput: what probes cost, and a second of search."""
    flows = {"test": "udp_flood", **SHORT}
    fixed, minstrel = (
        summarise(cell({"testbed": wifi(device="ath9k", rate=rate), "flows": flows}))
        for rate in ("HT40 MCS15 SGI", "minstrel")
    )
    assert minstrel["goodput_mbps"] > 0.9 * fixed["goodput_mbps"]
    assert minstrel["aggregate_mean"] != fixed["aggregate_mean"], "probes go alone"


@pytest.mark.parametrize("rate", ["HT20 MCS7", "HT40 MCS15"])
def test_rates_without_the_short_guard_interval_have_a_bss(cell, rate):
    """hostapd refuses to start with what the device has not."""
    flows = {"test": "udp_flood", "length": "1 s", "delay": "500 ms"}
    document = cell({"testbed": wifi(device="ath9k", rate=rate), "flows": flows})
    assert summarise(document)["goodput_mbps"] > 40


@pytest.mark.parametrize("aql", [True, False])
def test_a_ping_passes_what_airtime_limits_hold_back(cell, tmp_path, aql):
    """Behind AQL's 12 ms at most; without it, behind all that the flow has in the device."""
    device = tmp_path / "pushes.toml"
    ideal = bundled_profiles()["ideal"].read_text().replace('"fullmac"', '"softmac"')
    device.write_text(
        ideal + f'access_point = "ideal"\ndevice_queues = "push"\naql = {str(aql).lower()}\n'
    )
    testbed, sender = wifi(device=str(device)), {"tsq": "NoTSQ"}
    summary = summarise(cell({"testbed": testbed, "flows": SHORT, "sender": sender}))
    assert summary["tcp_rtt_ms_p50"] > 15
    share = summary["ping_ms_p50"] / summary["tcp_rtt_ms_p50"]
    assert share < 0.6 if aql else share > 0.8


@pytest.mark.parametrize(
    ("key", "waits"),
    [
        ("receive_with_reports = false", True),
        ("receive_with_reports = true", False),
        ("receive_frames = 1", False),
    ],
)
def test_received_frames_wait_for_an_interrupt(cell, tmp_path, key, waits):
    """50 ms after the last of them, or with the next frame that was sent, or by their number."""
    device = tmp_path / "waits.toml"
    device.write_text(
        bundled_profiles()["ideal"].read_text() + 'access_point = "ideal"\n'
        'receive_wait = "50 ms"\nreceive_wait_max = "60 ms"\n'
        f"{key}\n"
    )
    flows = {"test": "udp_flood", "udp_rate": "10 Mbit/s", **SHORT}
    document = cell({"testbed": wifi(device=str(device)), "flows": flows})
    ping_ms = summarise(document)["ping_ms_p50"]
    assert 50 < ping_ms < 65 if waits else ping_ms < 5


@pytest.mark.parametrize(
    ("keys", "round_ms"),
    [
        ("", 0.72),
        ('report_delay = "10 ms"', 10.72),
        ('report_wait = "10 ms"', 10.24),
        ('report_delay = "5 ms"\nreport_wait = "5 ms"', 10.24),
        ('report_wait = "10 ms"\nreport_frames = 8', 0.72),
        ('report_delay = "5 ms"\nreport_wait = "10 ms"\nreport_frames = 8', 5.72),
        ("report_frames = 8", 0.72),
    ],
)
def test_the_three_keys_about_reports(cell, tmp_path, keys, round_ms):
    """As docs/profiles.md tells them apart.

    The host gives eight frames and waits until all are reported. The first goes alone: AIFS and a
    mean backoff of 110 us, 83 us on the air, 44 to the end of the ACK. The other seven take 110,
    328 and 48 us more.
    """
    device = tmp_path / "reports.toml"
    device.write_text(
        bundled_profiles()["ideal"].read_text()
        + f'access_point = "ideal"\nhost_frames = 8\nresume_frames = 1\n{keys}\n'
    )
    flows = {"test": "udp_flood", "length": "2 s", "delay": "1 s"}
    document = cell({"testbed": wifi(device=str(device)), "flows": flows})
    mbps = 8 * 8 * 1472 / (round_ms * 1000)
    assert summarise(document)["goodput_mbps"] == pytest.approx(mbps, rel=0.03)


@pytest.mark.parametrize("device", ["ath9k_htc", "ath9k_3x3"])
def test_the_access_point_can_be_the_server(cell, device):
    testbed = {"layout": "wifi", "device": device, "server": "AP"}
    document = cell({"testbed": testbed, "flows": {**SHORT, "test": "rrul_be"}})
    measured = trace(document)
    assert document["metadata"]["HOST"] == "AP"
    assert all(flow.mean_mbps(measured.begin_s, measured.end_s) > 0 for flow in measured.flows)
    assert len(measured.flows) == 8
    assert min(len(ping.value) for ping in measured.pings.values()) > 0
    assert measured.wires == ()
    # A download is sent at the access point, whose own sockets its radio is fed by.
    (down,) = {flow.sender for flow in measured.flows if flow.direction == "down"}
    assert down == "AP"


def test_the_histogram_is_of_all_ppdus(cell):
    document = cell({"testbed": wifi(loss="1 %", rts="0 B"), "flows": SHORT})
    last = document["raw_values"]["wifi_stats_C"][-1]
    histogram = document["metadata"]["SERIES_META"]["wifi_stats_C"]["SUBFRAMES_OF"]
    assert sum(histogram) == last["ppdus"]
    assert sum(n * count for n, count in enumerate(histogram, 1)) == last["subframes"]
    assert last["rts"] >= last["ppdus"]
    assert last["frames_retried"] > 0.005 * last["frames_acked"]


def test_what_the_kernel_refuses_ends_the_guest_with_its_words(guest):
    radio = Radio(1, ADDRESS, profile={ProfileAttribute.AGGREGATE_FRAMES: 1000})
    lines = [f"genl\t-\tairlink\t{payload(one).hex()}"
             for one in (messages.new_medium(1), messages.new_radio(radio))]  # fmt: skip
    with pytest.raises(GuestError, match=r"airlink refuses: .*aggregate_frames: expected 1 to 256"):
        guest("module\t/tsqlab/modules/airlink.ko", *lines, "end")


def test_a_family_that_is_not_there_is_named(guest):
    request = payload(messages.new_medium(1)).hex()
    with pytest.raises(GuestError, match="refuses"):
        guest(f"genl\t-\tnosuch\t{request}", "end")
