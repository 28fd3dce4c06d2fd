# SPDX-License-Identifier: GPL-2.0-or-later
"""A cell's TSQ setting as a number on an axis: ms of data, or packets.

From the cell's specification, not from what its level is called: "4TSQ", a table of us = 4000
and sk_pacing_shift = 8 are about the same. Stock without a shift of its own and no limit at
all are no numbers, but lines to compare with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tsqlab.results.folder import Result

STOCK, NONE = "stock TSQ", "no TSQ"

_TIME_OFF_US = 1  # so small that the packets are the limit themselves (ip-sysctl.rst)


def _tsq(cell: Result) -> Mapping[str, Any] | None:
    tsq = cell.spec.get("sender", {}).get("tsq")
    return tsq if isinstance(tsq, Mapping) else None


def limit_ms(cell: Result) -> float | None:
    """How much time's worth of data may be below TCP; None if that is not what limits it."""
    tsq = _tsq(cell) or {}
    if tsq.get("bytes", 0) < 0 or limit_packets(cell):
        return None
    if tsq.get("us", 0):
        return float(tsq["us"] / 1000)
    return float(1000 / 2 ** tsq["shift"]) if tsq.get("shift", 0) else None


def limit_packets(cell: Result) -> float | None:
    """How many packets may be below TCP, of a static limit."""
    tsq = _tsq(cell) or {}
    static = tsq.get("bytes", 0) >= 0 and tsq.get("us", 0) == _TIME_OFF_US and tsq.get("pkts", 0)
    return float(tsq["pkts"]) if static else None


def reference(cell: Result) -> str | None:
    """What it is called if it has no such number: one of STOCK and NONE; or None."""
    tsq = _tsq(cell)
    if tsq is None:
        return None
    if tsq.get("bytes", 0) < 0:
        return NONE
    return None if any(tsq.values()) else STOCK
