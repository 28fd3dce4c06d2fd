# SPDX-License-Identifier: GPL-2.0-or-later
"""Eras in a guest: what a host does by itself, and that a patched default rules over each link."""

import re
from itertools import pairwise

import numpy as np
import pytest

from single import single
from tsqlab.experiment.era import CHARGED, ERAS
from tsqlab.experiment.matrix import Cell
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.kernels import Recipe, build
from tsqlab.kernels.source import patches_of
from tsqlab.metrics import summarise
from tsqlab.results.flent import read_flent
from tsqlab.runner.cell import Job, run_cell

FLOWS = {"length": "4 s", "delay": "1 s"}
WIRE = {"bottleneck": "L100M"}
FULLMAC = {"layout": "wifi", "device": "ath9k_htc", "base_rtt": "4 ms"}
SOFTMAC = {"layout": "wifi", "device": "ath9k", "base_rtt": "4 ms"}
BRCMFMAC = {"layout": "wifi", "device": "brcmfmac", "base_rtt": "4 ms"}
TODAY = {"era": "today"}
FAST = {"pacing": "6.0/3.6"}  # the time is then more than the two skbs that always may go
LARGER = {"truesize": "4352 B", **FAST}

# What somebody might try: 2 ms of stock TSQ in the place of 1.
BEFORE, AFTER = (f"\tWRITE_ONCE(sk->sk_pacing_shift, {shift});" for shift in (10, 9))
PATCH = f"""\
diff --git a/net/core/sock.c b/net/core/sock.c
--- a/net/core/sock.c
+++ b/net/core/sock.c
@@ -3658,3 +3658,3 @@
 \tsk->sk_pacing_rate = ~0UL;
-{BEFORE}
+{AFTER}
 \tsk->sk_incoming_cpu = -1;
"""


@pytest.fixture(scope="session")
def shifted(tmp_path_factory):
    """A kernel whose sk_pacing_shift is 9 by default."""
    folder = tmp_path_factory.mktemp("patches")
    for number, patch in enumerate(patches_of("6.12", None)):
        (folder / f"{number:04}.patch").write_bytes(patch.read_bytes())
    (folder / "9999.patch").write_text(f"sock: 2 ms of TSQ\n\n{PATCH}")
    return build(Recipe(version="6.12", patches=folder))


def times_ms(document):
    """The time at the pacing rate that TSQ's limit is, while the flow runs steadily."""
    rows = document["raw_values"]["TCP upload::1"]
    first = min(row["t"] for row in rows)
    pairs = [
        (row["tcp_tsq_limit_bytes"], next_row["tcp_pacing_rate"] * 1e6 / 8)
        for row, next_row in pairwise(rows)
        if row["t"] - first > 2 and "tcp_tsq_limit_bytes" in row and "tcp_pacing_rate" in next_row
    ]
    assert len(pairs) > 10
    return np.median([limit / rate for limit, rate in pairs]) * 1000


@pytest.mark.parametrize(
    ("testbed", "lab", "sender", "ms"),
    [
        (WIRE, {}, FAST, 1 / 1.024),
        (FULLMAC, {}, FAST, 1 / 1.024),
        (SOFTMAC, {}, FAST, 1 / 1.024),
        (SOFTMAC, TODAY, FAST, 8 / 1.024),  # mac80211's own 7
        (BRCMFMAC, {}, FAST, 1 / 1.024),
        (BRCMFMAC, TODAY, FAST, 4 / 1.024),  # its driver's 8
        (FULLMAC, {}, LARGER, CHARGED / 4352 / 1.024),
        (SOFTMAC, TODAY, LARGER, CHARGED / 4352 * 8 / 1.024),
    ],
    ids=str,
)
def test_what_is_set_below_tcp(cell, testbed, lab, sender, ms):
    spec = {"testbed": testbed, "flows": FLOWS, "lab": {"era": "4.13", **lab}, "sender": sender}
    assert times_ms(cell(spec)) == pytest.approx(ms, rel=0.05)


@pytest.mark.parametrize(
    ("radio", "offloads", "state"),
    [
        *((radio, "on", "on") for radio in ("", "ideal", "ath10k")),
        *((radio, "gso", "off") for radio in ("", "ideal", "ath10k")),
        *((radio, "on", "off") for radio in ("ath9k_htc", "ath9k")),  # their drivers have no GRO
    ],
)
def test_devices_begin_with_all_offloads(guest, radio, offloads, state):
    """So a host that has them on is told nothing. A radio, without scatter-gather, has only GRO."""
    testbed = {"layout": "wifi", "device": radio} if radio else {}
    device = "wlan1" if radio else "c0"
    out = guest(
        f"run\tC\tsh\t-c\tethtool -k {device} > /tsqlab/out/offloads",
        "clock\t10000000000\t100000000\t10100000000",
        "end",
        spec={"testbed": testbed, "sender": {"offloads": offloads}},
    )
    found = dict(re.findall(r"([a-z-]+)-offload: (on|off)", (out / "offloads").read_text()))
    names = ["generic-receive"]
    names += [] if radio else ["tcp-segmentation", "generic-segmentation"]
    assert {found[name] for name in names} == {state}


