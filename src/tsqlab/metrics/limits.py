# SPDX-License-Identifier: GPL-2.0-or-later
"""What limited a flow.

At any instant that it has data to send, a TCP sender is held back by one thing. The kernel counts
the time for three of them: TCP Small Queues (the CoTSQ series' TCP_TSQ_INFO), the receiver's
window and the send buffer (TCP's own chronographs). For the congestion window and for pacing there
is no clock, so that these two are sampled: at each sampling instant the same conditions are looked
at that tcp_write_xmit() looks at, and what none of them explains is pacing. A UDP sender waits for
room in its send buffer, or has nothing to send; both are sampled.

What *held* a sender is not yet what *bound* the flow: while a link on its way is full
(tsqlab.metrics.links), that is the bound. So each step is the link's if it was full, and is
divided among what held the sender otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tsqlab.metrics.document import Capacity, Flow, Trace
from tsqlab.metrics.links import air_busy, air_full, radios_of, wire_full, wire_load, wires_of
from tsqlab.metrics.series import MISSING, Floats, Rows
from tsqlab.metrics.statistics import mean

HELD = ("tsq_held_share", "cwnd_limited_share", "rwnd_limited_share", "sndbuf_limited_share",
        "pacing_limited_share", "app_limited_share")  # fmt: skip
"""The metrics of what held the senders, each a share of the time, averaged over the flows."""

LINKS = ("air_busy_share", "wire_busy_share")
"""The metrics of how busy the links were."""

BOUNDS = ("bound_tsq_shift_share", "bound_tsq_us_share", "bound_tsq_pkts_share",
          "bound_tsq_bytes_share", "bound_cwnd_share", "bound_rwnd_share", "bound_sndbuf_share",
          "bound_pacing_share", "bound_app_share", "bound_air_share",
          "bound_wire_share")  # fmt: skip
"""The metrics of what bound the flows. A flow's add up to 1, if all could be told apart."""

SHARES = (*HELD, *LINKS, *BOUNDS)

_CLOCKS = {  # the clocks of what held a sender, cumulative
    "tsq": "tcp_tsq_throttled_us",
    "rwnd": "tcp_rwnd_limited_us",
    "sndbuf": "tcp_sndbuf_limited_us",
}
_SAMPLED = ("cwnd", "pacing", "app", "sndbuf")
CLOCKED, HELD_BY_TSQ, UNKNOWN = "clocked", "tsq", "?"
"""States for which there is a clock; and that of a sender without TSQ's clock which nothing else
holds, so that it may be TSQ or pacing."""

States = NDArray[np.str_]
Shares = dict[str, float]


@dataclass(frozen=True)
class FlowLimits:
    """What limited one flow."""

    series: str
    samples: int  # how many there are for what has no clock
    held: Mapping[str, float]  # shares of the time, by metrics of HELD
    bound: Mapping[str, float]  # shares of the time, by metrics of BOUNDS


def flow_limits(cell: Trace) -> list[FlowLimits]:
    """What limited each flow; those are left out that are too short, or not the lab's."""
    found = (_flow(cell, flow) for flow in cell.flows)
    return [limits for limits in found if limits]


def limit_metrics(cell: Trace) -> dict[str, float | None]:
    """The metrics of SHARES; None is what a cell does not have, as the air over wires."""
    flows = flow_limits(cell)
    # A UDP sender has no clock of TSQ or of a window: it is not held by them.
    shares = {name: mean([flow.held.get(name, 0.0) for flow in flows])
              if any(name in flow.held for flow in flows) else None for name in HELD}  # fmt: skip
    bounds = {name: mean([flow.bound.get(name, 0.0) for flow in flows]) for name in BOUNDS}
    return shares | _links(cell) | bounds


def _links(cell: Trace) -> dict[str, float | None]:
    radios = [busy for radio in cell.senders()
              if (busy := air_busy(radio, cell.begin_s, cell.end_s)) is not None]  # fmt: skip
    loads = [float(wire_load(wire, cell.begin_s, cell.end_s))
             for flow in cell.flows for wire in wires_of(cell, flow)]  # fmt: skip
    return {"air_busy_share": mean(radios), "wire_busy_share": max(loads, default=None)}


