# SPDX-License-Identifier: GPL-2.0-or-later
"""The agent's tables as Flent's raw values: records of one instant each.

Names and units are those of Flent's own runners where it has them. ``t`` is Unix time,
``val`` Mbit/s or ms, ``dur`` seconds; ``tcp_cwnd`` is in packets, ``tcp_rtt`` and
``tcp_rtt_var`` in ms, ``tcp_pacing_rate`` and ``tcp_delivery_rate`` in Mbit/s. As in ss(8),
on which Flent relies, a value that the kernel does not have yet, or that stands for "no
limit", is left out. What Flent does not have carries its unit in its name.

A radio's records have what Flent reads from a debugfs file of mac80211, under the station that
it sends to: ``avg_aggr_size``, here the mean frames of the PPDUs since the sample before, and
``airtime_tx`` since then in us. The module's own counters stand beside, cumulative.

Of a queueing discipline ``dropped`` and ``ecn_mark`` count the events since the sample
before, and the other counters are cumulative, both as Flent has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tsqlab.metrics.document import AIRTIME_TO_KEY
from tsqlab.results.grid import Number, Samples, goodput_mbps
from tsqlab.results.measurement import AIRTIME_TO, RadioTables, Table

_NS = 1e9
_INFINITE_SSTHRESH_PACKETS = 0x7FFFFFFF  # TCP_INFINITE_SSTHRESH
_NO_TSQ_LIMIT = 0xFFFFFFFF


@dataclass(frozen=True)
class Clock:
    """When things are in a cell."""

    start_unix_s: float
    step_s: float
    flows_begin_s: float  # counted from the start of the measurement
    flows_end_s: float  # counted from the start of the measurement

    @property
    def step_ns(self) -> int:
        """The sampling period as the agent counts it."""
        return round(self.step_s * _NS)

    def unix(self, t_ns: Number) -> float:
        """Unix time of an instant of the measurement, to the microsecond."""
        return round(self.start_unix_s + float(t_ns) / _NS, 6)


def _ms(us: int) -> float | None:
    return us / 1e3 if us > 0 else None


def _mbps(bytes_per_s: int) -> float | None:
    # The kernel's "no limit" is all ones, which is -1 here.
    return bytes_per_s * 8 / 1e6 if bytes_per_s > 0 else None


def _ssthresh(packets: int) -> int | None:
    return packets if packets < _INFINITE_SSTHRESH_PACKETS else None


def _tsq_limit(limit_bytes: int) -> int | None:
    return limit_bytes if 0 < limit_bytes < _NO_TSQ_LIMIT else None


def _same(value: int) -> int:
    return value


_SENDER: Mapping[str, tuple[str, Callable[[int], Number | None]]] = {
    "tcp_cwnd": ("cwnd_packets", _same),
    "tcp_rtt": ("rtt_us", _ms),
    "tcp_rtt_var": ("rttvar_us", _ms),
    "tcp_pacing_rate": ("pacing_rate_bytes_per_s", _mbps),
    "tcp_delivery_rate": ("delivery_rate_bytes_per_s", _mbps),
    "tcp_ssthresh": ("ssthresh_packets", _ssthresh),
    "tcp_min_rtt": ("min_rtt_us", _ms),
    "tcp_retransmits": ("retransmits", _same),  # cumulative
    "tcp_lost": ("lost_packets", _same),
    "tcp_unacked": ("unacked_packets", _same),
    "tcp_notsent_bytes": ("notsent_bytes", _same),
    "tcp_wmem_alloc_bytes": ("wmem_alloc_bytes", _same),  # the bytes that TSQ counts
    "tcp_send_queue_bytes": ("send_queue_bytes", _same),
    "tcp_in_flight": ("in_flight_packets", _same),
    "tcp_mss_bytes": ("mss_bytes", _same),
    "tcp_receive_window_bytes": ("receive_window_bytes", _same),
    "tcp_wmem_queued_bytes": ("wmem_queued_bytes", _same),
    "tcp_send_buffer_bytes": ("send_buffer_bytes", _same),
    # The kernel's chronographs, cumulative: the time with something to send or unacknowledged,
    # and the parts of it in which the receiver's window and the send buffer held the flow.
    "tcp_busy_us": ("busy_us", _same),
    "tcp_rwnd_limited_us": ("rwnd_limited_us", _same),
    "tcp_sndbuf_limited_us": ("sndbuf_limited_us", _same),
    # Only a kernel with the CoTSQ series has these.
    "tcp_tsq_limit_bytes": ("tsq_limit_bytes", _tsq_limit),
    "tcp_tsq_throttled": ("tsq_throttled", _same),  # cumulative, as is the time below
    "tcp_tsq_throttled_us": ("tsq_throttled_us", _same),
    # Only a flow that asks for ECN has these: the packets that were acknowledged, and those of them
    # whose acknowledgement said that a queue had marked one. Cumulative.
    "tcp_delivered": ("delivered_packets", _same),
    "tcp_delivered_ce": ("delivered_ce_packets", _same),
}

_DATAGRAM_SENDER: Mapping[str, tuple[str, Callable[[int], Number | None]]] = {
    "udp_blocked": ("blocked", _same),  # 1: a send waits for room in the send buffer
    "udp_wmem_alloc_bytes": ("wmem_alloc_bytes", _same),  # what it has below it
    "udp_send_buffer_bytes": ("send_buffer_bytes", _same),
}

SOCKET_KEYS = ("tcp_cwnd", "tcp_rtt", "tcp_rtt_var", "tcp_pacing_rate", "tcp_delivery_rate")
"""What Flent's own socket statistics have, and hence its results as series of their own."""


