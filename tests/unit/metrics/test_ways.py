# SPDX-License-Identifier: GPL-2.0-or-later
"""What limited each flow of a graph: its own way counts, of samples that are made up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from synthetic import DELAY_S, LENGTH_S, qdisc, radio, record, sender, steps
from tsqlab.metrics.document import Document, trace
from tsqlab.metrics.limits import flow_limits, limit_metrics
from tsqlab.metrics.links import radios_of, wires_of
from tsqlab.metrics.summarise import summarise
from tsqlab.results.flent import to_flent
from tsqlab.results.measurement import RadioTables
from tsqlab.results.record import Capacity, CellRecord, RadioCapacity, WireCapacity

T_NS = steps(DELAY_S, DELAY_S + LENGTH_S)
SAME = np.ones(len(T_NS), dtype=np.int64)
# A sender that nothing but its congestion window holds.
SOCKET: Mapping[str, Any] = {
    **sender(T_NS),
    "in_flight_packets": 200 * SAME,
    "mss_bytes": 1448 * SAME,
    "receive_window_bytes": 1_000_000 * SAME,
    "wmem_queued_bytes": 90_000 * SAME,
    "send_buffer_bytes": 1_000_000 * SAME,
    "busy_us": (T_NS - T_NS[0]) // 1000,
    "rwnd_limited_us": 0 * SAME,
    "sndbuf_limited_us": 0 * SAME,
    "tsq_limit_bytes": 10**6 * SAME,
    "tsq_throttled_us": 0 * SAME,
}
FULL, IDLE = WireCapacity(8.0, 0), WireCapacity(80.0, 0)  # the synthetic queue sends 1 MB/s
MOST = RadioCapacity(aggregate_frames=17, amsdu_frames=1, ring_frames=246, bus_frames=20,
                     pulls=False, packet_bytes=2408)  # fmt: skip


def cell_of(
    *flows: tuple[str, str, str],
    wires: Mapping[str, WireCapacity] | None = None,
    radios: Mapping[str, tuple[str, RadioTables]] | None = None,
    test: str = "tcp_nup",
) -> CellRecord:
    """A cell whose flows are each from a client to a server by a way."""
    made = record(test, streams=len(flows))
    named = tuple(
        replace(flow, client=client, server=server, way=tuple(way.split()))
        for flow, (client, server, way) in zip(made.flows, flows, strict=True)
    )
    tables = radios or {}
    measurement = replace(
        made.measurement,
        senders={flow.series: SOCKET for flow in named},
        qdiscs={egress: qdisc() for egress in wires or {}},
        radios={node: table for node, (_, table) in tables.items()},
    )
    return replace(
        made,
        flows=named,
        measurement=measurement,
        radio_egresses={node: egress for node, (egress, _) in tables.items()},
        capacity=Capacity(wires=wires or {}, radios=dict.fromkeys(tables, MOST)),
    )


def bounds(document: Document) -> list[dict[str, float]]:
    """What bound each flow, without zeros."""
    return [{name[len("bound_") : -len("_share")]: round(share, 3)
             for name, share in limits.bound.items() if share > 1e-6}
            for limits in flow_limits(trace(document))]  # fmt: skip


def counting(own: RadioTables, **values: int) -> RadioTables:
    """The same radio, with what it has at each sample."""
    usual = {"host_frames": 0, "bus_frames": 0, "device_frames": 0} | values
    length = len(own.counters["t_ns"])
    more = {name: np.full(length, value) for name, value in usual.items()}
    return replace(own, counters={**own.counters, **more})


PARKING_LOT = (("C", "S", "C>R1 R1>R2 R2>R3 R3>S"), ("C1", "S1", "C1>R1 R1>R2 R2>S1"),
               ("C2", "S2", "C2>R2 R2>R3 R3>S2"))  # fmt: skip


def test_a_full_wire_binds_the_flows_that_cross_it() -> None:
    wires = {"R1>R2": IDLE, "R2>R3": FULL, "S2>R3": FULL}
    document = to_flent(cell_of(*PARKING_LOT, wires=wires))
    assert bounds(document) == [{"wire": 1}, {"cwnd": 1}, {"wire": 1}]
    cell = trace(document)
    assert [[wire.egress for wire in wires_of(cell, flow)] for flow in cell.flows] == [
        ["R1>R2", "R2>R3"], ["R1>R2"], ["R2>R3"],
    ]  # fmt: skip
    assert limit_metrics(cell)["wire_busy_share"] == pytest.approx(1)


def test_the_way_back_does_not_count() -> None:
    wires = {"R1>R2": FULL, "R2>R1": IDLE}
    document = to_flent(cell_of(("C1", "S1", "S1>R2 R2>R1 R1>C1"), wires=wires, test="tcp_ndown"))
    assert bounds(document) == [{"cwnd": 1}]


def test_a_full_radio_anywhere_on_the_way_is_the_bound() -> None:
    """The second of two access points has a full ring, which is no matter of its neighbour's."""
    radios = {
        "C1": ("C1>AP1", counting(radio("AP1", 5))),
        "C2": ("C2>AP2", counting(radio("AP2", 5))),
        "AP1": ("AP1>air", counting(radio("C1", 5))),
        "AP2": ("AP2>air", counting(radio("C2", 5), host_frames=246)),
    }
    ways = (("C1", "AP1", "C1>AP1"), ("C1", "C2", "C1>AP1 AP1>AP2 AP2>air"))
    document = to_flent(cell_of(*ways, radios=radios))
    assert bounds(document) == [{"cwnd": 1}, {"air": 1}]
    cell = trace(document)
    assert [[one.node for one in radios_of(cell, flow)] for flow in cell.flows] == [
        ["C1"], ["C1", "AP2"],
    ]  # fmt: skip


