# SPDX-License-Identifier: GPL-2.0-or-later
"""What a user writes of a graph: [nodes], [[link]] and [[medium]].

In a specification they are tables of [testbed], by the names that other keys call them: a link is
"C-R", by the nodes that it is between, and a medium has a name of its own. So [matrix] and --set
say link.C-R.delay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from tsqlab.experiment.bounds import KeyedError, between, one_of, whole
from tsqlab.experiment.invalid import shown
from tsqlab.experiment.profile import DataRateText, PhyRateText
from tsqlab.experiment.testbed.graph import Role
from tsqlab.experiment.testbed.keys import Qdisc, Table
from tsqlab.experiment.testbed.positions import Position, PropagationTable
from tsqlab.topology import egress
from tsqlab.units import Decibel, Duration, Fraction, Rate, Size

NODES, LINK, MEDIUM = "nodes", "link", "medium"
"""The tables of a file that are a graph."""

KEPT_AS = {NODES: "node", LINK: LINK, MEDIUM: MEDIUM}
"""The key of [testbed] that each is kept as."""

WRITTEN_AS = {key: table for table, key in KEPT_AS.items()}
"""The table that a key of [testbed] is written as."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,14}")
# What names something else where a node's name could stand.
_TAKEN = {"guest": "what all nodes share", "all": "every station"}

LineRate = Annotated[Rate, whole(10**6, "Mbit/s"), between(Rate, "10 Mbit/s", "100 Gbit/s")]
Propagation = Annotated[Duration, between(Duration, "0 s", "10 s")]
Rts = Annotated[Size, between(Size, "0 B", "4294967295 B")]
Snr = Annotated[Decibel, between(Decibel, "0 dB", "100 dB")]


def _check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{shown(name)} cannot be a name; expected up to 15 letters and digits, "
            "the first of them a letter"
        )
    if name in _TAKEN:
        raise ValueError(f'"{name}" means {_TAKEN[name]}; expected another name')
    return name


Name = Annotated[str, AfterValidator(_check_name)]


class NodeTable(Table):
    """A node. What it is follows from its links and media."""

    # The node at the other end of this one's flows and pings: it is a client then.
    server: str | None = None
    # The neighbour by which it reaches another node, where that is not the shortest way.
    via: dict[str, str] = Field({})


def link_name(between: object) -> str:
    """What a link is called: "C-R"; empty if that is no pair of names."""
    if isinstance(between, list | tuple) and len(between) == 2:
        return "-".join(str(node) for node in between)
    return ""


class LinkTable(Table):
    """A wire. Of what can differ by direction, a table has each way's, by its egress: "C>R"."""

    between: tuple[Name, Name]
    device: str = "gigabit"  # the profile of its cards
    rate: dict[str, LineRate] = Field({})  # the line rate; none: the profile's
    delay: dict[str, Propagation] = Field({})  # the propagation delay
    loss: dict[str, Fraction] = Field({})  # of each packet, by netem
    qdisc: dict[str, Qdisc] = Field({})  # none: testbed.qdisc, or pfifo_fast

    @model_validator(mode="before")
    @classmethod
    def _each_way(cls, data: Any) -> Any:
        if not isinstance(data, dict) or not link_name(data.get("between")):
            return data
        near, far = data["between"]
        ways = (egress(near, far), egress(far, near))
        found = dict(data)
        for key in ("rate", "delay", "loss", "qdisc"):
            value = data.get(key)
            if isinstance(value, dict):
                _check_ways(key, value, ways)
            elif value is not None:
                found[key] = dict.fromkeys(ways, value)
        return found

    @property
    def ways(self) -> tuple[str, str]:
        """Its egresses."""
        near, far = self.between
        return egress(near, far), egress(far, near)


def _check_ways(key: str, value: Mapping[str, Any], ways: tuple[str, str]) -> None:
    for way in value:
        if way not in ways:
            raise KeyedError([key, way], f'expected "{ways[0]}" or "{ways[1]}"')


def _as_member(value: object) -> object:
    return {"role": value} if isinstance(value, str) else value


ROLES = tuple(role.value for role in Role if role != Role.AD_HOC)


class MemberTable(Table):
    """A node's radio on a medium."""

    role: Annotated[str, one_of("role", ROLES)]
    of: str = ""  # a station's access point; it can be left out where there is one only
    # The rate of the data that a station sends and gets; none: the medium's.
    rate: PhyRateText | None = None
    device: str | None = None  # the profile of its radio; none: as the medium's says
    position: Position | None = None  # where it is; all members of a medium have one, or none


