# SPDX-License-Identifier: GPL-2.0-or-later
"""The way of packets through a graph, as its nodes' routes say."""

import pytest
from hypothesis import given

from graphs import graphs
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.testbed.ways import Ways

PARKING_LOT = {"testbed": {"layout": "parking-lot", "hops": 3}}
TWO_CELLS = {
    "nodes": {"AP1": {}, "AP2": {}, "C1": {}, "C2": {}, "C3": {"server": "S"}, "S": {}},
    "link": [{"between": ["AP1", "AP2"]}, {"between": ["AP2", "S"]}],
    "medium": [
        {"name": "a", "members": {"AP1": "ap", "C1": "station", "C2": "station"}},
        {"name": "b", "members": {"AP2": "ap", "C3": "station"}},
    ],
}
RING = {
    "nodes": {"A": {"server": "C", "via": {"C": "D"}}, "B": {}, "C": {}, "D": {}},
    "link": [{"between": pair} for pair in (["A", "B"], ["B", "C"], ["C", "D"], ["D", "A"])],
}


def ways(tables):
    return Ways(Spec.model_validate({"title": "", **tables}).testbed.graph)


@pytest.mark.parametrize(
    ("tables", "sender", "receiver", "way"),
    [
        ({}, "C", "S", "C>R R>S"),
        ({}, "S", "C", "S>R R>C"),
        (PARKING_LOT, "C", "S", "C>R1 R1>R2 R2>R3 R3>R4 R4>S"),
        (PARKING_LOT, "C2", "S2", "C2>R2 R2>R3 R3>S2"),
        ({"testbed": {"layout": "wifi", "stations": 2}}, "S", "C2", "S>AP AP>C"),
        ({"testbed": {"layout": "wifi", "stations": 2}}, "AP", "C2", "AP>C"),
        (TWO_CELLS, "C1", "AP1", "C1>AP1"),
        (TWO_CELLS, "C1", "C2", "C1>AP1 AP1>a"),
        (TWO_CELLS, "C1", "C3", "C1>AP1 AP1>AP2 AP2>b"),
        (TWO_CELLS, "S", "C2", "S>AP2 AP2>AP1 AP1>a"),
        (RING, "A", "C", "A>D D>C"),
        (RING, "C", "A", "C>B B>A"),
    ],
)  # fmt: skip
def test_a_way_is_the_egresses_that_send(tables, sender, receiver, way):
    assert ways(tables).egresses(sender, receiver) == tuple(way.split())


def test_there_is_no_way_between_parts():
    apart = {"nodes": {"A": {"server": "B"}, "B": {}, "C": {"server": "D"}, "D": {}},
             "link": [{"between": ["A", "B"]}, {"between": ["C", "D"]}]}  # fmt: skip
    assert ways(apart).way("A", "D") == ()


@given(tables=graphs())
def test_each_port_of_a_way_shares_a_segment_with_the_next_node(tables):
    found = ways(tables)
    graph = Spec.model_validate({"title": "", **tables}).testbed.graph
    for receiver in graph.nodes[1:]:
        nodes = [port.node for port in found.way(graph.nodes[0], receiver)]
        assert nodes[0] == graph.nodes[0]
        assert len(set(nodes)) == len(nodes) < len(graph.nodes)
        for port, following in zip(found.way(graph.nodes[0], receiver), [*nodes[1:], receiver],
                                   strict=True):  # fmt: skip
            segment = next(one.ports for one in graph.segments if port in one.ports)
            assert following in {other.node for other in segment}
