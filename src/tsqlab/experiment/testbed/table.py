# SPDX-License-Identifier: GPL-2.0-or-later
"""The table [testbed]: a layout and its keys, or the graph that a user wrote."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field, PrivateAttr, ValidationInfo, model_validator

from tsqlab import topology
from tsqlab.experiment.bounds import KeyedError, one_of
from tsqlab.experiment.invalid import shown
from tsqlab.experiment.profile import DataRateText
from tsqlab.experiment.sysctl import SysctlName, SysctlValue, check_sysctls
from tsqlab.experiment.testbed.bottleneck import Bottleneck, BottleneckText
from tsqlab.experiment.testbed.check import (
    STATIONS_MAX,
    check_changes,
    check_graph,
    check_parts,
)
from tsqlab.experiment.testbed.graph import Ends, Graph
from tsqlab.experiment.testbed.keys import Egress, Qdisc, Table
from tsqlab.experiment.testbed.layouts import GRAPH, LAYOUTS, OLD_LAYOUTS, foreign
from tsqlab.experiment.testbed.own import own
from tsqlab.experiment.testbed.templates import TEMPLATES
from tsqlab.experiment.testbed.written import (
    KEPT_AS,
    WRITTEN_AS,
    LinkTable,
    MediumTable,
    Name,
    NodeTable,
    Rts,
    Snr,
)
from tsqlab.topology import WIRED
from tsqlab.units import BASE_UNITS, Duration, Fraction, Rate

PAIRS_MAX, HOPS_MAX = 100, 20
# What a single station cannot have otherwise: each looks like what could be a table of stations.
_OF_ALL_STATIONS = ("device", "rate", "rts", "loss", "snr")
_BASE_RTT_MAX = Duration.of("20 s")  # a wireline link delays a frame by 10 s at most


def _check_changes(changes: dict[str, Any]) -> dict[str, Any]:
    """What a profile can say at all; the rest is known when the profile is read."""
    for key, value in changes.items():
        if isinstance(value, dict):
            try:
                _check_changes(value)
            except KeyedError as error:
                raise KeyedError([key, *error.where], str(error)) from None
        elif not isinstance(value, str | int):
            raise KeyedError([key], f"expected a text, a whole number or true, not {shown(value)}")
    return changes


def _check_base_rtt(rtt: Duration) -> Duration:
    if rtt.ns % 2 or rtt > _BASE_RTT_MAX:
        raise ValueError("expected an even number of ns, up to 20 s: half of it is each way")
    return rtt


class Testbed(Table):
    """Where packets go, every node a network namespace."""

    __test__ = False  # tells pytest that this Test* is not a test

    layout: Annotated[str, one_of("layout", (*LAYOUTS, GRAPH))] = WIRED
    device: str = "gigabit"  # the profile of the network cards, or of the stations' radios
    # What the profile says otherwise here, key by key; [testbed.profile.access_point] is of the
    # profile that it names. Of a graph, that of each device: [testbed.profile.ath9k].
    profile: Annotated[dict[str, Any], AfterValidator(_check_changes)] = Field({})
    # None: both links at the device's own rate.
    bottleneck: BottleneckText | None = None
    # The qdisc at the bottleneck, at every egress when there is no bottleneck, or of the radios.
    # None is pfifo_fast on wires and fq_codel on a radio, or the queues of mac80211 itself.
    qdisc: Qdisc | None = None
    # The propagation delay of the link to the server; half of it applies in each direction.
    base_rtt: Annotated[Duration, AfterValidator(_check_base_rtt)] = Duration(0)
    mtu: Annotated[int, Field(ge=68, le=65535)] = 1500  # the size of the largest IP packet in bytes
    egress: dict[str, Egress] = Field({})
    sysctl: dict[str, dict[SysctlName, SysctlValue]] = Field({})

    # The node at the far end of all flows and pings. AP: there is no wire.
    server: Annotated[str, one_of("server", topology.SERVERS)] = topology.SERVER
    # Of a dumbbell, clients with a server each; of a parking lot, links between two routers; of a
    # chain or a mesh, how far apart its ends are.
    pairs: Annotated[int, Field(ge=1, le=PAIRS_MAX)] = 2
    hops: Annotated[int, Field(ge=1, le=HOPS_MAX)] = 2
    # Of a chain: whether all streams end at S, or stream i at the end of hop 1 + (i - 1) mod hops.
    sinks: Annotated[str, one_of("sinks", ("last", "each"))] = "last"
    # Who hears a radio of a chain: all, or those one hop away.
    hears: Annotated[str, one_of("hears", ("all", "next"))] = "all"
    # How many there are, at each access point; the streams take turns at them.
    stations: Annotated[int, Field(ge=1, le=STATIONS_MAX)] = 1
    # The rate of data frames, in both directions; none: the slower of both devices' rates.
    # "minstrel": whatever mac80211's rate control chooses up to that.
    rate: DataRateText | None = None
    # Frames longer than this begin with RTS/CTS; none: the profile's threshold.
    rts: Rts | None = None
    # The probability of losing an MPDU, in addition to what the SNR causes.
    loss: Fraction = Fraction(0)
    # The signal-to-noise ratio of every link; none: no noise.
    snr: Snr | None = None

    # The graph that a user wrote, by the names of nodes, links and media.
    node: dict[Name, NodeTable] = Field({})
    link: dict[str, LinkTable] = Field({})
    medium: dict[str, MediumTable] = Field({})

    _graph: Graph = PrivateAttr()

    @model_validator(mode="before")
    @classmethod
    def _of_its_layout(cls, data: Any, info: ValidationInfo) -> Any:
        if not isinstance(data, dict):
            return data
        written = data.get("layout", _layout_of(data))
        if not isinstance(written, str):
            return data
        layout = OLD_LAYOUTS.get(written, written)
        # A stored specification has all keys; those of other layouts have their default values.
        stored = info.context and info.context.get(BASE_UNITS)
        if not stored:
            _check_written(layout, data)
        for key in _OF_ALL_STATIONS:
            if isinstance(data.get(key), dict):
                raise KeyedError(
                    [key], "expected one value, which all stations have (docs/model.md)"
                )
        usual = _usual(layout, data)
        for key, owners in foreign(layout).items() if layout in (*LAYOUTS, GRAPH) else ():
            idle = [None, usual.get(key, cls.model_fields[key].default)] if stored else [None]
            if data.get(key) not in idle:
                raise ValueError(f'"{key}" belongs to layout = "{owners[0]}"')
        return {**usual, **data, "layout": layout}

    @model_validator(mode="after")
    def _names(self) -> Testbed:
        if self.layout == GRAPH:
            check_parts(self.node, self.link, self.medium)
            self._graph = own(self)
            check_graph(self.graph)
            check_changes(self.profile, self.graph)
        else:
            self._graph = TEMPLATES[self.layout](self)
        for name in self.egress:
            if name not in self.egresses:
                raise ValueError(f'no egress "{name}"; there are {", ".join(self.egresses)}')
        check_sysctls(self.sysctl, self.nodes)
        if self.base_rtt and self.server == topology.ACCESS_POINT:
            raise KeyedError(
                ["base_rtt"],
                'is of the wire to the server, and server = "AP" has none; '
                'expected [testbed.egress."AP>C"] with a delay',
            )
        return self

    @property
    def graph(self) -> Graph:
        """The testbed as a graph, from which all wiring follows."""
        return self._graph

    @property
    def ends(self) -> tuple[Ends, ...]:
        """The ends of a test's flows, which take turns at them."""
        return self.graph.ends

    @property
    def clients(self) -> tuple[str, ...]:
        """The nodes that flows go to and from, a server being at the other end."""
        return self.graph.clients

    @property
    def nodes(self) -> tuple[str, ...]:
        """All nodes."""
        return self.graph.nodes

    @property
    def egresses(self) -> tuple[str, ...]:
        """Every node's sides, by whom it sends to there."""
        return self.graph.egresses

    @property
    def limit(self) -> Bottleneck:
        """The bottleneck that its shorthand means."""
        return Bottleneck.of(self.bottleneck)

    def line_rate(self, device_rate: Rate) -> Rate:
        """The line rate of the links, by which an LR bottleneck is made."""
        return self.limit.line_rate or device_rate