def flow_samples(sender: Table, receiver: Table, clock: Clock) -> Samples:
    """Goodput and the sender's socket, one record per step in which either was sampled."""
    records: dict[int, dict[str, Number]] = {}
    for t_ns, record in _goodput(receiver, clock) + _socket(sender):
        records.setdefault(t_ns, {"t": clock.unix(t_ns)}).update(record)
    return [records[t_ns] for t_ns in sorted(records)]


def _goodput(receiver: Table, clock: Clock) -> list[tuple[int, dict[str, Number]]]:
    t_ns = receiver["t_ns"]
    rate_mbps, duration_s = goodput_mbps(t_ns, receiver["app_bytes"], clock.step_ns)
    return [
        (int(t_ns[row]), {"val": round(float(rate_mbps[row]), 6), "dur": float(duration_s[row])})
        for row in np.flatnonzero(_alive(t_ns, rate_mbps > 0, clock))
    ]


def _alive(t_ns: NDArray[np.int64], busy: NDArray[np.bool_], clock: Clock) -> NDArray[np.bool_]:
    """The samples while flows run, and those from a flow's first data to its last.

    A receiver of datagrams samples before and after its flow as well.
    """
    t_s = t_ns / _NS
    before_last = np.logical_or.accumulate(busy[::-1])[::-1]
    after_first = np.logical_or.accumulate(busy)
    begun = (t_s > clock.flows_begin_s) | after_first
    return begun & ((t_s <= clock.flows_end_s) | before_last)


def _socket(sender: Table) -> list[tuple[int, dict[str, Number]]]:
    kind = _DATAGRAM_SENDER if "blocked" in sender else _SENDER
    columns = [(key, sender[name].tolist(), convert)
               for key, (name, convert) in kind.items() if name in sender]  # fmt: skip
    if not columns:
        return []
    rows = []
    for row, t_ns in enumerate(sender["t_ns"].tolist()):
        values = {key: convert(column[row]) for key, column, convert in columns}
        rows.append((t_ns, {key: value for key, value in values.items() if value is not None}))
    return rows


def ping_samples(ping: Table, clock: Clock) -> Samples:
    """The answers: ``t`` is when one came, ``seq`` counts from 1 as ping(8) does."""
    rows = zip(*(ping[name].tolist() for name in ("t_ns", "sequence", "rtt_ns")), strict=True)
    return [{"t": clock.unix(t_ns), "seq": seq + 1, "val": rtt_ns / 1e6}
            for t_ns, seq, rtt_ns in rows]  # fmt: skip


_QDISC = {
    "sent_bytes": "sent_bytes",
    "sent_pkts": "sent_packets",
    "backlog_bytes": "backlog_bytes",
    "backlog_pkts": "backlog_packets",
    "dropped": "drops",
    "overlimits": "overlimits",
    "ecn_mark": "marks",
}
_EVENTS = ("dropped", "ecn_mark")

QDISC_KEYS = tuple(_QDISC)


def qdisc_samples(qdisc: Table, clock: Clock) -> Samples:
    """One queueing discipline's statistics."""
    columns = {key: qdisc[name] for key, name in _QDISC.items()}
    for key in _EVENTS:
        columns[key] = np.diff(columns[key], prepend=columns[key][:1])
    keys = list(columns)
    rows = zip(qdisc["t_ns"].tolist(), *(columns[key].tolist() for key in keys), strict=True)
    return [{"t": clock.unix(t_ns), **dict(zip(keys, values, strict=True))}
            for t_ns, *values in rows]  # fmt: skip


SIZED_KEYS = (
    "rate_kbps", "backlog_bytes", "free_permille", "sent", "drain_us", "limit_packets", "alarm",
)  # fmt: skip
"""What WQM sees in an interval, and what it comes to. Alarms are 0 for none, 1 low, 2 high."""


def sized_samples(sized: Table, clock: Clock) -> Samples:
    """What WQM saw in each of its intervals, and the limit that it set after it."""
    rows = zip(sized["t_ns"].tolist(), *(sized[key].tolist() for key in SIZED_KEYS), strict=True)
    return [{"t": clock.unix(t_ns), **dict(zip(SIZED_KEYS, values, strict=True))}
            for t_ns, *values in rows]  # fmt: skip


RADIO_KEYS = ("avg_aggr_size", "airtime_tx")
"""What Flent has of a station."""


def radio_samples(radio: RadioTables, clock: Clock) -> Samples:
    """A radio's statistics; a step without a PPDU has no mean."""
    told = {key: column.tolist() for key, column in radio.counters.items() if key != "t_ns"}
    columns = {key: column for key, column in told.items() if not key.startswith(AIRTIME_TO)}
    airtimes = {key.removeprefix(AIRTIME_TO): column for key, column in told.items()
                if key not in columns}  # fmt: skip
    ppdus, subframes, tx_ns = (
        np.diff(radio.counters[key], prepend=radio.counters[key][:1]).tolist()
        for key in ("ppdus", "subframes", "tx_ns")
    )
    samples: Samples = []
    for row, t_ns in enumerate(radio.counters["t_ns"].tolist()):
        station: dict[str, Number] = {"airtime_tx": tx_ns[row] / 1000}
        if ppdus[row]:
            station["avg_aggr_size"] = round(subframes[row] / ppdus[row], 6)
        samples.append(
            {
                "t": clock.unix(t_ns),
                **{key: column[row] for key, column in columns.items()},
                "stations": {radio.peer: station},
            }
        )
        if airtimes:
            to = {name: column[row] for name, column in airtimes.items()}
            samples[-1][AIRTIME_TO_KEY] = to
    return samples
