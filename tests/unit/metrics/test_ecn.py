# SPDX-License-Identifier: GPL-2.0-or-later
"""What queues mark, as numbers of a cell and as a plot; nothing of cells without ECN."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from synthetic import DELAY_S, LENGTH_S, STEP_NS, record
from tsqlab.experiment.stored import Result
from tsqlab.metrics import summarise
from tsqlab.metrics.document import trace
from tsqlab.report.plots.kinds import draw
from tsqlab.results.flent import to_flent
from tsqlab.results.summary import SummaryRow, further_metrics, is_metric


def document(*, ecn: bool) -> dict[str, Any]:
    """A cell whose queue R>S marks two packets in each step, and C>R none."""
    made = record()
    measured = made.measurement
    heard = ("delivered_packets", "delivered_ce_packets") if ecn else ()
    senders = {
        name: table | dict.fromkeys(heard, table["t_ns"])
        for name, table in measured.senders.items()
    }
    marking = measured.qdiscs["R>S"] | {"marks": 2 * measured.qdiscs["R>S"]["t_ns"] // STEP_NS}
    qdiscs = {**measured.qdiscs, "R>S": marking}
    return to_flent(replace(made, measurement=replace(measured, senders=senders, qdiscs=qdiscs)))


def test_marks_are_those_of_the_flows_time_and_of_the_queues_that_mark() -> None:
    found = summarise(document(ecn=True))
    assert found["ce_marks"] == 2 * LENGTH_S / 0.1
    sent = np.floor((DELAY_S + LENGTH_S) / 1.5e-3) - np.floor(DELAY_S / 1.5e-3)
    assert found["ce_marked_share"] == pytest.approx(200 / sent, rel=1e-3)
    assert further_metrics([SummaryRow({}, found)]) == ["ce_marks", "ce_marked_share"]
    assert is_metric("ce_marks")


def test_a_cell_without_ecn_has_no_such_columns() -> None:
    found = summarise(document(ecn=False))
    assert not {"ce_marks", "ce_marked_share"} & set(found)
    assert further_metrics([SummaryRow({}, found)]) == []


def test_the_plot_has_the_queues_that_mark_or_drop() -> None:
    cells = [
        Result("x", {"ecn": str(ecn).lower()}, "x", trace(made), summarise(made))
        for ecn in (False, True)
        for made in [document(ecn=ecn)]
    ]
    (plot,) = draw("marks", cells, "ping_ms").plots
    for words in ("R&gt;S", "C&gt;R", "CE marks (1/s)", "drops (1/s)"):
        assert words in plot.svg, "each drops a packet in a second, and one marks"


def test_ecn_is_known_where_a_receiver_sampled_first() -> None:
    """As over a long path: the sender has no socket yet, and the first record nothing of it."""
    made = document(ecn=True)
    for records in made["raw_values"].values():
        if records:
            records[0].pop("tcp_delivered_ce", None)
    assert summarise(made)["ce_marks"] == 2 * LENGTH_S / 0.1
