# SPDX-License-Identifier: GPL-2.0-or-later
"""What is wrong with a graph that a user wrote, though each key of it by itself is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from tsqlab.experiment.bounds import KeyedError
from tsqlab.experiment.invalid import hint
from tsqlab.experiment.profile import MINSTREL
from tsqlab.experiment.testbed.graph import NETWORKS, Graph, Role
from tsqlab.experiment.testbed.positions import propagation_of, ways_between
from tsqlab.experiment.testbed.routes import neighbour_address, parts
from tsqlab.experiment.testbed.written import LinkTable, MediumTable, MemberTable, NodeTable

NODES_MAX = 1000
STATIONS_MAX = 250
"""How many stations an access point may have, or members another network: a block of addresses has
room for this many."""

_NODE, _LINK, _MEDIUM = "node", "link", "medium"


def check_parts(
    nodes: Mapping[str, NodeTable],
    links: Mapping[str, LinkTable],
    media: Mapping[str, MediumTable],
) -> None:
    """Raises KeyedError for what cannot be made a graph of."""
    if not nodes:
        raise KeyedError([_NODE], "expected a table for each node, as C = {}")
    if len(nodes) > NODES_MAX:
        raise KeyedError([_NODE], f"has {len(nodes)} nodes; expected {NODES_MAX} at most")
    for name, link in links.items():
        _check_link(name, link, nodes)
    for name, medium in media.items():
        _check_medium(name, medium, nodes)
    for where, one, name in _named_nodes(nodes):
        if name not in nodes:
            raise KeyedError(where, _no_node(name, nodes))
        if name == one:
            raise KeyedError(where, "expected another node than this one")
    _check_egresses(links, media)


def check_graph(graph: Graph) -> None:
    """Raises KeyedError for a graph in which packets could not go where they are to go.

    Parts that share no more than a channel are good: nothing has to go from one to another.
    """
    for node in graph.nodes:
        if not graph.ports_of(node):
            raise KeyedError([_NODE, node], "is at no link and on no medium")
    part = parts(graph)
    for ends in graph.ends:
        if part[ends.client] != part[ends.server]:
            where = [_NODE, ends.client, "server"]
            raise KeyedError(where, f'there is no way to "{ends.server}" from "{ends.client}"')
    for node, ways in graph.via.items():
        for to, neighbour in ways.items():
            where = [_NODE, node, "via", to]
            if neighbour_address(graph, node, neighbour) is None:
                raise KeyedError(where, f'"{neighbour}" is no neighbour of "{node}"')
            if neighbour != to and not graph.forwards(neighbour):
                raise KeyedError(where, f'"{neighbour}" has one port only, so it forwards nothing')


def check_changes(changes: Mapping[str, object], graph: Graph) -> None:
    """Raises KeyedError for changes of a profile that is none of the graph's."""
    tables = ", ".join(f"[testbed.profile.{device}]" for device in graph.devices)
    for device, change in changes.items():
        if device not in graph.devices:
            message = f'"{device}" is no device of this testbed; expected {tables}'
            raise KeyedError(["profile", device], message)
        if not isinstance(change, Mapping):
            raise KeyedError(["profile", device], f"expected a table, [testbed.profile.{device}]")


def _named_nodes(nodes: Mapping[str, NodeTable]) -> Iterator[tuple[list[str], str, str]]:
    """The nodes that other nodes name: where, by whom, and which."""
    for one, table in nodes.items():
        if table.server is not None:
            yield [_NODE, one, "server"], one, table.server
        for to, neighbour in table.via.items():
            yield [_NODE, one, "via", to], one, to
            yield [_NODE, one, "via", to], one, neighbour


def _no_node(name: str, nodes: Mapping[str, NodeTable]) -> str:
    return f'no node "{name}"; {hint(name, list(nodes))}'


def _check_link(name: str, link: LinkTable, nodes: Mapping[str, NodeTable]) -> None:
    where = [_LINK, name, "between"]
    for node in link.between:
        if node not in nodes:
            raise KeyedError(where, _no_node(node, nodes))
    if link.between[0] == link.between[1]:
        raise KeyedError(where, "expected two different nodes")


def _check_medium(name: str, medium: MediumTable, nodes: Mapping[str, NodeTable]) -> None:
    where = [_MEDIUM, name]
    if name in nodes:
        raise KeyedError([*where, "name"], f'"{name}" is a node; expected another name')
    if nodes_of(medium, Role.STATION) and not nodes_of(medium, Role.AP):
        raise KeyedError([*where, "members"], f'expected an access point, role "{Role.AP.value}"')
    for role in NETWORKS:
        _check_network([*where, "members"], role, nodes_of(medium, role))
    for node, member in medium.members.items():
        if node not in nodes:
            raise KeyedError([*where, "members", node], _no_node(node, nodes))
        _check_member([*where, "members", node], member, medium)
    for pair in medium.pairs:
        _check_pair([*where, "pairs", pair], pair, medium)
    _check_positions(where, medium)