def test_a_node_with_two_radios_sends_by_that_of_the_way() -> None:
    """Only where its socket sends by a radio does what it has below it count there."""
    radios = {
        "R.near": ("R>A", counting(radio("A", 5), host_frames=246)),
        "R.far": ("R>B", counting(radio("B", 5))),
    }
    document = to_flent(cell_of(("R", "A", "R>A"), ("R", "B", "R>B"), radios=radios))
    assert bounds(document) == [{"air": 1}, {"cwnd": 1}]


@pytest.mark.parametrize(("test", "frames"), [("tcp_nup", 6), ("tcp_ndown", 3)])
def test_aggregates_are_those_of_the_radios_that_send_first(test: str, frames: int) -> None:
    """A station that sends no flow, and a radio that sends a flow on, have their own."""
    radios = {
        "C1": ("C1>AP1", radio("AP1", 6)),
        "C2": ("C2>AP1", radio("AP1", 9)),
        "AP1": ("AP1>air", radio("all", 3)),
        "AP2": ("AP2>air", radio("all", 12)),
    }
    way = "C1>AP1 AP1>AP2 AP2>air" if test == "tcp_nup" else "S>AP1 AP1>air"
    document = to_flent(cell_of(("C1", "S", way), radios=radios, test=test))
    assert summarise(document)["aggregate_mean"] == frames


def test_drops_are_those_of_the_ways_first_queue() -> None:
    document = to_flent(cell_of(("A", "B", "A>R R>B"), wires={"A>R": IDLE, "A>Q": IDLE}))
    others = document["raw_values"]["qdisc_stats_A>Q"]
    for sample in others:
        sample["dropped"] = 1000
    (flow,) = trace(document).flows
    assert max(flow.drops.value) < 1000


def test_a_way_is_a_list_of_egresses() -> None:
    document = to_flent(cell_of(("A", "B", "A>R R>B")))
    for meta in document["metadata"]["SERIES_META"].values():
        meta["WAY"] = "A>R"
    with pytest.raises(ValueError, match="WAY: expected egresses"):
        trace(document)
