# SPDX-License-Identifier: GPL-2.0-or-later
"""A cell made up for tests that says its flows itself, of which every number is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from synthetic import DELAY_S, LENGTH_S, ping, receiver, record, sender, steps
from tsqlab.metrics.document import Own
from tsqlab.results.flent import Document, to_flent
from tsqlab.results.record import FlowName

UP, SHORT, LATE = "TCP upload::1 bulk", "TCP download::2", "TCP upload::4"
PINGS = "Ping (ms)::3"
END_S = DELAY_S + LENGTH_S


def own(number: int, begin_s: float, end_s: float = END_S, **more: Any) -> Own:
    ends = {"name": "", "sender": "C", "receiver": "S"}
    return Own(number=number, begin_s=begin_s, end_s=end_s, **{**ends, **more})


def document(completed_s: float | None = 9.05) -> Document:
    """An upload of 10 Mbit/s; a flow of 1 MB from 8.05 s on; pings; and one in the last seconds."""
    flows = {
        UP: own(1, DELAY_S, name="bulk"),
        SHORT: own(2, 8.05, sender="S", receiver="C", bytes=10**6),
        LATE: own(4, 12.0),
    }
    rows = {UP: steps(DELAY_S, END_S), SHORT: steps(8.0, 9.1), LATE: steps(12.0, END_S)}
    short = np.linspace(0, 10**6, len(rows[SHORT])).astype(np.int64)
    made = record("tcp_nup")
    done = np.array([] if completed_s is None else [round(completed_s * 1e9)], dtype=np.int64)
    measured = replace(
        made.measurement,
        senders={name: sender(t_ns) for name, t_ns in rows.items()},
        receivers={
            UP: receiver(10, rows[UP]),
            SHORT: {"t_ns": rows[SHORT], "app_bytes": short},
            LATE: {"t_ns": rows[LATE], "app_bytes": (rows[LATE] - 12 * 10**9) // 400},
        },
        pings={PINGS: ping()},
        completions={SHORT: {"t_ns": done}},
    )
    names = tuple(
        FlowName(name, "tcp", "up" if "up" in name else "down", "C", flow)
        for name, flow in flows.items()
    )
    own_pings = {PINGS: own(3, 6.0, 8.0, sender="R")}
    return to_flent(
        replace(made, test="rrul_var", flows=names, measurement=measured, own_pings=own_pings)
    )