def _check_member(where: list[str], member: MemberTable, medium: MediumTable) -> None:
    access_points = nodes_of(medium, Role.AP)
    if member.role != Role.STATION.value:
        for key in ("of", "rate"):
            if getattr(member, key):
                raise KeyedError([*where, key], "belongs to a station")
        return
    if member.rate and medium.rate == MINSTREL:
        raise KeyedError([*where, "rate"], f'needs a fixed rate of the medium, not "{MINSTREL}"')
    if not member.of and len(access_points) > 1:
        raise KeyedError(
            where, f"expected of = the access point of this station: {', '.join(access_points)}"
        )
    if member.of and member.of not in access_points:
        known = f"the access points are {', '.join(access_points)}"
        raise KeyedError([*where, "of"], f'"{member.of}" is no access point on it; {known}')


def _check_network(where: list[str], role: Role, nodes: tuple[str, ...]) -> None:
    if len(nodes) == 1:
        raise KeyedError([*where, nodes[0]], f'is alone; expected another of role "{role.value}"')
    if len(nodes) > STATIONS_MAX:
        raise KeyedError(
            where,
            f'{len(nodes)} have the role "{role.value}"; expected {STATIONS_MAX} at most',
        )


def _check_pair(where: list[str], pair: str, medium: MediumTable) -> None:
    nodes = _nodes_of(pair)
    if len(nodes) != 2 or nodes[0] == nodes[1]:
        raise KeyedError(where, 'expected two members: "A>B" for one way, "A-B" for both')
    for node in nodes:
        if node not in medium.members:
            raise KeyedError(where, f'"{node}" is no member; {hint(node, list(medium.members))}')


def _check_positions(where: list[str], medium: MediumTable) -> None:
    """All members have one, and each station is where its access point can be heard."""
    placed = [node for node, member in medium.members.items() if member.position]
    if not placed:
        if medium.propagation is not None:
            message = "says what positions mean; expected a position of each member"
            raise KeyedError([*where, "propagation"], message)
        return
    for node in medium.members:
        if node not in placed:
            message = f'expected a position of this member, too, as "{placed[0]}" has one'
            raise KeyedError([*where, "members", node], message)
    if medium.snr is not None:
        raise KeyedError(
            [*where, "snr"], "follows from the members' positions; expected one of both"
        )
    heard = {(way.sender, way.receiver): way for way in ways_between(medium)}
    for node, access_point in stations_of(medium):
        said = any(node in pair and access_point in pair for pair in map(_nodes_of, medium.pairs))
        if heard[access_point, node].hears is False and not said:
            range_m = propagation_of(medium).range_m
            raise KeyedError(
                [*where, "members", node, "position"],
                f'is too far from "{access_point}" to hear it; expected {range_m:.1f} m at most',
            )


def _nodes_of(pair: str) -> list[str]:
    return pair.replace(">", "-").split("-")


def _check_egresses(links: Mapping[str, LinkTable], media: Mapping[str, MediumTable]) -> None:
    """No node has two ports to the same other: a port has its name by whom it sends to."""
    seen: dict[frozenset[str], str] = {}
    for name, link in links.items():
        pair = frozenset(link.between)
        if pair in seen:
            raise KeyedError([_LINK, name], f'"{seen[pair]}" is between the same two nodes')
        seen[pair] = name
    for name, medium in media.items():
        for node, access_point in stations_of(medium):
            where = [_MEDIUM, name, "members", node]
            pair = frozenset((node, access_point))
            if pair in seen:
                raise KeyedError(where, f'"{seen[pair]}" connects it to "{access_point}" already')
            seen[pair] = name
        _check_count([_MEDIUM, name, "members"], medium)


def _check_count(where: list[str], medium: MediumTable) -> None:
    stations = Counter(access_point for _, access_point in stations_of(medium))
    for node, count in stations.items():
        if count > STATIONS_MAX:
            message = f'"{node}" has {count} stations; expected {STATIONS_MAX} at most'
            raise KeyedError(where, message)


def stations_of(medium: MediumTable) -> Iterator[tuple[str, str]]:
    """Each station with its access point: the only one there is, if it names none."""
    first = next(iter(nodes_of(medium, Role.AP)), "")
    for node in nodes_of(medium, Role.STATION):
        yield node, medium.members[node].of or first


def nodes_of(medium: MediumTable, role: Role) -> tuple[str, ...]:
    """The members of that role."""
    return tuple(node for node, one in medium.members.items() if one.role == role.value)
