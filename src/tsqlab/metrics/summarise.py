# SPDX-License-Identifier: GPL-2.0-or-later
"""A cell in a few numbers.

Goodput is what receiving applications got, of all flows together, while the flows ran;
latencies are those measured meanwhile, of all pings and of all TCP flows together. A number
that a cell does not have, such as a TCP round-trip time without TCP, is None.

Where flows go both ways, the goodput of either direction has a column of its own.
A node's own numbers are there besides, where a cell has them: a station's goodput, if there are
several, and the share of the time that a radio was on the air itself. Stations that share an access
point have airtime of their own, what it sends to them included (tsqlab.metrics.airtime), but in the
layout wifi, where a download's share has no station. Each [[flow]] has its own numbers
(tsqlab.metrics.flows), and so has each [[program]] (tsqlab.metrics.programs).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tsqlab.metrics import pings
from tsqlab.metrics.airtime import DOWN_AIRTIME, UP_AIRTIME, airtime_metrics
from tsqlab.metrics.document import Direction, Document, Trace, trace
from tsqlab.metrics.ecn import ecn_metrics
from tsqlab.metrics.flows import flow_metrics
from tsqlab.metrics.limits import limit_metrics
from tsqlab.metrics.programs import program_metrics
from tsqlab.metrics.statistics import distribution, jain, mean

Metrics = dict[str, float | None]


def summarise(document: Document) -> Metrics:
    """The metrics of a cell, from its Flent document."""
    return summarise_trace(trace(document))


def summarise_trace(cell: Trace) -> Metrics:
    """The metrics of a cell, from its arrays."""
    shares = [flow.mean_mbps(cell.begin_s, cell.end_s) for flow in cell.flows]
    own_shares = [share for flow in cell.flows if (share := flow.own_mbps()) is not None]
    stations = _stations(cell)
    return {
        "goodput_mbps": sum(shares) if shares else None,
        "goodput_up_mbps": _directed_mbps(cell, "up"),
        "goodput_down_mbps": _directed_mbps(cell, "down"),
        "fairness": jain(own_shares or shares) if len(shares) > 1 else None,
        **distribution("ping_ms", cell.ping_ms()),
        **pings.lost_metrics(*pings.count(cell)),
        **distribution("tcp_rtt_ms", cell.tcp_rtt_ms()),
        "aggregate_mean": _aggregate_mean(cell),
        "cwnd_mean": mean(cell.cwnd_packets()),
        "retransmits": _retransmits(cell),
        "fairness_stations": jain(list(stations.values())) if len(stations) > 1 else None,
        **limit_metrics(cell),
        "sim_s": cell.total_s,
        **_by_node(cell, stations),
        **airtime_metrics(cell),
        **flow_metrics(cell),
        **program_metrics(cell),
        **ecn_metrics(cell.markings, cell.begin_s, cell.end_s),
    }


DIRECTED = ("goodput_up_mbps", "goodput_down_mbps")
"""The goodput of all uploads together, and of all downloads."""

NODE_QUANTITIES = ("goodput_mbps", "airtime", UP_AIRTIME, DOWN_AIRTIME)
"""What a node has numbers of."""

_NODE = "[A-Za-z][A-Za-z0-9_]{0,14}"
NODE_METRIC = re.compile(rf"({'|'.join(NODE_QUANTITIES)})_({_NODE}(?:\.{_NODE})?)")
"""The name of a number that one node has: what it is, and whose; a radio is NODE.MEDIUM if its node
has several."""


def _by_node(cell: Trace, stations: Mapping[str, float]) -> Metrics:
    several = stations if len(stations) > 1 else {}
    goodputs: Metrics = {f"goodput_mbps_{node}": mbps for node, mbps in several.items()}
    shares = {radio.node: radio.on_air(cell.begin_s, cell.end_s) for radio in cell.radios}
    airtimes = {f"airtime_{node}": share for node, share in shares.items() if share is not None}
    return goodputs | airtimes


def _stations(cell: Trace) -> dict[str, float]:
    """The goodput of each client, of all its flows together."""
    found: dict[str, float] = {}
    for flow in cell.flows:
        if not flow.client:
            continue
        mbps = flow.mean_mbps(cell.begin_s, cell.end_s)
        found[flow.client] = found.get(flow.client, 0.0) + mbps
    return dict(sorted(found.items(), key=lambda item: (len(item[0]), item[0])))


def _directed_mbps(cell: Trace, direction: Direction) -> float | None:
    shares = [flow.mean_mbps(cell.begin_s, cell.end_s) for flow in cell.flows
              if flow.direction == direction]  # fmt: skip
    return sum(shares) if shares else None


def _aggregate_mean(cell: Trace) -> float | None:
    """Frames per PPDU while the flows run, of the radios that send; a wire has none."""
    means = [radio.aggregate_mean(cell.begin_s, cell.end_s) for radio in cell.senders()]
    return mean([value for value in means if value is not None])


def _retransmits(cell: Trace) -> float | None:
    counts = [float(flow.retransmits.value[-1]) for flow in cell.flows
              if len(flow.retransmits.value)]  # fmt: skip
    return sum(counts) if counts else None