class PairTable(Table):
    """How two members of a medium receive each other, or one of them the other."""

    loss: Fraction | None = None  # none, here and below: as the medium says
    snr: Snr | None = None
    hears: bool | None = None  # whether it senses the other at all; none: it does


class MediumTable(Table):
    """A radio channel."""

    name: Name
    device: str = "ath9k_htc"  # the profile of the stations, which names that of an access point
    members: Annotated[
        dict[Name, Annotated[MemberTable, BeforeValidator(_as_member)]], Field(min_length=1)
    ]
    rate: DataRateText | None = None  # of data; none: the slower of both sides' own
    rts: Rts | None = None  # what is longer begins with RTS/CTS; none: the profile's
    # Of each MPDU between a station and its access point, and in a network without one.
    loss: Fraction = Fraction(0)
    snr: Snr | None = None  # of those links; none: no noise
    qdisc: Qdisc | None = None  # of its radios; none: testbed.qdisc, or as the device has
    propagation: PropagationTable | None = None  # what positions mean; none: its defaults
    # By "A>B", what B hears of A; by "A-B", both ways.
    pairs: dict[str, PairTable] = Field({})


def gathered(tables: Mapping[str, Any]) -> dict[str, Any]:
    """A file's tables with the graph among the keys of [testbed]. Raises KeyedError."""
    if not any(name in tables for name in KEPT_AS):
        return dict(tables)
    result = {name: table for name, table in tables.items() if name not in KEPT_AS}
    testbed = result.get("testbed", {})
    if not isinstance(testbed, Mapping):
        return result  # the schema says what is wrong with it
    found: dict[str, Any] = {}
    if NODES in tables:
        found[KEPT_AS[NODES]] = tables[NODES]
    if LINK in tables:
        found[LINK] = _named(LINK, tables[LINK], _name_of_link)
    if MEDIUM in tables:
        found[MEDIUM] = _named(MEDIUM, tables[MEDIUM], _name_of_medium)
    return {**result, "testbed": {**testbed, **found}}


def _named(
    table: str, written: object, name_of: Callable[[Mapping[str, Any], list[str]], str]
) -> dict[str, Any]:
    if not isinstance(written, list) or not all(isinstance(one, dict) for one in written):
        raise KeyedError([table], f"expected tables, each under a line [[{table}]]")
    found: dict[str, Any] = {}
    for number, one in enumerate(written, 1):
        name = name_of(one, [table, str(number)])
        if name in found:
            raise KeyedError([table, str(number)], f'there is a {table} "{name}" already')
        found[name] = one
    return found


def _name_of_link(one: Mapping[str, Any], where: list[str]) -> str:
    name = link_name(one.get("between"))
    if not name:
        raise KeyedError([*where, "between"], 'expected two nodes: ["C", "R"]')
    return name


def _name_of_medium(one: Mapping[str, Any], where: list[str]) -> str:
    name = one.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise KeyedError([*where, "name"], f'expected a name, as "air", not {shown(name)}')
    return name


def place_in_file(
    tables: Mapping[str, Any], where: Sequence[str]
) -> tuple[Sequence[str], Sequence[str]]:
    """Where a key of a specification stands in a file, and what to call it there.

    That of ["testbed", "link", "C-R", "delay"] is ["link", "1", "delay"], called link.C-R.delay.
    """
    if len(where) < 2 or where[0] != "testbed" or where[1] not in WRITTEN_AS:
        return where, where
    table, *rest = WRITTEN_AS[where[1]], *where[2:]
    written = tables.get(table)
    if not isinstance(written, list) or not rest:
        return [table, *rest], [table, *rest]
    names = [link_name(one.get("between")) or one.get("name") for one in written]
    if rest[0] not in names:
        return [table, *rest], [table, *rest]
    index = names.index(rest[0])
    inside = _as_far_as_written(written[index], rest[1:])
    return [table, str(index + 1), *inside], [table, rest[0], *inside]


def _as_far_as_written(table: object, where: Sequence[str]) -> list[str]:
    """A key without what follows a value that stands for both ways of a link."""
    found: list[str] = []
    for part in where:
        if not isinstance(table, dict):
            break
        found.append(part)
        table = table.get(part, {})
    return found
