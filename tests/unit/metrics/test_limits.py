# SPDX-License-Identifier: GPL-2.0-or-later
"""What limited a flow, of samples that are made up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from synthetic import DELAY_S, LENGTH_S, STEP_S, radio, record, sender, steps
from tsqlab.metrics.document import trace
from tsqlab.metrics.limits import FlowLimits, flow_limits, limit_metrics
from tsqlab.results.flent import to_flent
from tsqlab.results.measurement import RadioTables, Table
from tsqlab.results.record import Capacity, RadioCapacity, TsqCapacity, WireCapacity

FLOW = "TCP upload::1"
T_NS = steps(DELAY_S, DELAY_S + LENGTH_S)
TIME_US = (T_NS - T_NS[0]) // 1000
SAME = np.ones(len(T_NS), dtype=np.int64)
ELSE = np.arange(len(T_NS)) % 2 == 0  # every other sample

# A sender that nothing holds but its pacing.
SOCKET: Mapping[str, Any] = {
    "in_flight_packets": 50 * SAME,
    "mss_bytes": 1448 * SAME,
    "receive_window_bytes": 1_000_000 * SAME,
    "wmem_queued_bytes": 90_000 * SAME,
    "send_buffer_bytes": 1_000_000 * SAME,
    "busy_us": TIME_US,
    "rwnd_limited_us": 0 * SAME,
    "sndbuf_limited_us": 0 * SAME,
    "tsq_limit_bytes": 4816 * SAME,
    "tsq_throttled": 0 * SAME,
    "tsq_throttled_us": 0 * SAME,
}
FULL_CWND = {"in_flight_packets": 200 * SAME}
ALL_SENT = {"notsent_bytes": 0 * SAME}


def limits_of(
    capacity: Capacity | None = None,
    radios: Mapping[str, RadioTables] | None = None,
    without: tuple[str, ...] = (),
    **changes: Any,
) -> FlowLimits:
    cell = record("tcp_nup", streams=1, radios=radios)
    table: Table = {**sender(T_NS), **SOCKET, **changes}
    table = {name: column for name, column in table.items() if name not in without}
    measurement = replace(cell.measurement, senders={FLOW: table})
    document = to_flent(replace(cell, measurement=measurement, capacity=capacity or Capacity()))
    (limits,) = flow_limits(trace(document))
    return limits


def parts(limits: FlowLimits) -> dict[str, float]:
    """What bound it, without zeros."""
    return {name[len("bound_") : -len("_share")]: round(share, 3)
            for name, share in limits.bound.items() if share > 1e-6}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "held", "bound"),
    [
        ({}, "pacing_limited_share", "pacing"),
        (FULL_CWND, "cwnd_limited_share", "cwnd"),
        ({"rwnd_limited_us": TIME_US}, "rwnd_limited_share", "rwnd"),
        ({"sndbuf_limited_us": TIME_US, **ALL_SENT}, "sndbuf_limited_share", "sndbuf"),
        ({"wmem_queued_bytes": 700_000 * SAME, **ALL_SENT}, "sndbuf_limited_share", "sndbuf"),
        ({"wmem_queued_bytes": 600_000 * SAME, **ALL_SENT}, "app_limited_share", "app"),
        ({"tsq_throttled_us": TIME_US}, "tsq_held_share", "tsq_pkts"),
    ],
)
def test_one_thing_holds_a_sender(changes: Any, held: str, bound: str) -> None:
    limits = limits_of(**changes)
    assert limits.samples == LENGTH_S / STEP_S
    assert limits.held[held] == pytest.approx(1)
    assert sum(limits.held.values()) == pytest.approx(1)
    assert parts(limits) == {bound: 1}


def test_a_clock_is_exact_and_samples_share_out_what_it_leaves() -> None:
    """TSQ for three quarters of the time, and half of the samples find the window full."""
    limits = limits_of(tsq_throttled_us=TIME_US * 3 // 4, wmem_alloc_bytes=9_000 * SAME,
                       in_flight_packets=np.where(ELSE, 200, 50))  # fmt: skip
    assert limits.held["tsq_held_share"] == pytest.approx(0.75, abs=1e-4)
    assert limits.held["cwnd_limited_share"] == pytest.approx(0.25, abs=1e-4)
    assert limits.held["pacing_limited_share"] == 0, "no sample is left to be explained by it"


def test_pacing_is_what_all_others_leave() -> None:
    """It is looked at first, so that samples of a full queue may be its own."""
    tenth = np.arange(len(T_NS)) % 10 == 1
    limits = limits_of(
        tsq_throttled_us=TIME_US // 2,
        wmem_alloc_bytes=np.where(ELSE, 9_000, 3_000),
        in_flight_packets=np.where(tenth, 200, 50),
    )
    assert limits.held["tsq_held_share"] == pytest.approx(0.5, abs=1e-4)
    assert limits.held["cwnd_limited_share"] == pytest.approx(0.1, abs=0.01)
    assert limits.held["pacing_limited_share"] == pytest.approx(0.4, abs=0.01)


def test_without_the_series_tsq_and_pacing_are_one() -> None:
    gone = ("tsq_limit_bytes", "tsq_throttled", "tsq_throttled_us")
    limits = limits_of(without=gone, in_flight_packets=np.where(ELSE, 200, 50))
    assert not {"tsq_held_share", "pacing_limited_share"} & limits.held.keys()
    assert parts(limits) == {"cwnd": pytest.approx(0.5, abs=0.01)}
    assert sum(limits.bound.values()) < 0.6


RATE = 2_500_000  # the synthetic sender's pacing rate, in bytes per second


@pytest.mark.parametrize(
    ("limit_bytes", "capacity", "term"),
    [
        (RATE >> 10, TsqCapacity(1 << 20, 0), "shift"),
        (RATE >> 7, TsqCapacity(1 << 20, 0), "shift"),
        (RATE * 6000 // 10**6, TsqCapacity(10_000_000, 6000), "us"),
        (4816, TsqCapacity(10_000_000, 1), "pkts"),
        (4816, TsqCapacity(1 << 20, 0), "pkts"),
        (1 << 20, TsqCapacity(1 << 20, 0), "bytes"),
        (20_000, TsqCapacity(20_000, 100_000), "bytes"),
    ],
)
def test_tsqs_term_is_the_one_that_its_limit_equals(
    limit_bytes: int, capacity: TsqCapacity, term: str
) -> None:
    limits = limits_of(
        Capacity(tsq={FLOW: capacity}),
        tsq_limit_bytes=limit_bytes * SAME,
        tsq_throttled_us=TIME_US,
        wmem_alloc_bytes=2 * limit_bytes * SAME,
    )
    assert parts(limits) == {f"tsq_{term}": 1}


@pytest.mark.parametrize(
    ("wire", "full"),
    [
        (WireCapacity(8.0, 0), True),  # the synthetic queue sends 1 MB/s
        (WireCapacity(8.2, 0), True),
        (WireCapacity(8.3, 0), False),
        (WireCapacity(8.3, 24), True),  # of 667 packets a second
    ],
)
def test_a_full_wire_is_the_bound_whatever_holds_the_sender(wire: WireCapacity, full: bool) -> None:
    limits = limits_of(Capacity(wires={"R>S": wire}), **FULL_CWND)
    assert parts(limits) == ({"wire": 1} if full else {"cwnd": 1})
    assert limits.held["cwnd_limited_share"] == pytest.approx(1)


def test_the_way_back_does_not_count() -> None:
    cell = record("tcp_ndown", streams=1)
    table: Table = {**sender(T_NS), **SOCKET, **FULL_CWND}
    document = to_flent(replace(
        cell,
        measurement=replace(cell.measurement, senders={"TCP download::1": table}),
        capacity=Capacity(wires={"R>S": WireCapacity(8.0, 0)}),
    ))  # fmt: skip
    (limits,) = flow_limits(trace(document))
    assert parts(limits) == {"cwnd": 1}


MOST = RadioCapacity(aggregate_frames=17, amsdu_frames=1, ring_frames=246, bus_frames=20,
                     pulls=False, packet_bytes=2408)  # fmt: skip


@pytest.mark.parametrize(
    ("frames", "counters", "below", "full"),
    [
        (5, {}, 1, False),
        (5, {"host_frames": 245}, 1, False),
        (5, {"host_frames": 246}, 1, True),
        (5, {"bus_frames": 39}, 1, False),
        (5, {"bus_frames": 40}, 1, True),
        (15, {"device_frames": 20}, 1, False),
        (16, {"device_frames": 20}, 1, True),
        (16, {"device_frames": 0}, 1, False),
        (5, {"host_frames": 10}, 14, False),
        (5, {"host_frames": 10}, 16, True),
    ],
)
def test_a_radio_is_full_if_it_could_not_send_more_at_one_go(
    frames: int, counters: dict[str, int], below: int, full: bool
) -> None:
    own = radio("AP", frames)
    values = {"host_frames": 0, "bus_frames": 0, "device_frames": 0} | counters
    length = len(own.counters["t_ns"])
    table = {**own.counters, **{name: np.full(length, value) for name, value in values.items()}}
    limits = limits_of(
        Capacity(radios={"C": MOST}),
        {"C": replace(own, counters=table)},
        wmem_alloc_bytes=below * 2408 * SAME,
        tsq_limit_bytes=10**6 * SAME,
        **FULL_CWND,
    )
    assert parts(limits) == ({"air": 1} if full else {"cwnd": 1})


@pytest.mark.parametrize(("blocked", "bound"), [(1, "sndbuf"), (0, "app")])
def test_datagrams(blocked: int, bound: str) -> None:
    cell = record("udp_flood")
    table: Table = {"t_ns": T_NS, "blocked": blocked * SAME, "wmem_alloc_bytes": 200_000 * SAME,
                    "send_buffer_bytes": 212_992 * SAME}  # fmt: skip
    document = to_flent(
        replace(cell, measurement=replace(cell.measurement, senders={"UDP upload": table}))
    )
    (limits,) = flow_limits(trace(document))
    assert parts(limits) == {bound: 1}
    metrics = limit_metrics(trace(document))
    assert metrics[f"{bound}_limited_share"] == 1
    assert metrics["rwnd_limited_share"] is metrics["tsq_held_share"] is None


def test_what_was_not_sampled_is_not_known() -> None:
    cell = trace(to_flent(record()))
    assert flow_limits(cell) == []
    assert set(limit_metrics(cell).values()) == {None}


def test_tcp_and_udp_together_are_held_all_the_time_and_no_longer(monkeypatch: Any) -> None:
    flows = [FlowLimits("tcp", 9, {"tsq_held_share": 1.0, "app_limited_share": 0.0}, {}),
             FlowLimits("udp", 9, {"app_limited_share": 1.0}, {})]  # fmt: skip
    monkeypatch.setattr("tsqlab.metrics.limits.flow_limits", lambda _: flows)
    metrics = limit_metrics(trace(to_flent(record())))
    assert (metrics["tsq_held_share"], metrics["app_limited_share"]) == (0.5, 0.5)
    assert metrics["rwnd_limited_share"] is None


def test_samples_share_out_no_more_than_clocks_leave() -> None:
    """Without TSQ's clock, where two things without one hold a sender for longer than is left."""
    gone = ("tsq_limit_bytes", "tsq_throttled", "tsq_throttled_us")
    tenth = np.arange(len(T_NS)) % 10
    limits = limits_of(
        without=gone,
        in_flight_packets=np.where(tenth < 4, 200, 50),
        notsent_bytes=np.where((tenth >= 4) & (tenth < 8), 0, 10**6),
        rwnd_limited_us=TIME_US * 7 // 10,
    )
    assert limits.held["cwnd_limited_share"] == pytest.approx(0.15, abs=0.01)
    assert limits.held["app_limited_share"] == pytest.approx(0.15, abs=0.01)
    assert sum(limits.held.values()) == pytest.approx(1, abs=1e-3)
