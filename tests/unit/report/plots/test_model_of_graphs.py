# SPDX-License-Identifier: GPL-2.0-or-later
"""The aggregation model, and the largest aggregate, of cells whose testbed is a graph."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from folders import written
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.stored import Result, read_folder
from tsqlab.model.aggregation import goodput_bit_per_s, rtt_ns
from tsqlab.report.plots.aggregates import largest_of
from tsqlab.report.plots.kinds import draw
from tsqlab.report.plots.model_overlay import overlays, parameters_of

OTHERS = {"ath9k_htc": load_profile("ath9k_htc"), "gigabit": load_profile("gigabit")}
RADIO = OTHERS["ath9k_htc"]
UP = [{"from": "C", "to": "S"}]
AIR = {"name": "air", "rate": "HT40 MCS5", "members": {"AP": "ap", "C": "station"}}
WIRE = {"between": ["AP", "S"], "delay": {"AP>S": "2 ms", "S>AP": "3 ms"}}


def spec_of(limit: int = 8, **tables: Any) -> Spec:
    """One station, an access point and a server behind it, without ends of a test's flows."""
    usual = {"nodes": {"C": {}, "AP": {}, "S": {}}, "medium": [AIR], "link": [WIRE], "flow": UP}
    tsq = {"bytes": 100_000_000, "us": 1, "pkts": limit}
    return Spec.model_validate({"title": "", "sender": {"tsq": tsq}, **usual, **tables})


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Result:
    folder = written(tmp_path_factory.mktemp("made"), [{"tsq": "TSQ", "seed": 1}])
    return read_folder(folder).results[0]


def cell(template: Result, spec: Spec, **metrics: float) -> Result:
    factors = {"tsq": str(spec.sender.tsq), "seed": 1}
    return replace(template, factors=factors, spec=spec, device=RADIO, others=OTHERS,
                   metrics={**template.metrics, **metrics})  # fmt: skip


def test_a_graph_says_its_rate_and_its_delays() -> None:
    """HT40 MCS5 has 108 Mbit/s; 2 ms there and 3 back; ath9k_htc has 17 frames."""
    own = parameters_of(spec_of(), RADIO, OTHERS)
    assert own
    assert (own.rate_bit_per_s, own.rtt_base_ns, own.aggregate_max_packets) == (108e6, 5e6, 17)


@pytest.mark.parametrize("to", ["C", "S"])
def test_a_stations_own_rate_comes_first(to: str) -> None:
    """HT40 MCS3 has 54 Mbit/s; both ways."""
    slow = {"role": "station", "rate": "HT40 MCS3"}
    air = {**AIR, "members": {"AP": "ap", "C": slow}}
    flow = [{"from": "C" if to == "S" else "S", "to": to}]
    own = parameters_of(spec_of(medium=[air], flow=flow), RADIO, OTHERS)
    assert own
    assert own.rate_bit_per_s == 54e6


TWO = {
    **AIR,
    "members": {"AP": "ap", "C": "station", "D": {"role": "station", "rate": "HT20 MCS0"}},
}
NODES = {"C": {}, "D": {}, "AP": {}, "S": {}}


@pytest.mark.parametrize(
    "tables",
    [
        {"flow": [{"from": "AP", "to": "S"}]},
        {"flow": [{"from": "C", "to": "S", "kind": "ping"}]},
        {"nodes": NODES, "medium": [TWO], "flow": [*UP, {"from": "D", "to": "S"}]},
        {"nodes": NODES, "medium": [TWO], "flow": [{"from": "C", "to": "D"}]},
    ],
    ids=["by wire", "only pings", "at two rates", "over two hops of radio"],
)
def test_a_cell_that_the_model_is_not_of_is_left_out(template: Result, tables: Any) -> None:
    spec = spec_of(**tables)
    assert parameters_of(spec, RADIO, OTHERS) is None
    measured = {"goodput_mbps": 20.0, "tcp_rtt_ms_p50": 5.0}
    cells = [cell(template, spec_of(limit, **tables), **measured) for limit in (1, 8, 64)]
    assert draw("model", cells, "ping_ms").plots == ()
    assert largest_of(cells[0]) is None


def test_the_model_is_fitted_to_a_graph(template: Result) -> None:
    truth = parameters_of(spec_of(), RADIO, OTHERS)
    assert truth
    truth = replace(truth, backlog=0.6, access_ns=700_000)
    cells = [
        cell(template, spec_of(t), goodput_mbps=float(goodput_bit_per_s(t, truth)) / 1e6,
             tcp_rtt_ms_p50=float(rtt_ns(t, truth)) / 1e6)
        for t in (1, 2, 4, 8, 16, 24, 32, 64, 128)
    ]  # fmt: skip
    (overlay,) = overlays(cells).values()
    assert overlay.fit.parameters.backlog == pytest.approx(0.6, rel=0.01)
    assert max(overlay.errors) < 0.01
    assert len(draw("model", cells, "ping_ms").plots) == 1
    assert largest_of(cells[0]) == 17