def _layout_of(data: dict[str, Any]) -> str:
    """The layout of a table that names none."""
    return GRAPH if any(data.get(key) for key in KEPT_AS.values()) else WIRED


def _check_written(layout: str, data: dict[str, Any]) -> None:
    if layout == GRAPH and "layout" in data:
        expected = "expected [nodes] and no layout"
        raise KeyedError(["layout"], f'"{GRAPH}" is what a file with [nodes] has; {expected}')
    if layout in LAYOUTS and (key := next((key for key in KEPT_AS.values() if key in data), None)):
        raise KeyedError(
            ["layout"], f'layout = "{layout}" has its own nodes; expected it or [{WRITTEN_AS[key]}]'
        )


def _usual(layout: str, data: dict[str, Any]) -> dict[str, Any]:
    """What is different by default in a layout. A graph's device is that of its first part."""
    if layout != GRAPH:
        return LAYOUTS.get(layout, {})
    tables: list[tuple[Any, type[Table]]] = [
        (data.get("medium"), MediumTable), (data.get("link"), LinkTable)
    ]  # fmt: skip
    for written, table in tables:
        for one in written.values() if isinstance(written, dict) else ():
            device = one.get("device") if isinstance(one, dict) else None
            return {"device": device or table.model_fields["device"].default}
    return {}
