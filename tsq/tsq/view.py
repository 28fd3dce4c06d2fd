# SPDX-License-Identifier: GPL-2.0-or-later
"""A flow as TSQ sees it: its limit, its terms, and what held it back at one instant.

sock_diag does not tell all that the formula needs. What is inferred is said with each view; BPF's
exact values (tsq.exact) take its place where they could be read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tsq.devices import Device, Shift
from tsq.flows import Flow
from tsq.limit import (
    SKB_HEAD_BYTES,
    STOCK_SHIFT,
    Gso,
    Knobs,
    Limit,
    Path,
    limit_of,
    skb_data_bytes,
    stock_rate,
)

Holder = Literal["application", "TSQ", "receiver", "cwnd", "pacing", "nothing"]


@dataclass(frozen=True)
class Exact:
    """What BPF reads of a socket and sock_diag does not tell."""

    shift: int
    paced: bool
    throttled: bool  # TSQ has it wait now


@dataclass(frozen=True)
class Paced:
    """Whether a flow is paced, so that tcp_limit_output_bytes is not for it; how it is known."""

    value: bool
    known_by: str


@dataclass(frozen=True)
class View:
    """One flow at one instant, beside its device."""

    flow: Flow
    device: str
    shift: Shift
    paced: Paced
    skb_data_bytes: int
    limit: Limit
    throttled: bool | None  # None: only BPF could tell

    @property
    def skb_bytes(self) -> int:
        """What its next skb takes, head included."""
        return self.skb_data_bytes + SKB_HEAD_BYTES

    @property
    def limit_ms(self) -> float:
        """How long the limit takes at the pacing rate: the one that stock's ratios would give.

        What raises the limit by the rate would be no longer in its own time.
        """
        flow = self.flow
        stock = stock_rate(flow.mss, flow.cwnd, flow.ssthresh, flow.srtt_us)
        rate = flow.rate if self.paced.value else stock
        return 1000 * self.limit.bytes / rate if rate else 0.0

    @property
    def held_by(self) -> Holder:
        """What keeps it from sending more, as far as one instant shows it.

        Below TCP is less than the limit while an skb's room is not there yet, so TSQ counts from
        one skb below the limit on. The window and cwnd likewise hold back what is larger than
        their room; cwnd's has to be a third of it or an skb before TCP sends
        (tcp_tso_should_defer() in net/ipv4/tcp_output.c).
        """
        flow = self.flow
        if not flow.unsent_bytes:
            return "application"
        if self.throttled or flow.below_bytes > self.limit.bytes - self.skb_bytes:
            return "TSQ"
        window = flow.window_bytes
        wanted = min(self.skb_data_bytes, flow.unsent_bytes)
        if window is not None and window - flow.flying_bytes < min(wanted, max(window // 2, 1)):
            return "receiver"
        packets = -(-wanted // flow.mss)
        if flow.cwnd - flow.in_flight < min(packets, max(flow.cwnd // 3, 1)):
            return "cwnd"
        return "pacing" if self.paced.value else "nothing"


def view_of(flow: Flow, device: Device | None, knobs: Knobs, exact: Exact | None = None) -> View:
    """What TSQ makes of a flow that leaves by that device."""
    shift, paced = _shift(device, exact), _paced(flow, device, exact)
    gso = device.gso if device else Gso()
    data = skb_data_bytes(flow.rate, shift.value, Path(flow.mss, flow.min_rtt_us), gso, knobs)
    limit = limit_of(flow.rate, shift.value, data + SKB_HEAD_BYTES, knobs, paced=paced.value)
    return View(
        flow=flow,
        device=device.name if device else "?",
        shift=shift,
        paced=paced,
        skb_data_bytes=data,
        limit=limit,
        throttled=exact.throttled if exact else None,
    )


def _shift(device: Device | None, exact: Exact | None) -> Shift:
    if exact:
        return Shift(exact.shift, "read by BPF")
    return device.shift if device else Shift(STOCK_SHIFT, "a guess: its device is not known")


def _paced(flow: Flow, device: Device | None, exact: Exact | None) -> Paced:
    if exact:
        return Paced(exact.paced, "read by BPF")
    if flow.rate_max is not None:
        return Paced(True, "inferred: SO_MAX_PACING_RATE")
    if flow.control.startswith("bbr"):
        return Paced(True, f"inferred: {flow.control}")
    if device and device.fq:
        return Paced(True, f"inferred: fq at {device.name}")
    return Paced(False, "inferred: neither fq, BBR nor SO_MAX_PACING_RATE")
