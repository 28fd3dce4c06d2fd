# SPDX-License-Identifier: GPL-2.0-or-later
"""Random testbeds of up to 20 nodes: what the plan's commands make of them, read back."""

import functools
import ipaddress
import re
from collections import Counter

from hypothesis import given

from graphs import graphs
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.testbed.graph import Role
from tsqlab.guest.testbed import wiring

profile = functools.cache(load_profile)


def wired(tables):
    """The wiring of a cell over a testbed."""
    spec = Spec.model_validate({"title": "", **tables})
    others = {name: profile(name) for name in spec.testbed.graph.devices}
    return wiring(spec, others[spec.testbed.device], others)


def repeated(values):
    return [value for value, count in Counter(values).items() if count > 1]


@given(tables=graphs())
def test_names_and_addresses_are_unique(tables):
    ports = wired(tables).ports
    for of in ("egress", "device", "mac", "host_address"):
        assert repeated(getattr(port, of) for port in ports) == []


@given(tables=graphs())
def test_a_packet_from_each_node_arrives_at_each_other(tables):
    """By the addresses and routes of the batches for ip, in fewer hops than there are nodes."""
    made = wired(tables)
    nodes = {node: Routing(made.files[f"{node}.ip"]) for node in made.graph.nodes}
    owner = {address: node for node, routing in nodes.items() for address in routing.own}
    assert set(made.addresses) == set(nodes)
    for start in nodes:
        for end, address in made.addresses.items():
            here, hops = start, 0
            while here != end:
                here, hops = owner[nodes[here].next_address(address)], hops + 1
                assert hops < len(nodes), f"{start} to {end}"


@given(tables=graphs())
def test_whatever_is_on_the_way_forwards(tables):
    made = wired(tables)
    lines = [" ".join(line) for line in made.set_up()]
    forwarding = {line.split()[1] for line in lines if line.endswith("ip_forward 1")}
    assert forwarding == {node for node in made.graph.nodes if len(made.graph.ports_of(node)) > 1}


@given(tables=graphs())
def test_every_radio_is_made_and_every_station_of_mac80211_connected(tables):
    made = wired(tables)
    lines = [" ".join(line) for line in made.set_up()]
    connected = [line.split()[1] for line in lines if " connect -w " in line]
    expected = [
        member.port.node
        for channel in made.channels
        for member in channel.medium.members
        if channel.station.front == "softmac" and member.role == Role.STATION
    ]
    assert sorted(connected) == sorted(expected)
    assert len(made.radios) == sum(len(medium.members) for medium in made.graph.media)
    assert repeated(radio.name for radio in made.radios) == []


class Routing:
    """What a node's batch for ip says of addresses and routes."""

    def __init__(self, batch):
        own = [
            ipaddress.ip_interface(text) for text in re.findall(r"^address add (\S+)", batch, re.M)
        ]
        self.own = {str(address.ip) for address in own}
        self.networks = [address.network for address in own]
        routes = re.findall(r"^route add (\S+) via (\S+)$", batch, re.M)
        self.routes = [(ipaddress.ip_network(to.replace("default", "0.0.0.0/0")), via)
                       for to, via in routes]  # fmt: skip

    def next_address(self, to):
        """The address of whoever gets a packet next; the longest prefix counts."""
        at = ipaddress.ip_address(to)
        if any(at in network for network in self.networks):
            return to
        return max((route for route in self.routes if at in route[0]),
                   key=lambda route: route[0].prefixlen)[1]  # fmt: skip
