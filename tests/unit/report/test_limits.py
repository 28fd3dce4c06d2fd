# SPDX-License-Identifier: GPL-2.0-or-later
"""What limited the flows, in the terminal's table and on the page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from folders import Page, written
from synthetic import DELAY_S, LENGTH_S, record, sender, steps
from tsqlab.experiment.stored import read_folder
from tsqlab.metrics.limits import BOUNDS, SHARES
from tsqlab.report.limits import bound_text, held_text, limit_rows
from tsqlab.report.pages.experiment import write_report
from tsqlab.report.table import format_table, heading
from tsqlab.results.flent import to_flent, write_flent
from tsqlab.results.summary import SummaryRow

HEADING = "What limited each flow"


def row(tsq: str, seed: int, **bounds: float) -> SummaryRow:
    shares = {f"bound_{name}_share": share for name, share in bounds.items()}
    return SummaryRow({"tsq": tsq, "seed": seed}, {"goodput_mbps": 50.0, **shares})


def test_the_table_says_what_limited_each_setting() -> None:
    rows = [row("TSQ", 1, tsq_shift=0.9, air=0.1), row("TSQ", 2, tsq_shift=0.7, air=0.3),
            row("NoTSQ", 1, air=1.0)]  # fmt: skip
    head, units, first, second = format_table(rows, ["goodput_mbps"]).splitlines()
    assert head.endswith("what limited it")
    assert units.split() == ["Mbit/s"]
    assert first.endswith("TSQ (rate >> shift) 80 %, air/device 20 %")
    assert second.endswith("  air/device 100 %")


def test_a_table_without_shares_has_no_such_column() -> None:
    table = format_table([SummaryRow({"tsq": "TSQ"}, {"goodput_mbps": 50.0})], ["goodput_mbps"])
    assert "limited" not in table


def test_a_share_has_a_name_for_people() -> None:
    names = [heading(name) for name in SHARES]
    assert len(set(names)) == len(SHARES)
    assert heading("bound_tsq_us_share") == ("bound by TSQ (us)", "")


def test_the_page_has_a_row_for_each_flow(tmp_path: Path) -> None:
    written(tmp_path, plots=[])
    assert HEADING not in write_report(read_folder(tmp_path)).read_text()
    t_ns = steps(DELAY_S, DELAY_S + LENGTH_S)
    same = np.ones(len(t_ns), dtype=np.int64)
    held = {
        "in_flight_packets": 1000 * same, "mss_bytes": same, "receive_window_bytes": same,
        "wmem_queued_bytes": same, "send_buffer_bytes": 10 * same, "busy_us": same,
        "rwnd_limited_us": 0 * same, "sndbuf_limited_us": 0 * same,
        "tsq_throttled_us": (t_ns - t_ns[0]) // 4000,
    }  # fmt: skip
    cell = record("tcp_nup", streams=2)
    senders = {name: {**sender(t_ns), **held} for name in cell.measurement.senders}
    document = to_flent(replace(cell, measurement=replace(cell.measurement, senders=senders)))
    for path in tmp_path.glob("*.flent.gz"):
        write_flent(path, document)
    text = write_report(read_folder(tmp_path)).read_text()
    Page(text)
    assert HEADING in text
    assert text.count('<td class="text">cwnd 75 %, TSQ 25 %</td>') == 4 * 2, "settings, flows"
    assert f'<td class="number">{3 * len(t_ns)}</td>' in text, "of three seeds"
    assert "bound by" not in text, "the table of cells has no room"


def test_words() -> None:
    shares = dict.fromkeys(BOUNDS, 0.0) | {"bound_tsq_us_share": 0.834, "bound_air_share": 0.12,
                                           "bound_cwnd_share": 0.046}  # fmt: skip
    assert bound_text(shares) == "TSQ (us) 83 %, air/device 12 %"
    assert bound_text({}) == ""
    assert held_text({"tsq_held_share": 0.5, "cwnd_limited_share": 0.5}) == "TSQ 50 %, cwnd 50 %"
    assert limit_rows([]) == []
    assert bound_text(dict.fromkeys(BOUNDS, 0.0) | {"bound_cwnd_share": 0.5}) in (
        "cwnd 50 %, not counted 50 %", "not counted 50 %, cwnd 50 %",
    )  # fmt: skip