@pytest.mark.kernels
@pytest.mark.parametrize("truesize", ["kernel", "4352 B"])
@pytest.mark.parametrize("testbed", [WIRE, FULLMAC, SOFTMAC], ids=["wire", "fullmac", "softmac"])
def test_a_patched_default_rules_over_every_link(shifted, tmp_path, cpu, testbed, truesize):
    """Twice the time of the kernel without the patch, of packets that count more, too."""
    # The old host's bound of 256 KiB is less than twice the time at these rates.
    testbed = {**testbed, "sysctl": {"C": {"net.ipv4.tcp_limit_output_bytes": 4 << 20}}}
    spec = Spec.model_validate(
        single({"testbed": testbed, "flows": FLOWS, "sender": {**FAST, "truesize": truesize}})
    )
    job = Job(Cell({}, spec), "key", load_profile(spec.testbed.device), shifted, tmp_path)
    run_cell(job, cpu)
    share = 1 if truesize == "kernel" else CHARGED / 4352
    assert times_ms(read_flent(job.file)) == pytest.approx(2 / 1.024 * share, rel=0.05)


FLOW = "TCP upload::1"

# Kernels of eras, and what of a result tells that their patches are in them.

BBR = {
    "testbed": {"layout": "wifi", "device": "ath9k"},
    "flows": {"length": "4 s", "delay": "1 s"},
    "sender": {"congestion_control": "bbr", "tsq": "16TSQ", "offloads": "off",
               "truesize": "4352 B"},
}  # fmt: skip


@pytest.fixture(scope="session")
def of_era():
    """The kernel of an era."""
    return lambda name: build(Recipe(version="6.12", without=ERAS[name].patches))


@pytest.fixture
def measured(of_era, tmp_path, cpu):
    """The result of a cell in an era, over the kernel of that one or of another."""

    def run(data, era, kernel_of=None):
        lab = {"era": era, **data.get("lab", {})}
        spec = Spec.model_validate(single({**data, "lab": lab}))
        profile = load_profile(spec.testbed.device)
        folder = tmp_path / f"{era}-{kernel_of}"
        job = Job(Cell({}, spec), "key", profile, of_era(kernel_of or era), folder)
        run_cell(job, cpu)
        return read_flent(job.file)

    return run


@pytest.mark.kernels
def test_bbr_is_as_old_as_its_kernel(measured):
    """Everything but the kernel is the same: a cwnd of twice the bandwidth-delay product and three
    packets holds the first BBR at lone frames; the three skbs of v4.16, and the aggregates of
    v5.1, let it go.
    """
    goodputs = [
        summarise(measured(BBR, "4.13", era))["goodput_mbps"] for era in ("4.13", "4.16", "5.4")
    ]
    assert goodputs[0] < 70
    assert goodputs[1] > 1.3 * goodputs[0]
    assert goodputs[2] > 1.1 * goodputs[1]


@pytest.mark.kernels
def test_a_head_of_an_skb_counts_as_it_did(measured):
    """A limit of 40 packets is 40 times what one counts: 2728 bytes until v6.3, now 2408."""
    data = {"testbed": FULLMAC, "flows": FLOWS, "sender": {"tsq": "40pkts"}}
    for kernel in ("5.10", "today"):
        rows = measured(data, "today", kernel)["raw_values"][FLOW]
        limits = [row["tcp_tsq_limit_bytes"] for row in rows if "tcp_tsq_limit_bytes" in row]
        assert np.median(limits) == 40 * ERAS[kernel].charged


@pytest.mark.kernels
def test_without_aql_a_ping_waits_in_the_card(measured):
    """ath10k's queue has 5 to 12 ms of airtime with AQL, and all that there is without it."""
    data = {"testbed": {"layout": "wifi", "device": "ath10k"}, "flows": FLOWS,
            "sender": {"tsq": "NoTSQ"}}  # fmt: skip
    without, limited = (
        summarise(measured(data, "today", kernel))["ping_ms_p50"] for kernel in ("5.4", "5.10")
    )
    assert without > 1.3 * limited


@pytest.mark.kernels
def test_an_skb_has_a_ms_of_the_rate_however_short_the_rtt(measured):
    """Over a wire without a delay, whose SYN has an RTT of 3 us, as over one of 64 us."""
    rtts_ms = [
        summarise(
            measured(
                {
                    "testbed": {**WIRE, "base_rtt": base_rtt},
                    "flows": FLOWS,
                    "sender": {"congestion_control": "bbr", "offloads": "on"},
                },
                "5.10",
            )
        )["tcp_rtt_ms_p50"]
        for base_rtt in ("0 us", "64 us")
    ]
    assert rtts_ms[0] < 1.1 * rtts_ms[1]


@pytest.mark.kernels
def test_hystart_in_ms_ends_slow_start_early(measured):
    """With an RTT below 2 ms the next tick of the clock was enough."""
    data = {"testbed": {"base_rtt": "1 ms"}, "flows": {"length": "2 s", "delay": "1 s"},
            "sender": {"congestion_control": "cubic", "tsq": "NoTSQ"}}  # fmt: skip
    first = [
        next(row["tcp_cwnd"] for row in measured(data, "today", kernel)["raw_values"][FLOW]
             if row.get("tcp_cwnd"))
        for kernel in ("5.4", "5.10")
    ]  # fmt: skip
    assert first[0] < first[1]
