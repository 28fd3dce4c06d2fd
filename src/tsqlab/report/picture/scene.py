# SPDX-License-Identifier: GPL-2.0-or-later
"""What is in a testbed's picture: boxes with their texts, who is tied to what, and the flows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from tsqlab.experiment.flows import Flow, Probe
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.testbed.graph import Graph, LinkEnd, Medium, Role, Way
from tsqlab.experiment.testbed.ways import Ways
from tsqlab.experiment.vary import KEYS, VaryTable, radio_ways, wire_ends
from tsqlab.experiment.wording import text_of
from tsqlab.guest.testbed import Wiring
from tsqlab.guest.testbed.channel import Channel
from tsqlab.report.picture.letters import broken
from tsqlab.report.testbed import channel_texts, queue_text, role_text, way_text

STRANDS_MAX = 24
"""How many flows a picture has lines for; of more there is only the number."""

_PAIRS_MAX = 12


class Kind(Enum):
    """What a box stands for."""

    NODE = "node"
    WIRE = "wire"
    MEDIUM = "medium"


@dataclass(frozen=True)
class Box:
    """A node, a wire or a medium, with its text."""

    key: str
    kind: Kind
    lines: tuple[str, ...]  # of a node and a medium the first is its name
    tip: str  # what a pointer over it shows: devices and their addresses


@dataclass(frozen=True)
class Tie:
    """What holds a node at a wire or a medium."""

    node: str  # keys of boxes
    to: str
    radio: bool
    behind: bool = False  # an access point is on the other side of its medium than stations


@dataclass(frozen=True)
class Strand:
    """A flow, or several that are alike, as a line along its way."""

    text: str
    way: tuple[str, ...]  # keys of boxes: a node, a wire, a node, ...
    pings: bool


@dataclass(frozen=True)
class Scene:
    """All that is drawn."""

    title: str
    boxes: tuple[Box, ...]
    ties: tuple[Tie, ...]
    # The nodes on the ways from clients to servers, then on those of flows: what comes first says
    # where the left is.
    ways: tuple[tuple[str, ...], ...]
    strands: tuple[Strand, ...]
    more_flows: int  # how many have no line


def scene_of(spec: Spec, wired: Wiring) -> Scene:
    """What a cell's picture has in it."""
    graph = spec.testbed.graph
    boxes = [*_nodes(spec, wired), *_wires(wired), *map(_medium, wired.channels)]
    strands = list(_strands(spec))
    shown = strands[:STRANDS_MAX]
    ways = [tuple(_way(graph, ends.client, ends.server)) for ends in graph.ends[:STRANDS_MAX]]
    ways += [strand.way for strand in shown]
    return Scene(
        spec.title,
        tuple(boxes),
        tuple(_ties(graph)),
        tuple(way[::2] for way in ways),
        tuple(shown),
        len(strands) - len(shown),
    )


def node_key(node: str) -> str:
    """The key of a node's box."""
    return f"node {node}"


def _wire_key(place: int) -> str:
    return f"wire {place}"


def _medium_key(name: str) -> str:
    return f"medium {name}"


def _nodes(spec: Spec, wired: Wiring) -> Iterator[Box]:
    graph = spec.testbed.graph
    radios: dict[str, list[str]] = {node: [] for node in graph.nodes}
    for channel in wired.channels:
        common, of = _common_queue(channel), ""
        if len(wired.channels) > 1:
            of = f"{channel.medium.name}: "
        for member in channel.medium.members:
            queue = queue_text(channel.queue(member))
            radios[member.port.node].append(f"{of}{role_text(member)}")
            radios[member.port.node] += [queue] if queue != common else []
    for node in graph.nodes:
        ports = (f"{port.egress} {port.device} {port.address} {port.mac}"
                 for port in graph.ports_of(node))  # fmt: skip
        ways = (f"to {to} by {neighbour}" for to, neighbour in graph.via.get(node, {}).items())
        lines = (node, graph.addresses[node], *broken(radios[node]))
        yield Box(node_key(node), Kind.NODE, lines, "\n".join([*ports, *ways]))


def _common_queue(channel: Channel) -> str:
    """What most of a channel's radios do to what they send."""
    texts = [queue_text(channel.queue(member)) for member in channel.medium.members]
    return Counter(texts).most_common(1)[0][0]


def _wires(wired: Wiring) -> Iterator[Box]:
    texts = {end.port.egress: (_speed(end, text_of(end.line_rate or card.line_rate)),
                               queue_text(end.queue)) for end, card in wired.cards}  # fmt: skip
    for place, link in enumerate(wired.graph.links):
        ways = {end.port.egress: texts[end.port.egress] for end in link.ends}
        tip = "\n".join(f"{end.port.egress} {end.port.device} {end.port.address}"
                        for end in link.ends)  # fmt: skip
        lines: tuple[str, ...]
        if len(set(ways.values())) == 1:
            lines = next(iter(ways.values()))
        else:
            lines = tuple(part for way, (speed, queue) in ways.items()
                          for part in (f"{way}: {speed}", queue))  # fmt: skip
        varying = (table for table in wired.spec.vary
                   if set(wire_ends(wired.graph, table.link)) & set(link.ends))  # fmt: skip
        yield Box(_wire_key(place), Kind.WIRE, tuple(broken([*lines, *_changes(varying)])), tip)


