# SPDX-License-Identifier: GPL-2.0-or-later
"""What was sampled over time as a frame, a row for each sample."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tsqlab.errors import UsageError
from tsqlab.experiment.invalid import hint, shortened
from tsqlab.experiment.stored import Folder
from tsqlab.metrics.document import QDISC_SERIES, RADIO_SERIES, SIZED_SERIES, Trace
from tsqlab.metrics.programs import PROGRAM_SERIES
from tsqlab.metrics.series import MISSING, Floats, Rows, Samples
from tsqlab.topology import sender_of

if TYPE_CHECKING:
    import pandas as pd

SOCKET = {
    "tcp_in_flight": "tcp_in_flight_packets",
    "tcp_mss_bytes": "tcp_mss_bytes",
    "tcp_receive_window_bytes": "tcp_receive_window_bytes",
    "tcp_notsent_bytes": "tcp_notsent_bytes",
    "tcp_send_queue_bytes": "tcp_send_queue_bytes",
    "tcp_wmem_alloc_bytes": "tcp_wmem_alloc_bytes",
    "tcp_wmem_queued_bytes": "tcp_wmem_queued_bytes",
    "tcp_send_buffer_bytes": "tcp_send_buffer_bytes",
    "tcp_pacing_rate": "tcp_pacing_rate_mbps",
    "tcp_tsq_limit_bytes": "tcp_tsq_limit_bytes",
    "tcp_tsq_throttled_us": "tcp_tsq_throttled_us",
    "tcp_busy_us": "tcp_busy_us",
    "tcp_rwnd_limited_us": "tcp_rwnd_limited_us",
    "tcp_sndbuf_limited_us": "tcp_sndbuf_limited_us",
    "udp_blocked": "udp_blocked",
    "udp_wmem_alloc_bytes": "udp_wmem_alloc_bytes",
    "udp_send_buffer_bytes": "udp_send_buffer_bytes",
}
"""What a sender's socket tells, by the key in a cell's file: the quantity, with its unit."""

RADIO = {"ppdus": "ppdus", "subframes": "subframes", "busy_ns": "busy_ns"}
WIRE = {"sent_bytes": "sent_bytes", "sent_pkts": "sent_packets"}

QUANTITIES = (
    "goodput_mbps", "tcp_rtt_ms", "tcp_cwnd_packets", "tcp_retransmits", *SOCKET.values(),
    "ping_ms", "aggregate_frames", "tx_ns", *RADIO.values(), *WIRE.values(),
    "wqm_limit_packets", "wqm_drain_ms",
)  # fmt: skip
"""The names of quantities, but for what programs print: program.NAME.SERIES."""


@dataclass(frozen=True)
class _Series:
    """One quantity of one flow, ping, radio or wire."""

    quantity: str
    of: str
    node: str
    samples: Samples


def series_frame(folder: Folder, quantities: Sequence[str], *, wide: bool) -> pd.DataFrame:
    """The frame that Results.series() describes."""
    import pandas as pd  # noqa: PLC0415

    found = [(result, [one for one in _series(result.trace) if len(one.samples.t_s)])
             for result in folder.results]  # fmt: skip
    there = dict.fromkeys(one.quantity for _, series in found for one in series)
    _check(quantities, there)
    picked = [(result, one) for result, series in found for one in series
              if one.quantity in quantities or not quantities]  # fmt: skip
    counts = [len(one.samples.t_s) for _, one in picked]
    texts: dict[str, Any] = {
        "cell": [result.id for result, _ in picked],
        **{name: [result.factors.get(name) for result, _ in picked]
           for name in folder.manifest.factors},
        "quantity": [one.quantity for _, one in picked],
        "of": [one.of for _, one in picked],
        "node": [one.node for _, one in picked],
    }  # fmt: skip
    # A text stands once, however many samples it is of: a folder has millions of these.
    columns = {name: pd.Categorical(values).repeat(counts) for name, values in texts.items()}
    t_s, value = (_joined([getattr(one.samples, name) for _, one in picked])
                  for name in ("t_s", "value"))  # fmt: skip
    frame = pd.DataFrame({**columns, "t_s": t_s, "value": value})
    if not wide:
        return frame
    places = [frame["cell"], frame["quantity"], frame["of"]]
    # Two samples of the same instant, as answers that came together, are the mean of both.
    return frame.groupby([frame["t_s"], *places], observed=True)["value"].mean().unstack(
        ["cell", "quantity", "of"]
    )  # fmt: skip


def _joined(parts: Sequence[Floats]) -> Floats:
    return np.concatenate(parts) if parts else np.empty(0)


def _check(asked: Sequence[str], there: Collection[str]) -> None:
    for name in asked:
        if name not in there:
            known = hint(name, there) if there else "no cell is done"
            raise UsageError(f'these results have no series "{shortened(name)}"; {known}')


def _series(cell: Trace) -> Iterator[_Series]:
    yield from _of_flows(cell)
    for name, ping in cell.pings.items():
        own = cell.own_pings.get(name)
        yield _Series("ping_ms", name, own.sender if own else "", ping)
    for radio in cell.radios:
        name = f"{RADIO_SERIES}{radio.node}"
        yield _Series("aggregate_frames", name, radio.node, radio.aggregate)
        yield _Series("tx_ns", name, radio.node, radio.tx_ns)
        yield from _of_rows(RADIO, radio.counters, name, radio.node)
    for wire in cell.wires:
        name = f"{QDISC_SERIES}{wire.egress}"
        yield from _of_rows(WIRE, wire.sent, name, sender_of(wire.egress))
    for sized in cell.sized:
        name = f"{SIZED_SERIES}{sized.node}"
        yield _Series("wqm_limit_packets", name, sized.node, sized.limit_packets)
        yield _Series("wqm_drain_ms", name, sized.node, sized.drain_ms)
    for program in cell.programs:
        for series, values in program.series.items():
            name = f"{PROGRAM_SERIES}{program.name}"
            yield _Series(f"program.{program.name}.{series}", name, "", values)


def _of_flows(cell: Trace) -> Iterator[_Series]:
    for flow in cell.flows:
        for quantity, values in (
            ("goodput_mbps", flow.goodput_mbps), ("tcp_rtt_ms", flow.rtt_ms),
            ("tcp_cwnd_packets", flow.cwnd_packets), ("tcp_retransmits", flow.retransmits),
        ):  # fmt: skip
            yield _Series(quantity, flow.series, flow.sender, values)
        yield from _of_rows(SOCKET, flow.socket, flow.series, flow.sender)


def _of_rows(names: Mapping[str, str], rows: Rows, of: str, node: str) -> Iterator[_Series]:
    for key, quantity in names.items():
        values = rows.value.get(key, np.empty(0))
        have = values != MISSING
        if have.any():
            yield _Series(quantity, of, node, Samples(rows.t_s[have], values[have]))
