# SPDX-License-Identifier: GPL-2.0-or-later
"""Networks of radios without an access point: who reaches whom, by which way, and what is wrong."""

import ipaddress
from contextlib import nullcontext
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsqlab.errors import FileError, UsageError
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.testbed import Testbed
from tsqlab.experiment.testbed.graph import Way
from tsqlab.experiment.testbed.routes import Route, parts, routes
from tsqlab.guest.testbed import wiring
from tsqlab.units import Decibel, Fraction

DEAF = {"hears": False}


def built(members, apart=(), *, links=(), nodes=None, **medium):
    """The graph of one medium and of wires; *apart*: pairs of members that hear nothing."""
    names = dict.fromkeys([*members, *(node for link in links for node in link)])
    pairs = {f"{one}-{other}": DEAF for one, other in apart}
    air = {"name": "air", "device": "ideal", "members": members, "pairs": pairs, **medium}
    wires = {f"{one}-{other}": {"between": [one, other]} for one, other in links}
    tables = {"node": {name: {} for name in names} | (nodes or {}), "medium": {"air": air}}
    return Testbed.model_validate({**tables, "link": wires}).graph


def peers(count):
    return {f"N{number}": "peer" for number in range(1, count + 1)}


SPEC = {
    "nodes": {"N1": {"server": "N4"}, "N2": {}, "N3": {}, "N4": {}},
    "medium": [{"name": "air", "device": "ideal", "members": peers(4),
                "pairs": {"N1-N3": DEAF, "N1-N4": DEAF, "N2-N4": DEAF}}],
}  # fmt: skip


CHAIN = built(peers(4), [("N1", "N3"), ("N1", "N4"), ("N2", "N4")])


def test_a_chain_has_a_route_to_each_that_is_no_neighbour():
    assert routes(CHAIN, "N1") == (
        Route("10.0.1.3", "10.0.1.2"),
        Route("10.0.1.4", "10.0.1.2"),
    )
    assert routes(CHAIN, "N3") == (Route("10.0.1.1", "10.0.1.2"),)


def test_only_what_is_on_the_way_forwards_and_tells_nobody_of_another():
    assert [node for node in CHAIN.nodes if CHAIN.forwards(node)] == ["N2", "N3"]
    spec = Spec.model_validate({"title": "", **SPEC})
    ideal = load_profile("ideal")
    made = wiring(spec, ideal, {"ideal": ideal})
    lines = [line[1:] for line in made.set_up() if "redirects" in " ".join(line)]
    path = "/proc/sys/net/ipv4/conf/{}/send_redirects"
    assert lines == [
        [node, path.format(device), "0"]
        for node, own in (("N2", "w2"), ("N3", "w3"))
        for device in ("all", own)
    ]


def test_one_that_hears_but_is_not_heard_is_no_neighbour():
    one_way = built(peers(3), pairs={"N1>N3": DEAF})
    assert routes(one_way, "N1") == (Route("10.0.1.3", "10.0.1.2"),)
    assert routes(one_way, "N3") == (Route("10.0.1.1", "10.0.1.2"),)


def test_a_way_can_be_given_where_all_hear_each_other():
    graph = built(peers(3), nodes={"N1": {"via": {"N3": "N2"}}})
    assert routes(graph, "N1") == (Route("10.0.1.3", "10.0.1.2"),)
    assert routes(graph, "N3") == ()
    assert [node for node in graph.nodes if graph.forwards(node)] == ["N2"]


def test_a_way_that_is_given_comes_before_the_shortest():
    """A ring of four: N1 reaches N3 by N2 or by N4."""
    ring = [("N1", "N3"), ("N2", "N4")]
    assert routes(built(peers(4), ring), "N1") == (Route("10.0.1.3", "10.0.1.2"),)
    other = built(peers(4), ring, nodes={"N1": {"via": {"N3": "N4"}}})
    assert routes(other, "N1") == (Route("10.0.1.3", "10.0.1.4"),)


