# SPDX-License-Identifier: GPL-2.0-or-later
"""Stations of different rates at one access point: the anomaly, and airtime fairness against it."""

import re
from dataclasses import replace

import pytest

from bss import PAYLOAD_BYTES, Bss, measure, phy_rate, watch, words
from single import single
from stress import wait_until
from tsqlab.airlink import messages
from tsqlab.airlink.messages import Link
from tsqlab.airlink.uapi import ProfileAttribute
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.plan import make_plan
from tsqlab.guest.testbed import radio_lines
from tsqlab.model import contention
from tsqlab.model.band import GHZ_5
from tsqlab.model.exchange import exchange
from tsqlab.model.mac import largest_aggregate, mpdu_bytes
from tsqlab.model.phy import Rate
from tsqlab.results.measurement import read_table

MPDU_BYTES = mpdu_bytes(1500)
FAST, SLOW = Rate("HT", 40, 1, 7, 400), Rate("HT", 20, 1, 0)
"""150 and 6.5 Mbit/s; a frame of the slow one takes 2 ms."""
SECONDS = 8
OFFERED = 100_000_000  # bit/s to each station, more than half of the air takes


def test_a_slow_station_takes_a_fast_one_down_to_its_throughput(guest):
    """Uploads: both win the medium as often, and each frame of the slow one takes 23 times as long.

    The anomaly that Heusse et al. found (INFOCOM 2003). Against the exact simulation, in which a
    station whose PPDU collides with a longer one hears its end, and does not wait EIFS.
    """
    cycles = [exchange(rate, MPDU_BYTES, 1) for rate in (FAST, SLOW)]
    both = [
        contention.Contender(cycle.ppdu_ns, cycle.sifs_ns + cycle.response_ns, 1, attempts=7)
        for cycle in cycles
    ]
    no_eifs = replace(contention.recovery(GHZ_5), overlapped_ns=0)
    model = contention.simulate(both, 30_000, after_collision=no_eifs)
    bsses = [Bss(FAST, stations=2, seed=seed, rates=(FAST, SLOW)) for seed in (1, 2)]
    runs = measure(guest, bsses, [SECONDS] * 2)
    for number in (0, 1):
        frames = sum(counts[number]["frames_acked"] for counts in runs)
        expected = model.station_goodput_bit_per_s[number].value
        assert frames / SECONDS / 2 == pytest.approx(expected, rel=0.03), number
    alone = 1e9 / cycles[0].total_ns
    assert model.station_goodput_bit_per_s[0].value < 0.15 * alone


@pytest.mark.parametrize("subframes", [1, 2])
def test_a_fullmac_access_point_gives_its_stations_turns_and_not_airtime(guest, subframes):
    """Downloads: one PPDU each, at each station's own rate; within 1 % of the closed form."""
    profile = {ProfileAttribute.AGGREGATES_AHEAD: 1, ProfileAttribute.SINGLES_AHEAD: 1}
    bss = Bss(FAST, subframes, 2, profile, rates=(FAST, SLOW), down=True)
    ((fast, slow),) = measure(guest, [bss], [SECONDS])
    sizes = [min(subframes, largest_aggregate(rate, MPDU_BYTES)) for rate in (FAST, SLOW)]
    cycles = [exchange(rate, MPDU_BYTES, n) for rate, n in zip((FAST, SLOW), sizes, strict=True)]
    turns_per_s = 1e9 / sum(cycle.total_ns for cycle in cycles)
    for counts, size in zip((fast, slow), sizes, strict=True):
        expected = size * turns_per_s
        assert counts["frames_received"] / SECONDS == pytest.approx(expected, rel=0.01)


MEDIUM, ACCESS_POINT, STATIONS = 1, "02:00:00:00:01:fe", ("02:00:00:00:01:01", "02:00:00:00:01:02")


def test_mac80211_gives_its_stations_airtime(guest):
    """Downloads over ath9k: half of the air each, so the slow one costs the fast one no more.

    By mac80211's own account, within 1 %; and by what the fast one gets in aggregates of 32, within
    2 %: if an exchange of each is charged B and takes T with AIFS and backoff, then with equal
    charges there are 1 / (T_fast + T_slow B_fast / B_slow) of the fast one's in a second.
    """
    testbed = {"layout": "wifi", "device": "ath9k", "stations": 2, "server": "AP"}
    testbed["rate"] = "HT40 MCS7 SGI"
    spec = Spec.model_validate(single({"testbed": testbed}))
    slow = phy_rate(SLOW)
    dump = f"{wait_until(18)}; iw dev wlan0 station dump"
    plan = make_plan(spec, load_profile("ath9k")).after_set_up(
        # More than the 64 frames that are in the device, so that a queue is never empty.
        ["write", "-", "/proc/sys/net/core/wmem_default", "1000000"],
        ["run", "AP", "sh", "-c", f"({dump}) >/tsqlab/out/stations 2>&1 &"],
        radio_lines.genl("-", messages.set_radio(MEDIUM, STATIONS[1], rate=slow)),
        radio_lines.genl(
            "-", messages.set_link(Link(MEDIUM, ACCESS_POINT, STATIONS[1], rate=slow))
        ),
    )
    start_ns, length_ns = 10 * 10**9, SECONDS * 10**9
    stop_ns = start_ns + 10**9 + length_ns
    lines = [f"clock\t{start_ns + 10**9}\t{10**8}\t{stop_ns}"]
    for number, station in enumerate(STATIONS, 1):
        what = f"10.0.1.{number}\t500{number}\t0\t{PAYLOAD_BYTES}\t{OFFERED}\t{start_ns}\t{stop_ns}"
        lines.append(f"udp\tC{number}\tto{number}\trecv\t{what}")
        lines.append(f"udp\tAP\tof{number}\tsend\t{what}")
        lines.append(watch(f"C{number}", f"counts{number}", MEDIUM, station))
    out = guest(plan=replace(plan, measurement=words([*lines, "end"])))

    charged = [
        int(us) for us in re.findall(r"tx duration:\s*(\d+) us", (out / "stations").read_text())
    ]
    assert charged[0] == pytest.approx(charged[1], rel=0.01)
    fast, slow = exchange(FAST, MPDU_BYTES, 32), exchange(SLOW, MPDU_BYTES, 1)
    exchanges_per_s = 1e9 / (fast.total_ns + slow.total_ns * fast.busy_ns / slow.busy_ns)
    received = read_table(out / "counts1.tsv")["frames_received"]
    assert (received[-1] - received[0]) / SECONDS == pytest.approx(32 * exchanges_per_s, rel=0.02)