def _flow(cell: Trace, flow: Flow) -> FlowLimits | None:
    rows = flow.socket.between(cell.begin_s, cell.end_s)
    if len(rows.t_s) < 2 or not (np.diff(rows.t_s) > 0).all():
        return None
    if (rows.value["udp_blocked"] != MISSING).any():
        states = np.where(rows.value["udp_blocked"] > 0, "sndbuf", "app")
        clocks: dict[str, Floats] = {}
    elif (rows.value["tcp_busy_us"] != MISSING).all():
        states = tcp_states(rows)
        clocks = {name: rows.value[key] / 1e6 for name, key in _CLOCKS.items()
                  if (rows.value[key] != MISSING).all()}  # fmt: skip
    else:
        return None
    if clocks and "tsq" not in clocks:
        states = np.where(states == "pacing", UNKNOWN, states)
    return FlowLimits(
        flow.series,
        len(rows.t_s),
        _held(rows, states, clocks),
        _bound(rows, states, clocks, _full(cell, flow, rows.t_s[1:]), flow.tsq),
    )


def tcp_states(rows: Rows) -> States:
    """What holds a TCP sender at each sample, asked in the order of tcp_write_xmit().

    Of two that hold it at once the first counts. CLOCKED is what a clock counts as well, and is
    here only so that it is not taken for something else.
    """
    value = rows.value
    all_sent = value["tcp_notsent_bytes"] <= 0
    in_flight_bytes = value["tcp_send_queue_bytes"] - value["tcp_notsent_bytes"]
    next_bytes = np.minimum(value["tcp_mss_bytes"], value["tcp_notsent_bytes"])
    limit_bytes = value["tcp_tsq_limit_bytes"]
    counted_us = np.diff(value["tcp_sndbuf_limited_us"], prepend=value["tcp_sndbuf_limited_us"][:1])
    # As sk_stream_is_writeable() has it: who waits goes on when a third of the buffer is free.
    queued_bytes = value["tcp_wmem_queued_bytes"]
    no_room = value["tcp_send_buffer_bytes"] - queued_bytes < queued_bytes // 2
    return np.select(
        [
            all_sent & (counted_us > 0),
            value["tcp_in_flight"] >= value["tcp_cwnd"],
            all_sent & no_room,
            all_sent,
            in_flight_bytes + next_bytes > value["tcp_receive_window_bytes"],
            (limit_bytes != MISSING) & (value["tcp_wmem_alloc_bytes"] > limit_bytes),
        ],
        [CLOCKED, "cwnd", "sndbuf", "app", CLOCKED, HELD_BY_TSQ],
        "pacing",
    )


def _held(rows: Rows, states: States, clocks: Mapping[str, Floats]) -> Shares:
    """The shares of the time that each held the sender, by metrics of HELD."""
    everywhere = np.ones(len(rows.t_s) - 1, dtype=bool)
    seconds = _seconds(rows, states, clocks, everywhere)
    time_s = rows.t_s[-1] - rows.t_s[0]
    named = {name: name.partition("_")[0] for name in HELD}
    return {name: float(seconds[hold] / time_s) for name, hold in named.items() if hold in seconds}


def _seconds(
    rows: Rows, states: States, clocks: Mapping[str, Floats], steps: NDArray[np.bool_]
) -> Shares:
    """For how long each held the sender in those of the steps between two samples."""
    steps_s = np.diff(rows.t_s)
    counted = {name: np.diff(clock) for name, clock in clocks.items()}
    total_s = np.sum([np.zeros(len(steps_s)), *counted.values()], axis=0)
    excess = np.maximum(total_s / steps_s, 1)  # a clock's tick may be in the next step
    seconds = {name: float((clock / excess)[steps].sum()) for name, clock in counted.items()}
    rest_s = float((steps_s - total_s / excess)[steps].sum())
    sampled = states[1:][steps] if steps.any() else states
    for name, more_s in _rest(rest_s, float(steps_s[steps].sum()), sampled).items():
        seconds[name] = seconds.get(name, 0.0) + more_s
    return seconds