def test_a_wire_may_be_the_way_between_peers():
    wired = built(peers(2), [("N1", "N2")], links=[("N1", "R"), ("R", "N2")])
    assert routes(wired, "N1")[0] == Route("10.0.1.2", "10.0.2.2")


def test_peers_that_nothing_connects_are_parts():
    found = parts(built(peers(3), [("N1", "N3"), ("N2", "N3")]))
    assert found["N1"] == found["N2"] != found["N3"]


def test_losses_and_noise_of_a_medium_are_between_each_two_peers():
    medium = built(peers(2), loss="1 %", snr="20 dB").media[0]
    of = Fraction.of("1 %"), Decibel.of("20 dB")
    assert set(medium.ways) == {Way("N1", "N2", *of), Way("N2", "N1", *of)}


def test_an_access_point_and_peers_share_a_medium_and_no_block_of_addresses():
    members = {"AP": "ap", "C": "station", **peers(2)}
    graph = built(members)
    addresses = {port.egress: port.address for port in graph.ports}
    assert addresses == {
        "AP>air": "10.0.1.254/24",
        "C>AP": "10.0.1.1/24",
        "N1>air": "10.0.2.1/24",
        "N2>air": "10.0.2.2/24",
    }
    assert len(set(parts(graph).values())) == 2


def test_a_mesh_has_no_routes_of_its_own_and_parts_of_it_are_apart():
    """N1 - N2 - N3, and N4 - N5: 802.11s finds what is in a part; a wire is between the parts."""
    pairs = [("N1", "N3"), *((one, other) for one in ("N1", "N2", "N3") for other in ("N4", "N5"))]
    mesh = dict.fromkeys(peers(5), "mesh")
    alone = built(mesh, pairs)
    assert routes(alone, "N1") == ()
    assert alone.relays == frozenset()
    assert len(set(parts(alone).values())) == 2
    joined = built(mesh, pairs, links=[("N3", "N4")])
    assert routes(joined, "N1")[:2] == (
        Route("10.0.1.4", "10.0.1.3"),
        Route("10.0.1.5", "10.0.1.3"),
    )
    assert [node for node in joined.nodes if joined.forwards(node)] == ["N3", "N4"]


@st.composite
def networks(draw):
    """Peers that may not hear each other, and wires between some of them and other nodes."""
    members = peers(draw(st.integers(2, 7)))
    pairs = list(combinations(members, 2))
    apart = draw(st.lists(st.sampled_from(pairs), min_size=1, unique=True))
    nodes = [*members, "W1", "W2"]
    wires = list(combinations(nodes, 2))
    links = draw(st.lists(st.sampled_from(wires), unique=True, max_size=4))
    return built(members, apart, links=links), links, set(pairs) - set(apart)


@given(made=networks())
def test_a_packet_takes_the_fewest_hops_and_each_of_them_is_one(made):
    """Over wires and between peers that hear each other; what is on the way forwards."""
    graph, links, heard = made
    edges = {frozenset(pair) for pair in (*links, *heard)}
    owner = {port.host_address: port.node for port in graph.ports}
    for start in graph.nodes:
        fewest = distances(start, edges)
        assert set(fewest) == {n for n, part in parts(graph).items() if part == parts(graph)[start]}
        for end, address in graph.addresses.items():
            if end not in fewest or end == start:
                continue
            way = [start]
            while way[-1] != end:
                way.append(owner[next_address(graph, way[-1], address)])
                assert frozenset(way[-2:]) in edges
                assert len(way) <= len(graph.nodes)
            assert all(graph.forwards(node) for node in way[1:-1])
            if end.startswith("N"):  # that a wire's block of addresses is near is enough
                assert len(way) == fewest[end] + 1


def distances(start, edges):
    """The hops from one node to each that it reaches."""
    found, reached = {start: 0}, [start]
    for here in reached:
        for there in (node for edge in edges if here in edge for node in edge - {here}):
            if there not in found:
                found[there] = found[here] + 1
                reached.append(there)
    return found


