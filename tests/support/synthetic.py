# SPDX-License-Identifier: GPL-2.0-or-later
"""Measurements made up for tests, of which every number is known.

Flow i (from 0) runs at 10 * (i + 1) Mbit/s. Pings take 2 ms, and while flows run 20 ms, each
further probe a millisecond more; TCP's round-trip time climbs evenly from 10 to 30 ms, and
its window from 100 to 200 packets.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tsqlab.experiment.flows import Flow, traffic
from tsqlab.results.measurement import Measurement, RadioTables, Table
from tsqlab.results.record import CellRecord, FlowName, Level

START_UNIX_S = 1_700_000_010.0
DELAY_S, LENGTH_S, STEP_S = 5.0, 10.0, 0.1
TOTAL_S = LENGTH_S + 2 * DELAY_S
STEP_NS = 100_000_000
PING_IDLE_MS, PING_BUSY_MS = 2.0, 20.0


def steps(begin_s: float, end_s: float) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The sampling instants after *begin_s* to *end_s*, in ns."""
    first, last = round(begin_s / STEP_S) + 1, round(end_s / STEP_S)
    return np.arange(first, last + 1, dtype=np.int64) * STEP_NS


def flow_mbps(at: int) -> float:
    """The goodput of the flow at that place."""
    return 10.0 * (at + 1)


def receiver(mbps: float, t_ns: np.ndarray[Any, Any]) -> Table:
    """A flow that gets that rate from its start, a step before the first sample, to the end."""
    alive_s = np.clip(t_ns / 1e9 - DELAY_S, 0, LENGTH_S)
    return {"t_ns": t_ns, "app_bytes": np.round(alive_s * mbps * 125_000).astype(np.int64)}


def sender(t_ns: np.ndarray[Any, Any]) -> Table:
    """A TCP socket."""
    part = np.linspace(0, 1, len(t_ns))
    same = np.ones(len(t_ns), dtype=np.int64)
    return {
        "t_ns": t_ns,
        "rtt_us": np.round(10_000 + 20_000 * part).astype(np.int64),
        "rttvar_us": 500 * same,
        "min_rtt_us": 9_000 * same,
        "cwnd_packets": np.round(100 + 100 * part).astype(np.int64),
        "ssthresh_packets": 0x7FFFFFFF * same,
        "pacing_rate_bytes_per_s": 2_500_000 * same,
        "delivery_rate_bytes_per_s": 1_250_000 * same,
        "retransmits": np.arange(len(t_ns)) // 10,
        "lost_packets": 0 * same,
        "unacked_packets": 50 * same,
        "notsent_bytes": 1_000 * same,
        "acked_bytes": 0 * same,
        "wmem_alloc_bytes": 3_000 * same,
        "send_queue_bytes": 90_000 * same,
    }


def ping(more_ms: float = 0.0) -> Table:
    """Answers to a ping per step, of which the third is lost; busy ones take *more_ms* longer."""
    sent_ns = np.delete(np.arange(0, round(TOTAL_S / STEP_S), dtype=np.int64), 2) * STEP_NS
    busy = (sent_ns >= DELAY_S * 1e9) & (sent_ns < (DELAY_S + LENGTH_S) * 1e9)
    rtt_ns = np.where(busy, PING_BUSY_MS + more_ms, PING_IDLE_MS) * 1e6
    return {
        "t_ns": sent_ns + rtt_ns.astype(np.int64),
        "sequence": sent_ns // STEP_NS,
        "rtt_ns": rtt_ns.astype(np.int64),
    }


def qdisc() -> Table:
    """A queue that drops a packet every second and marks none."""
    t_ns = np.concatenate(([0], steps(0, TOTAL_S)))
    same = np.ones(len(t_ns), dtype=np.int64)
    return {
        "t_ns": t_ns,
        "sent_bytes": t_ns // 1000,
        "sent_packets": t_ns // 1_500_000,
        "backlog_bytes": 15_140 * same,
        "backlog_packets": 10 * same,
        "drops": 7 + t_ns // 1_000_000_000,
        "overlimits": 0 * same,
        "marks": 0 * same,
    }


def radio(peer: str, frames: int) -> RadioTables:
    """A radio that sends nothing before the flows, and then a PPDU of *frames* a millisecond."""
    t_ns = np.concatenate(([0], steps(0, TOTAL_S)))
    ppdus = np.round(np.clip(t_ns / 1e9 - DELAY_S, 0, LENGTH_S) * 1000).astype(np.int64)
    counters = {
        "t_ns": t_ns,
        "ppdus": ppdus,
        "subframes": frames * ppdus,
        "tx_ns": 500_000 * ppdus,
        "busy_ns": 700_000 * ppdus,
    }
    histogram = [0] * 256
    histogram[frames - 1] = int(ppdus[-1])
    return RadioTables(peer, counters, tuple(histogram))


def _sender(flow: Flow) -> Table:
    return sender(steps(DELAY_S, DELAY_S + LENGTH_S)) if flow.protocol == "tcp" else {}


def _receiver(flow: Flow, at: int) -> Table:
    """A TCP receiver lives as long as its flow, one of datagrams from the start to the end."""
    tcp = flow.protocol == "tcp"
    t_ns = steps(DELAY_S, DELAY_S + LENGTH_S) if tcp else steps(-STEP_S, TOTAL_S)
    return receiver(flow_mbps(at), t_ns)


def record(
    test: str = "tcp_nup",
    streams: int = 2,
    factors: Mapping[str, Level] | None = None,
    radios: Mapping[str, RadioTables] | None = None,
) -> CellRecord:
    """A finished cell of that test."""
    sent = traffic(test, streams, "cubic")
    return CellRecord(
        test=test,
        title="A made-up cell",
        factors={"qdisc": "pfifo_fast", "seed": 1} if factors is None else factors,
        length_s=LENGTH_S,
        delay_s=DELAY_S,
        step_s=STEP_S,
        streams=streams,
        start_unix_s=START_UNIX_S,
        flows=tuple(FlowName(flow.series, flow.protocol, flow.direction) for flow in sent.flows),
        provenance={"kernel": {"release": "6.12.1", "build_id": "0123abcd"}},
        measurement=Measurement(
            senders={flow.series: _sender(flow) for flow in sent.flows},
            receivers={flow.series: _receiver(flow, at) for at, flow in enumerate(sent.flows)},
            pings={probe.series: ping(at) for at, probe in enumerate(sent.probes)},
            qdiscs={"C>R": qdisc(), "R>S": qdisc()},
            radios=radios or {},
        ),
    )
