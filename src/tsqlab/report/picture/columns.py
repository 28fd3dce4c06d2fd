# SPDX-License-Identifier: GPL-2.0-or-later
"""The column of each box: nodes in even ones, from the clients on, wires and media between them.

A flow's way goes from the left to the right, one node a column. A node on several ways is as far to
the right as the longest of them needs, so that a row of routers is a row. What is on no way is
beside whatever it is tied to.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from graphlib import TopologicalSorter
from itertools import pairwise

from tsqlab.report.picture.scene import Kind, Scene, Tie

Columns = Mapping[str, int]
"""The column of a box, by its key."""


def columns_of(scene: Scene) -> Columns:
    """The columns, from 0 on."""
    layers = _layers_on_ways(scene.ways)
    ties = _ties_of(scene)
    _place_from(layers, ties)
    for box in scene.boxes:  # parts that no flow gets to
        if box.kind is Kind.NODE and box.key not in layers:
            layers[box.key] = 0
            _place_from(layers, ties)
    first = min(layers.values())
    nodes = {node: 2 * (layer - first) for node, layer in layers.items()}
    return nodes | {key: _between([nodes[tie.node] for tie in own]) for key, own in ties.items()}


def _layers_on_ways(ways: Iterable[Sequence[str]]) -> dict[str, int]:
    """How far from the left each node on a way is.

    The first ways say where the left is. What contradicts them later, as a flow back or a circle,
    is left out.
    """
    before: dict[str, list[str]] = {}
    for way in ways:
        for node in way:
            before.setdefault(node, [])
        for here, there in pairwise(way):
            if here not in before[there] and not _comes_before(before, there, here):
                before[there].append(here)
    layers: dict[str, int] = {}
    for node in TopologicalSorter(before).static_order():
        layers[node] = 1 + max((layers[one] for one in before[node]), default=-1)
    return layers | _close_to_the_next(before, layers)


def _comes_before(before: Mapping[str, Sequence[str]], one: str, other: str) -> bool:
    """Whether a node is on the left of another already."""
    seen, waiting = {other}, [other]
    while waiting:
        for node in before[waiting.pop()]:
            if node not in seen:
                seen.add(node)
                waiting.append(node)
    return one in seen


def _close_to_the_next(
    before: Mapping[str, Sequence[str]], layers: Mapping[str, int]
) -> dict[str, int]:
    """Nodes with nothing on their left, one layer before what they send to."""
    after: dict[str, list[int]] = {}
    for there, nodes in before.items():
        for here in nodes:
            after.setdefault(here, []).append(layers[there])
    return {node: min(after[node]) - 1 for node in after if not before[node]}


def _ties_of(scene: Scene) -> dict[str, list[Tie]]:
    """The ties of each wire and medium."""
    found: dict[str, list[Tie]] = {}
    for tie in scene.ties:
        found.setdefault(tie.to, []).append(tie)
    return found


def _place_from(layers: dict[str, int], ties: Mapping[str, Sequence[Tie]]) -> None:
    """Give a layer to whatever is tied to nodes that have one."""
    at: dict[str, list[str]] = {}
    for key, own in ties.items():
        for tie in own:
            at.setdefault(tie.node, []).append(key)
    waiting, done = deque(sorted(layers, key=lambda node: layers[node])), set[str]()
    while waiting:
        for key in at.get(waiting.popleft(), ()):
            if key not in done:
                done.add(key)
                new = _place_at(layers, ties[key])
                layers |= new
                waiting.extend(new)


def _place_at(layers: Mapping[str, int], ties: Sequence[Tie]) -> dict[str, int]:
    """Layers for the nodes of a wire or a medium that have none.

    Stations are where other stations are, access points where other access points are; either is
    one layer on from the other, whichever was there first.
    """
    known = {tie.behind: layers[tie.node] for tie in ties if tie.node in layers}
    last = max(known.values())
    return {tie.node: known.get(tie.behind, last + 1) if tie.radio else last + 1
            for tie in ties if tie.node not in layers}  # fmt: skip


def _between(columns: Sequence[int]) -> int:
    """An odd column in the middle of its nodes'."""
    middle = sorted(columns)[len(columns) // 2]
    return middle - 1 if middle > min(columns) else middle + 1
