# SPDX-License-Identifier: GPL-2.0-or-later
"""What an unpatched kernel has to make TSQ's limit longer or shorter."""

import csv
import re
import shlex
from itertools import pairwise

import pytest

from tsqlab.cli import main
from tsqlab.experiment.stored import read_folder
from tsqlab.metrics import summarise
from tsqlab.paths import ROOT
from tsqlab.report import summary_table

SHORT = {"length": "4 s", "delay": "1 s"}
RATE = "TCP upload::1::tcp_pacing_rate"
TSQ_LIMIT = "tcp_tsq_limit_bytes"


def upload(offloads="off", **sender):
    return {
        "testbed": {"layout": "wifi", "device": "ath9k_htc", "base_rtt": "2.5 ms"},
        "flows": SHORT,
        "sender": {"offloads": offloads, **sender},
    }


def test_pacing_ratios_are_cotsqs_time_packet_by_packet(cell):
    """Where both ratios are five times the kernel's, TSQ has five times its own 976.6 us.

    All that was sampled is the same but the rate itself; HyStart and the qdiscs do not feel it.
    """
    ratios, cotsq = (cell(upload(pacing="10.0/6.00")), cell(upload(tsq={"us": 4883})))
    differ = {
        name for name, values in cotsq["results"].items() if ratios["results"][name] != values
    }
    assert differ == {RATE}
    pairs = zip(ratios["results"][RATE], cotsq["results"][RATE], strict=True)
    quotients = [high / low for high, low in pairs if low]
    # The rate of a connection's first samples is that of before its first RTT.
    assert quotients[5:] == pytest.approx([5.0] * len(quotients[5:]), rel=1e-3)


def test_a_control_with_a_rate_of_its_own_has_no_use_for_ratios(cell):
    stock, ratios = (
        cell(upload(congestion_control="bbr", **pacing)) for pacing in ({}, {"pacing": "10.0/7.37"})
    )
    assert stock["results"] == ratios["results"]


def test_tx_delay_adds_twice_its_time_to_the_limit(cell):
    """rate * us >> 19, as tcp_small_queue_check() has it."""
    little, much = (limits(cell(upload(tx_delay=delay))) for delay in ("1 us", "2621 us"))
    assert little == pytest.approx(1 / 1024 + 2e-6, rel=0.01)
    assert much == pytest.approx(1 / 1024 + 2621 / (1 << 19), rel=0.01)


def limits(document):
    """TSQ's limit as the time that it is of the pacing rate, in s: the median over samples."""
    samples = document["raw_values"]["TCP upload::1"]
    times = sorted(one[TSQ_LIMIT] / (one["tcp_pacing_rate"] * 1e6 / 8) for one in samples[10:-10])
    return times[len(times) // 2]


def test_smaller_skbs_are_a_lower_floor_and_only_with_gso(cell):
    """Two of them may always wait, so a ping behind them waits less."""
    waits = [
        summarise(cell(upload("on", gso_max_size=size)))["ping_ms_p50"]
        for size in ("64 KiB", "16 KiB", "4 KiB")
    ]
    assert all(longer > shorter for longer, shorter in pairwise(waits)), waits
    alone = [cell(upload("off", gso_max_size=size)) for size in ("64 KiB", "4 KiB")]
    assert alone[0]["results"] == alone[1]["results"]


def test_a_run_prints_the_table_of_the_page(kernel, tmp_path):
    """docs/stock-knobs.md has it as a run prints it, and other tables of the same cells."""
    assert kernel, "a run would build it"
    page = (ROOT / "docs" / "stock-knobs.md").read_text("utf-8")
    command, table = re.search(
        r"^\$ tsqlab (run .*?)\n```\n\n```text\n(.*?)^```", page, re.M | re.S
    ).groups()
    assert main([*shlex.split(command), "--jobs", "1", "--out", str(tmp_path)]) == 0
    assert f"{summary_table(read_folder(tmp_path))}\n" == table
    assert_same_numbers_by_device(page, tmp_path)


def assert_same_numbers_by_device(page, folder):
    """Its numbers are those of the tables by device, in the column of its RTT."""
    rows = {"92": "1.53/0.92", "184": "3.07/1.84", "737": "10.0/7.37"}
    with (folder / "summary.csv").open(encoding="utf-8") as file:
        cells = {(row["device"], row["pacing"]): row for row in csv.DictReader(file)}
    for device in {device for device, _ in cells}:
        start = page.index(f"| `{device}` |")
        for name, pacing in {"as it comes": "2.0/1.2", **rows}.items():
            columns = re.search(rf"^\|[^|]*\b{name} \|[^|]*\|([^|]*)\|", page[start:], re.M)
            cell = cells[device, pacing]
            numbers = (cell["goodput_mbps"], cell["tcp_rtt_ms_p50"])
            assert columns[1].strip() == " / ".join(f"{float(number):.3g}" for number in numbers)