def _rest(rest_s: float, time_s: float, states: States) -> Shares:
    """The time for which there is no clock, by what the samples say of it.

    Pacing is looked at before all else, so that samples which seem to be the congestion
    window's or TSQ's may be pacing's: if there are any of pacing, it is what the others leave.
    """
    share = {name: float(np.mean(states == name)) for name in _SAMPLED}
    unknown = bool((states == UNKNOWN).any())  # how much of the rest is TSQ's
    if not (share["pacing"] or unknown):
        scale = rest_s / sum(share.values()) if any(share.values()) else 0.0
        return {name: scale * part for name, part in share.items()}
    del share["pacing"]
    scale = min(time_s, rest_s / sum(share.values())) if any(share.values()) else 0.0
    found = {name: scale * part for name, part in share.items()}
    return found if unknown else found | {"pacing": rest_s - sum(found.values())}


@dataclass(frozen=True)
class _Full:
    """In which steps links are full."""

    air: NDArray[np.bool_]
    wire: NDArray[np.bool_]


def _full(cell: Trace, flow: Flow, steps_end_s: Floats) -> _Full:
    none = np.zeros(len(steps_end_s), dtype=bool)
    radios = [air_full(cell, radio, steps_end_s) for radio in radios_of(cell, flow)]
    air = np.logical_or.reduce([none, *radios])
    wires = [wire_full(wire, steps_end_s, cell.step_s, cell) for wire in wires_of(cell, flow)]
    # A wire behind a radio that is full may be full as well; where both are, the air is named.
    return _Full(air, np.logical_or.reduce([none, *wires]) & ~air)


def _bound(
    rows: Rows, states: States, clocks: Mapping[str, Floats], full: _Full, tsq: Capacity
) -> Shares:
    """The shares of the time that are each bound's, by metrics of BOUNDS."""
    steps_s = np.diff(rows.t_s)
    seconds = _seconds(rows, states, clocks, ~(full.air | full.wire))
    seconds["air"], seconds["wire"] = (float(steps_s[link].sum()) for link in (full.air, full.wire))
    for term, part in tsq_terms(rows, states, tsq).items():
        seconds[f"tsq_{term}"] = seconds.get("tsq", 0.0) * part
    time_s = float(steps_s.sum())
    return {name: seconds.get(name.removeprefix("bound_").removesuffix("_share"), 0.0) / time_s
            for name in BOUNDS}  # fmt: skip


_SHIFT_MAX = 31
_SAME = 0.01  # the pacing rate may have changed a little since TSQ looked at it last


def tsq_terms(rows: Rows, states: States, tsq: Capacity) -> Shares:
    """By which term TSQ's limit, min(bytes, max(time, packets)), was what it was: parts of 1.

    The time is "shift", stock's, or "us". A limit that is neither the bytes nor a time at the
    pacing rate of that instant is "pkts": stock's two skbs, or so many packets.
    """
    limit_bytes, rate_mbps = rows.value["tcp_tsq_limit_bytes"], rows.value["tcp_pacing_rate"]
    known = limit_bytes != MISSING
    if (known & (states == HELD_BY_TSQ)).any():
        known &= states == HELD_BY_TSQ
    if not known.any():
        return {"shift": 0.0, "us": 0.0, "pkts": 0.0, "bytes": 0.0}
    limit_bytes, rate = limit_bytes[known], np.maximum(rate_mbps[known], 0) * 1e6 / 8
    us = tsq.get("us", 0)
    if us:
        in_time = np.abs(limit_bytes - rate * us / 1e6) <= _SAME * limit_bytes
    else:
        of_stock = rate * tsq.get("stock_part", 1)
        shifts = of_stock[:, np.newaxis] / 2.0 ** np.arange(_SHIFT_MAX + 1)
        in_time = (np.abs(limit_bytes[:, np.newaxis] - shifts) <= _SAME * shifts).any(axis=1)
    in_bytes = limit_bytes == tsq.get("bytes", 0)
    time, of_bytes = float(np.mean(in_time & ~in_bytes)), float(np.mean(in_bytes))
    return {
        "shift": 0.0 if us else time,
        "us": time if us else 0.0,
        "pkts": 1 - time - of_bytes,
        "bytes": of_bytes,
    }
