# SPDX-License-Identifier: GPL-2.0-or-later
"""The numbers of single flows: of each [[flow]], by its place in the file.

Each is of the flow's own time, from its start to its stop, or to its last byte if it has so many to
send. Its completion time counts from the instant at which it connects to the one at which the
receiving application has the last byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tsqlab.metrics import pings
from tsqlab.metrics.document import Flow, Own, Trace
from tsqlab.metrics.statistics import PERCENTILES, distribution, mean

_OF_DATA = ("goodput_mbps", "fct_s")
_OF_TCP = (
    *(f"tcp_rtt_ms_p{q}" for q in PERCENTILES), "tcp_rtt_ms_mean", "cwnd_mean", "retransmits",
)  # fmt: skip
_OF_PINGS = (*(f"ping_ms_p{q}" for q in PERCENTILES), "ping_ms_mean", "pings_sent",
             "ping_lost_share")  # fmt: skip

FLOW_QUANTITIES = (*_OF_DATA, *_OF_TCP, *_OF_PINGS)
"""What a flow, or a flow of pings, has numbers of."""

FLOW_METRIC = re.compile(rf"({'|'.join(FLOW_QUANTITIES)})_([1-9][0-9]{{0,3}})")
"""The name of a number that one [[flow]] has: what it is, and whose."""


def flow_order(name: str) -> tuple[int, int]:
    """Where a column stands: the flows one after another, each with its numbers in their order."""
    match = FLOW_METRIC.fullmatch(name)
    assert match, "only such are sorted"
    return int(match[2]), FLOW_QUANTITIES.index(match[1])


def flow_metrics(cell: Trace) -> dict[str, float | None]:
    """The numbers of each [[flow]] of a cell; None is what a flow does not have."""
    return {
        f"{name}_{own.number}": value
        for own, numbers in (*_flows(cell), *_pings(cell))
        for name, value in numbers.items()
    }


_Numbers = dict[str, float | None]


def _flows(cell: Trace) -> Iterator[tuple[Own, _Numbers]]:
    for flow in cell.flows:
        if flow.own:
            numbers: _Numbers = {"goodput_mbps": flow.own_mbps(), "fct_s": flow.own.fct_s}
            yield flow.own, numbers | _of_socket(flow, flow.own)


def _of_socket(flow: Flow, own: Own) -> _Numbers:
    rtt_ms, cwnd = (of.between(own.begin_s, own.until_s) for of in (flow.rtt_ms, flow.cwnd_packets))
    counts = flow.retransmits.value
    return distribution("tcp_rtt_ms", rtt_ms) | {
        "cwnd_mean": mean(cwnd),
        "retransmits": float(counts[-1]) if len(counts) else None,
    }


def _pings(cell: Trace) -> Iterator[tuple[Own, _Numbers]]:
    for name, own in cell.own_pings.items():
        values = cell.answered_ms(name, own.begin_s, own.end_s)
        sent, lost = pings.count_of(cell, name, own.begin_s, own.end_s)
        yield own, distribution("ping_ms", values) | pings.lost_metrics(sent, lost)
