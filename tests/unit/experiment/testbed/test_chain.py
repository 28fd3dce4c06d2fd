# SPDX-License-Identifier: GPL-2.0-or-later
"""The templates of hops over radios."""

import pytest
from pydantic import ValidationError

from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.stored import measured
from tsqlab.experiment.testbed.graph import Ends, Role, Way
from tsqlab.experiment.testbed.routes import Route, routes
from tsqlab.guest.testbed import wiring


def spec_of(layout="wifi-chain", *, streams=1, **keys):
    spec = {"title": "", "testbed": {"layout": layout, **keys}, "flows": {"streams": streams}}
    return Spec.model_validate(spec)


@pytest.mark.parametrize("hears", ["all", "next"])
def test_each_hop_leads_to_the_next_node_whoever_hears_whom(hears):
    graph = spec_of(hops=4, hears=hears).testbed.graph
    assert graph.nodes == ("C", "N1", "N2", "N3", "S")
    assert set(routes(graph, "N1")) == {
        Route("10.0.1.4", "10.0.1.3"),
        Route("10.0.1.5", "10.0.1.3"),
    }
    assert set(routes(graph, "S")) == {Route(f"10.0.1.{host}", "10.0.1.4") for host in (1, 2, 3)}
    assert [node for node in graph.nodes if graph.forwards(node)] == ["N1", "N2", "N3"]


def test_one_hop_has_no_relay():
    graph = spec_of(hops=1, hears="next").testbed.graph
    assert (graph.nodes, graph.relays, routes(graph, "C")) == (("C", "S"), frozenset(), ())


def test_those_two_hops_apart_are_hidden_if_each_hears_the_next():
    near, far = (spec_of(hops=2, hears=hears).testbed.graph for hears in ("next", "all"))
    assert near.media[0].ways == (Way("C", "S", hears=False), Way("S", "C", hears=False))
    assert far.media[0].ways == ()


def test_losses_are_between_those_that_hear_each_other():
    (medium,) = spec_of(hops=2, hears="next", loss="1 %").testbed.graph.media
    lossy = {(way.sender, way.receiver) for way in medium.ways if way.loss}
    assert lossy == {("C", "N1"), ("N1", "C"), ("N1", "S"), ("S", "N1")}


def test_all_streams_end_at_the_last_node_or_take_turns_at_the_hops():
    assert spec_of(hops=3).testbed.ends == (Ends("C", "S"),)
    flows = spec_of(hops=3, sinks="each", streams=4).traffic().flows
    assert [flow.receiver for flow in flows] == ["N1", "N2", "S", "N1"]


@pytest.mark.parametrize(
    ("device", "role"), [("ath9k_htc", Role.PEER), ("ath9k", Role.IBSS), ("ideal", Role.PEER)]
)
def test_what_they_are_is_the_devices_matter(device, role):
    (channel,) = wiring(spec_of(device=device), load_profile(device)).channels
    assert {member.role for member in channel.medium.members} == {role}
    assert {radio.role for radio in channel.watched()} == {role.value}


def test_a_qdisc_is_of_every_radio():
    spec = spec_of(qdisc="pfifo limit 1000", egress={"N1>air": {"qdisc": "codel"}})
    queues = [member.queue.qdisc for member in spec.testbed.graph.media[0].members]
    assert queues == ["pfifo limit 1000", "codel", "pfifo limit 1000"]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"hops": 9}, "expected 8 hops over radios at most"),
        ({"sinks": "first"}, 'no sinks "first"; there are last, each'),
        ({"hears": "none"}, 'no hears "none"; there are all, next'),
        ({"base_rtt": "4 ms"}, '"base_rtt" belongs to layout = "wired"'),
        ({"stations": 2}, '"stations" belongs to layout = "wifi"'),
        ({"egress": {"C>N1": {}}}, 'no egress "C>N1"; there are C>air, N1>air, S>air'),
    ],
)
def test_what_a_chain_has_not_is_refused(keys, said):
    with pytest.raises(ValidationError) as caught:
        spec_of(**keys)
    assert said in str(caught.value)


def test_a_mesh_is_a_row_of_mesh_points_without_routes():
    graph = spec_of("mesh", hops=3).testbed.graph
    assert {member.role for member in graph.media[0].members} == {Role.MESH}
    assert [routes(graph, node) for node in graph.nodes] == [()] * 4
    deaf = {(way.sender, way.receiver) for way in graph.media[0].ways}
    assert deaf == {
        ("C", "N2"), ("N2", "C"), ("C", "S"), ("S", "C"), ("N1", "S"), ("S", "N1")
    }  # fmt: skip
    assert not any(graph.forwards(node) for node in graph.nodes)


def test_what_varies_of_a_hop_is_called_by_its_nodes():
    chain = {"title": "", "testbed": {"layout": "wifi-chain", "hops": 2, "hears": "next"}}
    vary = {"link": "C-N1", "loss": [["1 s", "10 %"]]}
    assert Spec.model_validate({**chain, "vary": [vary]}).vary
    with pytest.raises(ValidationError, match='no link "C-N2"; did you mean "C-N1"'):
        Spec.model_validate({**chain, "vary": [vary | {"link": "C-N2"}]})


def test_other_layouts_say_nothing_of_its_keys():
    told = measured(Spec.model_validate({"title": "", "testbed": {"layout": "parking-lot"}}))
    assert {"hops", "sinks", "hears"} & set(told["testbed"]) == {"hops"}
