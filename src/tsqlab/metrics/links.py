# SPDX-License-Identifier: GPL-2.0-or-later
"""How busy the links of a cell are, and when one of them takes no more.

A link that is full is what limits a flow, whatever holds its sender back meanwhile: a sender that
could have more below it would only make a queue longer.

A wire is full where it carries within 3 % of its rate. What a radio could carry depends on how
long its aggregates are, so that the share of time in which the air is busy says little. A radio is
full while its ring is, or while it has frames and its aggregates are nearly as long as its
profile lets them be.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tsqlab.metrics import document
from tsqlab.metrics.document import Flow, Radio, Trace, Wire
from tsqlab.metrics.series import Floats, Rows
from tsqlab.topology import ACCESS_POINT, ROUTER, sender_of

WIRE_FULL = 0.97
"""The share of its rate at which a wire counts as full. A knee's 3 % are the same."""

AGGREGATES_FULL = 0.9
"""The share of the largest aggregate at which those of a step, on average, count as full: with a
standing queue, retries and the first PPDU of a burst are what is missing."""

_WINDOW_S = 0.1  # the time over which a wire's load is taken, at least
_WINDOW_FRAMES = 100  # it has room for so many frames, so that one more or less is a percent
_FRAME_BITS = 8 * 1538

Mask = NDArray[np.bool_]


def wires_of(cell: Trace, flow: Flow) -> list[Wire]:
    """The wires that a flow's data crosses: its way's, or by the names of a layout's nodes."""
    if flow.way:
        return [wire for egress in flow.way for wire in cell.wires if wire.egress == egress]
    middle = (ROUTER, ACCESS_POINT)
    senders, ends = (flow.sender, *middle), (flow.receiver, *middle)
    return [wire for wire in cell.wires
            if sender_of(wire.egress) in senders
            and wire.egress.partition(">")[2] in ends]  # fmt: skip


def radios_of(cell: Trace, flow: Flow) -> list[Radio]:
    """The radios that send a flow's data; none over wires alone, and of Flent's own files."""
    return [radio for radio in document.radios_of(flow, cell.radios) if len(radio.counters.t_s)]


def wire_load(wire: Wire, begin_s: Floats | float, end_s: Floats | float) -> Floats:
    """The share of a wire's rate that it carried from each *begin_s* to each *end_s*."""
    sent, most = wire.sent, wire.most
    overhead_bytes = most.get("frame_overhead_bytes", 0)
    bits = 8 * (sent.value["sent_bytes"] + overhead_bytes * sent.value["sent_pkts"])
    carried = np.interp(end_s, sent.t_s, bits) - np.interp(begin_s, sent.t_s, bits)
    room = most.get("rate_mbps", np.inf) * 1e6 * (np.asarray(end_s) - np.asarray(begin_s))
    return np.asarray(np.divide(carried, room, out=np.zeros_like(carried), where=room > 0))


def wire_full(wire: Wire, steps_end_s: Floats, step_s: float, cell: Trace) -> Mask:
    """In which of the steps that end there the wire is full, by its load in a window around each.

    The window is longer than a step where few frames go into one.
    """
    rate_bit_per_s = wire.most.get("rate_mbps", 0) * 1e6
    if not rate_bit_per_s:
        return np.zeros(len(steps_end_s), dtype=bool)
    window_s = max(step_s, _WINDOW_S, _WINDOW_FRAMES * _FRAME_BITS / rate_bit_per_s)
    middle_s = steps_end_s - step_s / 2
    latest_s = max(cell.begin_s, cell.end_s - window_s)
    begin_s = np.clip(middle_s - window_s / 2, cell.begin_s, latest_s)
    end_s = np.minimum(begin_s + window_s, cell.end_s)
    return np.asarray(wire_load(wire, begin_s, end_s) >= WIRE_FULL)


def air_busy(radio: Radio, begin_s: float, end_s: float) -> float | None:
    """The share of time in which a radio senses a busy medium, or is on the air itself."""
    rows = radio.counters.between(begin_s, end_s)
    if len(rows.t_s) < 2 or rows.value["busy_ns"][0] < 0:
        return None
    busy_s = (rows.value["busy_ns"][-1] - rows.value["busy_ns"][0]) / 1e9
    return float(busy_s / (rows.t_s[-1] - rows.t_s[0]))


def air_full(cell: Trace, radio: Radio, steps_end_s: Floats) -> Mask:
    """In which of the steps that end there the radio is full, by what it has at their ends."""
    rows, most = radio.counters, radio.most
    begin_s = steps_end_s - cell.step_s
    largest = most.get("aggregate_frames", np.inf)
    ppdus, subframes = (
        _at(rows, key, steps_end_s) - _at(rows, key, begin_s) for key in ("ppdus", "subframes")
    )
    with_host, in_device, on_bus = (
        _at(rows, key, steps_end_s) for key in ("host_frames", "device_frames", "bus_frames")
    )
    aggregates = (in_device > 0) & (subframes >= AGGREGATES_FULL * largest * np.maximum(ppdus, 1))
    ring = with_host >= most.get("ring_frames", np.inf)
    # One transfer is under way, and the next has as much as it can take.
    bus = on_bus >= 2 * (most.get("bus_frames", 0) or np.inf)
    # Frames that wait above the device: the next aggregate has all that it can take. A device
    # that does not pull takes what it has room for, so that already one aggregate of those that
    # it forms shows that it has none.
    next_mpdus = np.divide(subframes, ppdus, out=np.full(len(ppdus), largest), where=ppdus > 0)
    enough = largest if most.get("pulls") else np.minimum(next_mpdus, largest)
    waiting = _above(cell, radio, steps_end_s) - with_host
    above = waiting >= enough * most.get("amsdu_frames", 1)
    return np.asarray(ring | bus | above | aggregates)


def _above(cell: Trace, radio: Radio, t_s: Floats) -> Floats:
    """The packets that the sockets of the radio's own node have below them, on their way to it.

    None of a radio that forwards: what it sends has left its socket, at another node.
    """
    sockets = [flow.socket for flow in cell.flows
               if _begins_at(flow, radio, cell) and len(flow.socket.t_s)]  # fmt: skip
    keys = ("tcp_wmem_alloc_bytes", "udp_wmem_alloc_bytes")
    below_bytes = [np.maximum(_at(rows, key, t_s), 0) for rows in sockets for key in keys]
    packet_bytes = radio.most.get("packet_bytes", np.inf)
    return np.asarray(np.sum([np.zeros(len(t_s)), *below_bytes], axis=0) / packet_bytes)


def _begins_at(flow: Flow, radio: Radio, cell: Trace) -> bool:
    """Whether a flow's sender is at that radio, and sends by it."""
    if flow.way:
        return flow.way[0] == radio.egress
    first = document.radios_of(flow, cell.radios)[:1]
    return flow.sender == radio.node and any(one is radio for one in first)


def _at(rows: Rows, key: str, t_s: Floats) -> Floats:
    return np.asarray(np.interp(t_s, rows.t_s, rows.value[key]))
