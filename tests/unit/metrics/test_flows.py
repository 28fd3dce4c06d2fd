# SPDX-License-Identifier: GPL-2.0-or-later
"""The numbers of single flows, of a cell that says its flows itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from own_flows import END_S, LATE, PINGS, SHORT, UP, document
from synthetic import STEP_NS, TOTAL_S, record
from tsqlab.metrics import pings
from tsqlab.metrics.document import trace
from tsqlab.metrics.statistics import jain
from tsqlab.metrics.summarise import summarise
from tsqlab.results.flent import to_flent


def test_each_has_the_goodput_of_its_own_time() -> None:
    found = summarise(document())
    assert found["goodput_mbps_1"] == pytest.approx(10)
    assert found["goodput_mbps_2"] == pytest.approx(8.0), "1 MB in the second that it took"
    assert found["goodput_mbps_4"] == pytest.approx(20), "of three seconds, not of ten"
    assert found["goodput_mbps"] == pytest.approx(10 + 0.8 + 20 * 0.3), "of the whole length"
    assert found["fairness"] == jain([found[f"goodput_mbps_{n}"] or 0 for n in (1, 2, 4)])


def test_a_completion_time_is_that_of_flows_that_came_to_their_end() -> None:
    assert summarise(document())["fct_s_2"] == pytest.approx(1.0)
    unfinished = summarise(document(completed_s=None))
    assert unfinished["fct_s_2"] is None
    assert unfinished["goodput_mbps_2"] == pytest.approx(8 / (END_S - 8.05))
    assert summarise(document())["fct_s_1"] is None


def test_latencies_are_of_the_flow_s_own_time() -> None:
    found = summarise(document())
    assert found["tcp_rtt_ms_p50_1"] == pytest.approx(20)
    # It climbs from 10 to 30 ms in 11 samples, of which the last is after the last byte.
    assert found["tcp_rtt_ms_p90_2"] == pytest.approx(26.2)
    assert found["ping_ms_p50_3"] == 20.0
    assert found["retransmits_1"] == 9
    assert {name for name in found if name.endswith("_3")} == {
        "ping_ms_p10_3", "ping_ms_p50_3", "ping_ms_p90_3", "ping_ms_mean_3", "pings_sent_3",
        "ping_lost_share_3",
    }  # fmt: skip


def test_pings_are_lost_only_where_they_were_sent() -> None:
    cell = trace(document())
    # What answers outside of its time does not count, as there is none in a cell of the lab.
    assert pings.count_of(cell, PINGS, 0, TOTAL_S) == (20, 0)
    assert pings.count(cell) == (20, 0)
    late = replace(cell, own_pings={PINGS: replace(cell.own_pings[PINGS], begin_s=0.0)})
    assert pings.count_of(late, PINGS, 0, TOTAL_S) == (80, 1), "the third of all"
    assert [round(at_s * 1e9) // STEP_NS for at_s in pings.lost_s(late)[PINGS]] == [2]


def test_who_sends_is_what_the_flow_says() -> None:
    cell = trace(document())
    ends = {flow.series: (flow.sender, flow.receiver) for flow in cell.flows}
    assert ends == {UP: ("C", "S"), SHORT: ("S", "C"), LATE: ("C", "S")}


@pytest.mark.parametrize("wrong", [{"number": "1"}, {"begin_s": None}, {"fct_s": []}])
def test_a_damaged_file_is_refused(wrong: dict[str, Any]) -> None:
    damaged = document()
    damaged["metadata"]["SERIES_META"][UP]["FLOW"] |= wrong
    with pytest.raises(ValueError, match="SERIES_META.TCP upload::1 bulk.FLOW: expected numbers"):
        trace(damaged)


def test_a_test_of_flent_s_has_none() -> None:
    found = summarise(to_flent(record("tcp_nup")))
    assert not [name for name in found if name.startswith(("fct_s", "goodput_mbps_"))]