def next_address(graph, node, to):
    """The address that a node's routing table says; the longest prefix counts."""
    at = ipaddress.ip_address(to)
    own = [ipaddress.ip_interface(port.address).network for port in graph.ports_of(node)]
    table = [(network, to) for network in own]
    table += [
        (ipaddress.ip_network(route.to.replace("default", "0.0.0.0/0")), route.gateway)
        for route in routes(graph, node)
    ]
    return max((row for row in table if at in row[0]), key=lambda row: row[0].prefixlen)[1]


FILE = """\
# Three peers.
# Expected: nothing.
title = "Three peers"

[nodes]
A = { server = "B" }
B = {}
C = {}

[[medium]]
name = "air"
device = "ideal"
members.A = "peer"
members.B = "peer"
members.C = "peer"
pairs."A-C" = { hears = false }
"""

WRONG = [
    ('members.C = "peer"', 'members.C = "station"', "13 medium.air.members", "an access point"),
    ('members.B = "peer"\nmembers.C = "peer"', 'members.B = "ap"\nmembers.C = "station"',
     "13 medium.air.members.A", 'is alone; expected another of role "peer"'),
    ('C = "peer"', 'C = { role = "peer", rate = "HT20 MCS0" }', "15 medium.air.members.C.rate",
     "belongs to a station"),
    ('C = "peer"', 'C = { role = "peer", of = "A" }', "15 medium.air.members.C.of",
     "belongs to a station"),
    ('server = "B"', 'server = "B", via = { C = "C" }', "6 nodes.A.via.C",
     '"C" is no neighbour of "A"'),
]  # fmt: skip


def read(tmp_path, text, *overrides):
    path = tmp_path / "it.toml"
    path.write_text(text, "utf-8")
    return load(str(path), overrides)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong[2])
def test_what_is_wrong_is_said_where_it_stands(tmp_path, wrong):
    old, new, place, said = wrong
    assert old in FILE
    with pytest.raises(FileError) as caught:
        read(tmp_path, FILE.replace(old, new, 1))
    assert said in caught.value.message
    assert f"{caught.value.line} {caught.value.key}" == place


def test_a_network_has_as_many_members_as_a_block_of_addresses():
    with pytest.raises(ValueError, match='251 have the role "peer"; expected 250 at most'):
        built(peers(251))


@pytest.mark.parametrize(
    ("device", "role", "can"),
    [("ath9k", "peer", "ap, station, ibss, mesh"), ("ideal", "ibss", "ap, station, peer")],
)
def test_a_role_that_a_device_has_not_is_refused(tmp_path, device, role, can):
    text = FILE.replace('"ideal"', f'"{device}"').replace('"peer"', f'"{role}"')
    with pytest.raises(UsageError) as caught:
        wired(read(tmp_path, text))
    assert f'"A" is to be "{role}", and device "{device}"' in str(caught.value)
    assert str(caught.value).endswith(f"cannot; expected {can}")


def test_an_ibss_goes_no_further_than_80211n(tmp_path):
    text = FILE.replace('"ideal"', '"ath10k"').replace('"peer"', '"ibss"')
    with pytest.raises(UsageError, match="no rates beyond 802.11n, and .* has VHT80 MCS9 2ss SGI"):
        wired(read(tmp_path, text))
    wired(read(tmp_path, text, "medium.air.rate=HT40 MCS15"))


@pytest.mark.parametrize(
    ("flows", "taken"),
    [
        ({"test": "udp_flood"}, False),
        ({"test": "udp_flood", "udp_rate": "1 Mbit/s"}, True),
        ({"test": "tcp_nup"}, True),
    ],
)
def test_udp_in_a_mesh_needs_a_rate(flows, taken):
    spec = Spec.model_validate({"title": "", "testbed": {"layout": "mesh"}, "flows": flows})
    with nullcontext() if taken else pytest.raises(UsageError, match="expected a rate"):
        wiring(spec, load_profile("ath9k"))


def wired(experiment):
    return wiring(experiment.spec, experiment.profiles()[0], experiment.others()[0])
