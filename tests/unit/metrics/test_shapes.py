# SPDX-License-Identifier: GPL-2.0-or-later
"""Shapes of curves, on curves whose shape is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from synthetic import record
from tsqlab.experiment.testbed import Testbed
from tsqlab.metrics.document import trace
from tsqlab.metrics.series import Floats, Samples
from tsqlab.metrics.shapes import SHAPES, dip_period_s, dips_s, sawtooth, still_s, swing
from tsqlab.results.flent import to_flent
from tsqlab.topology import WIFI, WIRED

STEP_S, LENGTH_S = 0.1, 60.0
T_S: Floats = np.arange(0, LENGTH_S, STEP_S)
FLAT = np.full(T_S.size, 20.0)
NOISE = np.random.default_rng(1).normal(0, 0.2, T_S.size)


def rtt(values: Floats) -> Samples:
    return Samples(T_S, values)


def dipping(period_s: float, length_s: float = 0.2, floor_ms: float = 2.0) -> Samples:
    """20 ms, and every *period_s* less for *length_s*."""
    dips = (period_s <= T_S) & (T_S % period_s < length_s - 1e-9)
    return rtt(np.where(dips, floor_ms, FLAT + NOISE))


def teeth(period_s: float, low_ms: float = 70.0, high_ms: float = 100.0) -> Samples:
    """From low to high within *period_s*, and at once down again."""
    return rtt(low_ms + (high_ms - low_ms) * (T_S % period_s) / period_s + NOISE)


def losses(*at_s: float) -> Samples:
    """A cumulative count that grows by ten over half a second, from each instant on."""
    grown = [np.clip((T_S - at) / 0.05, 0, 10).round() for at in at_s]
    return Samples(T_S, np.sum(grown, axis=0) if grown else 0 * T_S)


def drops(*at_s: float) -> Samples:
    """Two packets at each instant."""
    return Samples(T_S, np.isin(T_S.round(1), np.round(at_s, 1)) * 2.0)


@pytest.mark.parametrize("period_s", [5.0, 7.5, 10.0, 20.0])
@pytest.mark.parametrize("length_s", [0.1, 0.2, 0.8])
def test_the_period_of_dips(period_s: float, length_s: float) -> None:
    assert dip_period_s(dipping(period_s, length_s)) == pytest.approx(period_s, abs=STEP_S + 1e-6)


def test_each_dip_is_found_once() -> None:
    assert dips_s(dipping(10, 0.5)) == pytest.approx([10, 20, 30, 40, 50], abs=STEP_S)


def test_one_dip_has_no_period() -> None:
    assert len(dips_s(dipping(31))) == 1
    assert dip_period_s(dipping(31)) is None


@pytest.mark.parametrize(
    "curve",
    [
        rtt(FLAT),
        rtt(FLAT + NOISE),
        rtt(FLAT + 5 * np.sin(2 * np.pi * T_S / 10)),
        teeth(10),
        teeth(3, 10, 100),
        teeth(2, 10, 100),
        dipping(10, length_s=2.0),  # a time of low RTT, not a dip
        dipping(10, floor_ms=16.0),  # not deep enough
        rtt(np.where(T_S < 30, 20.0, 5.0)),  # a step
        rtt(np.where(T_S < 1, 2.0, 20.0)),  # a start
        Samples(np.empty(0), np.empty(0)),
    ],
)
def test_what_has_no_dips(curve: Samples) -> None:
    assert dips_s(curve) == []
    assert dip_period_s(curve) is None


@pytest.mark.parametrize("period_s", [5.0, 10.0, 15.0])
def test_a_sawtooth_between_losses(period_s: float) -> None:
    falls_s = np.arange(period_s, LENGTH_S, period_s) - 2 * STEP_S
    assert sawtooth(teeth(period_s), losses(*falls_s), drops()) == 1


@pytest.mark.parametrize("period_s", [5.0, 10.0, 15.0])
def test_a_drop_in_the_senders_own_queue_is_a_loss(period_s: float) -> None:
    falls_s = np.arange(period_s, LENGTH_S, period_s) - STEP_S
    assert sawtooth(teeth(period_s), losses(), drops(*falls_s)) == 1
    again_s = falls_s - STEP_S
    assert sawtooth(teeth(period_s), losses(*again_s[::2]), drops(*falls_s[1::2])) == 1
    assert sawtooth(teeth(period_s), losses(*again_s), drops(*falls_s)) == 1
    assert sawtooth(teeth(period_s), losses(), drops(*(falls_s + 0.6 * period_s))) == 0


@pytest.mark.parametrize("late", [0, 1])
def test_a_fall_in_the_very_sample_of_the_loss(late: int) -> None:
    """As of a cwnd; the RTT falls later."""
    falls_s = np.arange(10, LENGTH_S, 10) - late * STEP_S
    count = np.searchsorted(falls_s, T_S + STEP_S / 2)
    assert sawtooth(teeth(10), Samples(T_S, count.astype(float)), drops()) == 1


def test_a_share_of_teeth() -> None:
    half = rtt(np.where(T_S < 30, teeth(10).value, 85.0))
    # Between the losses at 10, 20, 30, 40 and 50 s: two teeth, then two flat stretches.
    assert sawtooth(half, losses(9.8, 19.8, 29.8, 39.8, 49.8), drops()) == 0.5


CURVES = [
    pytest.param(rtt(FLAT + NOISE), id="flat"),
    pytest.param(rtt(FLAT + 25 * NOISE + 30), id="noise"),
    pytest.param(rtt(teeth(10).value[::-1].copy()), id="backwards"),
    pytest.param(teeth(10, 95, 100), id="shallow"),
    pytest.param(dipping(10), id="dips"),
]


@pytest.mark.parametrize("curve", CURVES)
def test_what_is_no_sawtooth(curve: Samples) -> None:
    assert sawtooth(curve, losses(9.8, 19.8, 29.8, 39.8, 49.8), drops()) <= 0.25


@pytest.mark.parametrize("at_s", [(), (9.8,), (9.8, 19.8)])
def test_a_tooth_is_no_sawtooth(at_s: tuple[float, ...]) -> None:
    assert sawtooth(teeth(10), losses(*at_s), drops()) == 0


def test_teeth_that_no_loss_makes_are_no_sawtooth_between_losses() -> None:
    for late_s in (-5, -7):
        assert sawtooth(teeth(10), losses(*np.arange(10, 70, 10) + late_s), drops()) == 0


def test_swing() -> None:
    assert swing(rtt(FLAT)) == 1
    assert swing(teeth(10, 50, 100)) == pytest.approx(95 / 55, rel=0.02)
    assert swing(Samples(np.empty(0), np.empty(0))) is None


def test_the_longest_rest() -> None:
    assert still_s(rtt(FLAT)) == pytest.approx(LENGTH_S - STEP_S)
    assert still_s(rtt(np.where(T_S < 20, 5.0, T_S))) == pytest.approx(20 - STEP_S)
    assert still_s(rtt(T_S)) == 0
    assert still_s(Samples(T_S[:1], T_S[:1])) is None


def test_shapes_of_a_cell() -> None:
    cell = trace(to_flent(record("tcp_nup", streams=2)))
    # The RTT climbs from 10 to 30 ms once, and something is retransmitted every second.
    values = {name: shape(cell) for name, shape in SHAPES.items()}
    assert values["tcp_rtt_swing"] == pytest.approx(28 / 12, rel=0.01)
    assert values["tcp_rtt_dip_period_s"] is None
    assert values["tcp_rtt_sawtooth"] == 0


@pytest.mark.parametrize(
    ("layout", "test", "queue"),
    [
        (WIRED, "tcp_nup", "C>R"),
        (WIRED, "tcp_ndown", "S>R"),
        (WIFI, "tcp_nup", "C>AP"),
        (WIFI, "tcp_ndown", "S>AP"),
    ],
)
def test_the_senders_own_queue_is_on_the_side_that_sends(
    layout: str, test: str, queue: str
) -> None:
    document = to_flent(record(test, streams=1))
    raw = document["raw_values"]
    for name in [name for name in raw if name.startswith("qdisc_stats_")]:
        del raw[name]
    raw |= {
        f"qdisc_stats_{name}": [{"t": 1.0, "dropped": int(name == queue)}]
        for name in Testbed(layout=layout).egresses
    }
    assert trace(document).flows[0].drops.value.tolist() == [1]
    del raw[f"qdisc_stats_{queue}"]  # as in a file of Flent's own
    assert trace(document).flows[0].drops.value.tolist() == []


def test_each_station_has_a_queue_of_its_own() -> None:
    cell = record("tcp_nup", streams=3)
    flows = tuple(
        replace(flow, client=client)
        for flow, client in zip(cell.flows, ("C1", "C2", "C1"), strict=True)
    )
    document = to_flent(replace(cell, flows=flows))
    document["raw_values"] |= {
        f"qdisc_stats_{name}": [{"t": 1.0, "dropped": drops}]
        for name, drops in (("C1>AP", 1), ("C2>AP", 2), ("AP>C", 3))
    }
    assert [flow.drops.value.tolist() for flow in trace(document).flows] == [[1], [2], [1]]


def test_a_flow_without_a_shape_leaves_its_cell_without() -> None:
    cell = trace(to_flent(record("tcp_nup", streams=2)))
    both = [replace(flow, rtt_ms=dipping(10)) for flow in cell.flows]
    one = [both[0], replace(both[1], rtt_ms=rtt(FLAT))]
    period = SHAPES["tcp_rtt_dip_period_s"]
    whole = replace(cell, begin_s=0.0, end_s=LENGTH_S)
    assert period(replace(whole, flows=tuple(both))) == pytest.approx(10, abs=STEP_S)
    assert period(replace(whole, flows=tuple(one))) is None


def test_a_shape_is_of_the_time_in_which_flows_run() -> None:
    cell = trace(to_flent(record("tcp_nup", streams=1)))
    flow = replace(cell.flows[0], rtt_ms=dipping(10))
    cut = replace(cell, begin_s=0.0, end_s=15.0, flows=(flow,))
    assert SHAPES["tcp_rtt_dip_period_s"](cut) is None, "one dip of five"


@pytest.mark.parametrize("test", ["udp_flood", "ping"])
def test_what_has_no_tcp_has_no_shapes(test: str) -> None:
    cell = trace(to_flent(record(test)))
    assert all(shape(cell) is None for shape in SHAPES.values())


def test_what_a_queue_drops_when_a_flow_has_ended_is_not_the_flow_s() -> None:
    first = T_S <= 30
    half = Samples(T_S[first], teeth(10).value[first])
    falls_s = np.arange(10, LENGTH_S, 10) - STEP_S
    assert sawtooth(half, losses(), drops(*falls_s, *(falls_s[3:] + 4))) == 1