def _changes(tables: Iterable[VaryTable]) -> Iterator[str]:
    """What of a link is other at other times: "R>S varies: rate"."""
    for table in tables:
        keys = [key for key in KEYS if getattr(table, key) is not None]
        yield f"{table.link} varies: {', '.join(keys)}"


def _speed(end: LinkEnd, rate: str) -> str:
    return f"{rate}, {text_of(end.propagation)}" if end.propagation else rate


def _medium(channel: Channel) -> Box:
    medium = channel.medium
    lines = [*channel_texts(channel), _common_queue(channel), *_hearing(medium)]
    said = {member.port.node: member.rate for member in medium.members}
    # A station's own rate stands at its box.
    lines += _differences([
        way for way in medium.ways
        if way.hears is not False
        and way != Way(way.sender, way.receiver, rate=said[way.receiver])
    ])  # fmt: skip
    graph = channel.spec.testbed.graph
    lines += _changes(
        table
        for table in channel.spec.vary
        if any(one == medium for one, _, _ in radio_ways(graph, table.link))
    )
    ports = "\n".join(f"{member.port.node} {member.port.device} {member.port.address}"
                      for member in medium.members)  # fmt: skip
    return Box(_medium_key(medium.name), Kind.MEDIUM, (medium.name, *broken(lines)), ports)


def _hearing(medium: Medium) -> Iterator[str]:
    """Who does not hear whom: all of several each other, or one after the other."""
    unheard = {(way.sender, way.receiver) for way in medium.ways if way.hears is False}
    nodes = sorted(member.port.node for member in medium.members)
    deaf = {receiver: senders for receiver in nodes
            if (senders := [node for node in nodes if (node, receiver) in unheard])}  # fmt: skip
    if len(deaf) > 1 and all({node, *others} == set(deaf) for node, others in deaf.items()):
        yield f"{_and(list(deaf))} do not hear each other"
        return
    for receiver, senders in deaf.items():
        yield f"{receiver} does not hear {_and(senders)}"


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _differences(ways: Sequence[Way]) -> Iterator[str]:
    """What differs on some ways, those together that are alike."""
    alike: dict[str, list[str]] = {}
    both = {(way.sender, way.receiver): way_text(way) for way in ways}
    for (sender, receiver), text in both.items():
        if not text:
            continue
        if both.get((receiver, sender)) != text:
            alike.setdefault(text, []).append(f"{sender}>{receiver}")
        elif f"{receiver}-{sender}" not in alike.get(text, ()):
            alike.setdefault(text, []).append(f"{sender}-{receiver}")
    for text, pairs in list(alike.items())[:_PAIRS_MAX]:
        more = [f"{len(pairs) - _PAIRS_MAX} more"] if len(pairs) > _PAIRS_MAX else []
        yield f"{text}: {', '.join([*pairs[:_PAIRS_MAX], *more])}"
    if len(alike) > _PAIRS_MAX:
        yield f"{sum(map(len, list(alike.values())[_PAIRS_MAX:]))} further pairs with others"


def _ties(graph: Graph) -> Iterator[Tie]:
    for place, link in enumerate(graph.links):
        yield from (
            Tie(node_key(end.port.node), _wire_key(place), radio=False) for end in link.ends
        )
    for medium in graph.media:
        for member in medium.members:
            node, behind = node_key(member.port.node), member.role == Role.AP
            yield Tie(node, _medium_key(medium.name), radio=True, behind=behind)


def _strands(spec: Spec) -> Iterator[Strand]:
    """The flows, then the pings: each [[flow]] by itself, those of a test by their ends."""
    traffic, graph = spec.traffic(), spec.testbed.graph
    every: list[tuple[str, Flow | Probe]] = [
        *((flow.protocol.upper(), flow) for flow in traffic.flows),
        *(("ping", probe) for probe in traffic.probes),
    ]
    groups: dict[tuple[str, str, str, str], int] = {}
    for kind, sent in every:
        own = f"{sent.said.number} {sent.said.name}".rstrip() if sent.said else ""
        group = (own, kind, sent.sender, sent.receiver)
        groups[group] = groups.get(group, 0) + 1
    for (own, kind, sender, receiver), count in groups.items():
        name = f"{own}: " if own else f"{count} × " if count > 1 else ""
        yield Strand(
            f"{name}{kind} {sender} → {receiver}",
            tuple(_way(graph, sender, receiver)),
            kind == "ping",
        )


def _way(graph: Graph, start: str, end: str) -> Iterator[str]:
    """The boxes on the way from one node to another."""
    yield node_key(start)
    for hop in Ways(graph).hops(start, end):
        if isinstance(hop.by, Medium):
            yield _medium_key(hop.by.name)
        else:
            yield _wire_key(graph.links.index(hop.by))
        yield node_key(hop.port.node)
