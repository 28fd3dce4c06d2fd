# SPDX-License-Identifier: GPL-2.0-or-later
"""What metrics and plots take out of a Flent document: arrays over time.

Only Flent's own names are used, so a file that Flent itself wrote in a testbed can be read
as well as one from the lab. Times are seconds since the start of the measurement.
"""

from __future__ import annotations

import calendar
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import NoneType
from typing import Any, Literal

import numpy as np

from tsqlab.metrics.ecn import Marking, markings
from tsqlab.metrics.programs import Printed, printed
from tsqlab.metrics.series import Floats, Rows, Samples, numbers, rows, samples, share_of_time
from tsqlab.metrics.statistics import mean
from tsqlab.topology import ACCESS_POINT, CLIENT, SERVER, sender_of

Document = Mapping[str, Any]
Direction = Literal["up", "down"]

QDISC_SERIES, RADIO_SERIES, SIZED_SERIES = "qdisc_stats_", "wifi_stats_", "wqm_"
"""What the names of these series begin with; an egress or a node follows."""

CLIENT_KEY = "CLIENT"
"""The key in a flow's metadata that names the client's node, if there are several."""

SERVER_KEY = "SERVER"
"""The key in a flow's metadata that names the server's node, if it is not the file's host."""

FLOW_KEY = "FLOW"
"""The key in the metadata of a flow, or of pings, that a [[flow]] asked for."""

WAY_KEY = "WAY"
"""The key in a flow's metadata of the egresses that send its data, one after the other."""

EGRESS_KEY = "EGRESS"
"""The key in a radio's metadata of its egress, by which ways name it."""

ROLE_KEY = "ROLE"
"""The key in a radio's metadata that says what it is, where the name of its node does not."""

AIRTIME_TO_KEY = "airtime_to_ns"
"""The key in a radio's samples of the airtime that it has used for each of several receivers."""

CAPACITY_KEY = "CAPACITY"
"""The key in a series' metadata of what its part of the testbed can do at most."""

_FLOW = re.compile(r"(?:TCP|UDP) (up|down)load.*")
_RADIO = re.compile(rf"{RADIO_SERIES}([^:]+)")
_QUEUE = re.compile(rf"{QDISC_SERIES}([^:]+)")
_SIZED = re.compile(rf"{SIZED_SERIES}([^:]+)")
Capacity = Mapping[str, float]
"""What a part of the testbed can do at most: the fields of a class in tsqlab.results.record."""

_AP, _STATION = "ap", "station"


def usual_role(node: str) -> str:
    """What a node's radio is by the name of the node, in a file that says nothing else."""
    return _AP if node == ACCESS_POINT else _STATION


_PING = re.compile(r"Ping \(ms\).*")
_PING_RUNNERS = ("PingRunner", "IrttRunner")  # an average of several series is no ping


@dataclass(frozen=True)
class Own:
    """What a [[flow]] was asked to do; times count from the measurement's start."""

    number: int  # its place in the file, from 1
    name: str
    sender: str
    receiver: str
    begin_s: float
    end_s: float
    bytes: float | None = None  # how many it was to send; None: any number
    fct_s: float | None = None  # its completion time, once it is known

    @property
    def until_s(self) -> float:
        """When it came to its end, or was to."""
        return self.end_s if self.fct_s is None else self.begin_s + self.fct_s


@dataclass(frozen=True)
class Flow:
    """One flow's samples."""

    series: str
    direction: Direction
    goodput_mbps: Samples  # the goodput of the time that ends at the sample
    duration_s: Floats  # the length of the time that each sample of the goodput covers
    rtt_ms: Samples  # TCP's smoothed estimate at the sender
    cwnd_packets: Samples
    retransmits: Samples  # cumulative
    # The drops of all flows in the queue at the sender since the sample before.
    drops: Samples
    client: str  # the node at the client's end; empty if neither end is a client
    sender: str
    receiver: str
    socket: Rows  # the sender's socket, at the instants at which that was sampled
    tsq: Capacity  # what TSQ's limit is made of
    own: Own | None = None  # None of a flow of a test
    # The egresses that send its data, one after the other; empty where nodes' names say it.
    way: tuple[str, ...] = ()

    def own_mbps(self) -> float | None:
        """The mean goodput of a [[flow]] over its own time; None where it has none."""
        if self.own is None or self.own.until_s <= self.own.begin_s:
            return None
        if self.own.fct_s is not None and self.own.bytes is not None:
            return 8e-6 * self.own.bytes / self.own.fct_s
        return self.mean_mbps(self.own.begin_s, self.own.until_s)

    def mean_mbps(self, begin_s: float, end_s: float) -> float:
        """The mean goodput from *begin_s* to *end_s*."""
        tolerance_s = 1e-3  # Unix time as a float is precise to a quarter of a microsecond
        t_s = self.goodput_mbps.t_s
        counts = (t_s > begin_s + tolerance_s) & (t_s <= end_s + tolerance_s)
        data_mbit = self.goodput_mbps.value[counts] * self.duration_s[counts]
        return float(data_mbit.sum()) / (end_s - begin_s)


@dataclass(frozen=True)
class Radio:
    """The samples of what one radio sends."""

    node: str
    role: str  # what it is on its medium: "ap", "station", "peer", ...
    aggregate: Samples  # the mean number of frames in the PPDUs of the time that ends at the sample
    ppdus: Samples  # cumulative, as are the others below; Flent's own files have none of them
    subframes: Samples
    counters: Rows  # all that is counted, if the file is the lab's
    most: Capacity
    tx_ns: Samples  # the time that it was on the air itself, cumulative as all are
    egress: str = ""  # by which ways name it
    # The time that its exchanges with each receiver took, answers included, by radios' names;
    # cumulative. Where there is one only, the file does not say.
    airtime_to_ns: Mapping[str, Samples] = field(default_factory=dict)

    @property
    def is_station(self) -> bool:
        """Whether what it sends is its own node's first of all, and not an access point's."""
        return self.role != _AP

    def aggregate_mean(self, begin_s: float, end_s: float) -> float | None:
        """The mean frames of all PPDUs from *begin_s* to *end_s*; in Flent's files, of samples."""
        ppdus, subframes = (of.between(begin_s, end_s) for of in (self.ppdus, self.subframes))
        if not len(ppdus):
            return mean(self.aggregate.between(begin_s, end_s))
        count = ppdus[-1] - ppdus[0]
        return float((subframes[-1] - subframes[0]) / count) if count else None

    def on_air(self, begin_s: float, end_s: float) -> float | None:
        """The share of the time from *begin_s* to *end_s* that it was on the air itself."""
        return share_of_time(self.tx_ns, begin_s, end_s)


@dataclass(frozen=True)
class Wire:
    """What one egress of a wire has sent."""

    egress: str
    sent: Rows  # cumulative
    most: Capacity


@dataclass(frozen=True)
class Sized:
    """A queue whose limit WQM sets: what it saw at each look, and the limit after it."""

    node: str
    limit_packets: Samples
    drain_ms: Samples


@dataclass(frozen=True)
class Trace:
    """A cell's measurement as arrays."""

    begin_s: float  # when the flows begin
    end_s: float
    total_s: float
    step_s: float
    flows: tuple[Flow, ...]
    pings: Mapping[str, Samples]  # round-trip times in ms, by the name of the series
    radios: tuple[Radio, ...] = ()
    wires: tuple[Wire, ...] = ()
    silent_pings: tuple[str, ...] = ()  # the names of series of pings that nobody answered
    own_pings: Mapping[str, Own] = field(default_factory=dict)  # by series of pings or silent ones
    sized: tuple[Sized, ...] = ()
    programs: tuple[Printed, ...] = ()
    markings: tuple[Marking, ...] = ()  # of all queues, if the hosts ask for ECN

    def goodput_mbps(self, direction: Direction) -> Samples:
        """The sum over all flows in that direction, at each step in which any has a sample."""
        flows = [flow.goodput_mbps for flow in self.flows if flow.direction == direction]
        if not flows:
            return Samples(np.empty(0), np.empty(0))
        step_numbers = np.rint(np.concatenate([flow.t_s for flow in flows]) / self.step_s).astype(
            int
        )
        steps, inverse = np.unique(step_numbers, return_inverse=True)
        rates = np.concatenate([flow.value for flow in flows])
        return Samples(
            steps.astype(float) * self.step_s, np.bincount(inverse, rates, len(steps)).astype(float)
        )

    def ping_ms(self) -> Floats:
        """The round-trip times of all pings that were sent while the flows ran and came back."""
        return _pooled([self.answered_ms(name, self.begin_s, self.end_s) for name in self.pings])

    def answered_ms(self, name: str, begin_s: float, end_s: float) -> Floats:
        """Those of a series that were sent from *begin_s* on and before *end_s*.

        When they came back does not matter: those that took longest would be left out.
        """
        steps = self.answered_steps(name)
        first, end = round(begin_s / self.step_s), round(end_s / self.step_s)
        return self._answers(name).value[(steps >= first) & (steps < end)]

    def answered_steps(self, name: str) -> Floats:
        """The steps in which those of a series were sent that came back, in the answers' order."""
        answers = self._answers(name)
        return np.rint((answers.t_s - answers.value / 1e3) / self.step_s)

    def _answers(self, name: str) -> Samples:
        """Those of a series, which may be one that nobody answered."""
        return self.pings.get(name, Samples(np.empty(0), np.empty(0)))

    def tcp_rtt_ms(self) -> Floats:
        """All samples of TCP's round-trip time that were taken while the flows ran."""
        return _pooled([flow.rtt_ms.between(self.begin_s, self.end_s) for flow in self.flows])

    def senders(self) -> list[Radio]:
        """The radios that send the flows' data, or uploads' if there are any: each way's first.

        In a layout whose ways are not told that is all stations, or else the access point.
        """
        flows = self.flows
        if not any(flow.own for flow in flows):
            up = any(flow.direction == "up" for flow in flows)
            if not any(flow.way for flow in flows):
                return [radio for radio in self.radios if radio.is_station == up]
            flows = tuple(flow for flow in flows if (flow.direction == "up") == up)
        sending = {first.node for flow in flows for first in radios_of(flow, self.radios)[:1]}
        return [radio for radio in self.radios if radio.node in sending]

    def aggregates(self) -> Floats:
        """The mean frames of those radios' PPDUs in each sampling period of the flows."""
        return _pooled([radio.aggregate.between(self.begin_s, self.end_s)
                        for radio in self.senders()])  # fmt: skip

    def cwnd_packets(self) -> Floats:
        """All samples of TCP's congestion window that were taken while the flows ran."""
        return _pooled([flow.cwnd_packets.between(self.begin_s, self.end_s)
                        for flow in self.flows])  # fmt: skip


def radios_of(flow: Flow, radios: Sequence[Radio]) -> list[Radio]:
    """The radios that send a flow's data, one after the other.

    In a layout whose ways are not told it is the first of them, the sender's or the AP's; none of
    what the AP sends by its wire.
    """
    if flow.way:
        known = {radio.egress: radio for radio in radios}
        return [known[egress] for egress in flow.way if egress in known]
    if (flow.sender, flow.receiver) == (ACCESS_POINT, SERVER):
        return []
    stations = [radio.node for radio in radios if radio.is_station]
    node = flow.sender if flow.sender in stations else ACCESS_POINT
    return [radio for radio in radios if radio.node == node]


def trace(document: Document) -> Trace:
    """Read a document's raw values."""
    metadata = document["metadata"]
    length_s, total_s, step_s = (
        _seconds(metadata, name) for name in ("LENGTH", "TOTAL_LENGTH", "STEP_SIZE")
    )
    if not (step_s <= length_s <= total_s and total_s / step_s <= _STEPS_MAX):
        raise ValueError(
            f"expected STEP_SIZE <= LENGTH <= TOTAL_LENGTH <= {_STEPS_MAX} STEP_SIZE in metadata"
        )
    # Flent's timing has as much time before the flows as after them.
    begin_s = (total_s - length_s) / 2
    t0_unix_s = unix_seconds(metadata["T0"])
    raw = document["raw_values"]
    return Trace(
        begin_s,
        begin_s + length_s,
        total_s,
        step_s,
        tuple(_flow(name, match[1], document, t0_unix_s)
              for name in raw if raw[name] and (match := _FLOW.fullmatch(name))),
        {name: samples(raw[name], "val", t0_unix_s)
         for name in raw if raw[name] and _PING.fullmatch(name)},
        tuple(_radio(match[1], raw[name], t0_unix_s, _meta(document, name),
                     _capacity(document, name))
              for name in raw if raw[name] and (match := _RADIO.fullmatch(name))),
        tuple(Wire(match[1], rows(raw[name], _WIRE_KEYS, t0_unix_s), most)
              for name in raw if raw[name] and (match := _QUEUE.fullmatch(name))
              and (most := _capacity(document, name))),
        tuple(name for name in raw if not raw[name] and _PING.fullmatch(name)
              and _meta(document, name).get("RUNNER") in _PING_RUNNERS),
        {name: own for name in raw if _PING.fullmatch(name) and (own := _own(name, document))},
        tuple(_sized(match[1], raw[name], t0_unix_s)
              for name in raw if (match := _SIZED.fullmatch(name))),
        printed(metadata.get("SERIES_META", {}), raw, t0_unix_s),
        markings(raw, _QUEUE, t0_unix_s),
    )  # fmt: skip


_SECONDS_MAX = 1e9
_STEPS_MAX = 10_000_000


def _seconds(metadata: Mapping[str, Any], name: str) -> float:
    value = metadata[name]
    if type(value) not in (int, float) or not 0 < value <= _SECONDS_MAX:
        raise ValueError(f"metadata.{name}: expected seconds, more than 0 and up to 1e9")
    return float(value)


def unix_seconds(time_utc: str) -> float:
    """Unix time of a time as Flent writes it: "2023-11-14T22:13:20.000000Z"."""
    whole, _, fraction = time_utc.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) + float(f"0.{fraction or 0}")


def _flow(name: str, direction: Any, document: Document, t0_unix_s: float) -> Flow:
    records: list[dict[str, Any]] = document["raw_values"][name]
    rates = [record for record in records if record.get("val") is not None]
    # Flent's UDP flows do not say how much time a sample covers. It is one reporting interval.
    interval_s = document["metadata"]["STEP_SIZE"]
    own = _own(name, document)
    sender, receiver = _ends(name, direction, own, document)
    way = _way(name, document)
    return Flow(
        name,
        direction,
        samples(rates, "val", t0_unix_s),
        numbers(rates, "dur", interval_s),
        samples(records, "tcp_rtt", t0_unix_s),
        samples(records, "tcp_cwnd", t0_unix_s),
        samples(records, "tcp_retransmits", t0_unix_s),
        samples(_own_queue(sender, receiver, way, document), "dropped", t0_unix_s),
        _client(name, document),
        sender,
        receiver,
        rows(records, _SOCKET_KEYS, t0_unix_s),
        _capacity(document, name),
        own,
        way,
    )


_SOCKET_KEYS = (
    "tcp_busy_us", "tcp_rwnd_limited_us", "tcp_sndbuf_limited_us", "tcp_in_flight", "tcp_cwnd",
    "tcp_notsent_bytes", "tcp_send_queue_bytes", "tcp_mss_bytes", "tcp_receive_window_bytes",
    "tcp_wmem_alloc_bytes", "tcp_wmem_queued_bytes", "tcp_send_buffer_bytes",
    "tcp_pacing_rate", "tcp_tsq_limit_bytes", "tcp_tsq_throttled_us",
    "udp_blocked", "udp_wmem_alloc_bytes", "udp_send_buffer_bytes",
)  # fmt: skip
_RADIO_KEYS = ("ppdus", "subframes", "busy_ns", "host_frames", "bus_frames", "device_frames")
_WIRE_KEYS = ("sent_bytes", "sent_pkts")


def _meta(document: Document, name: str) -> Mapping[str, Any]:
    meta: Mapping[str, Any] = document["metadata"].get("SERIES_META", {}).get(name, {})
    return meta


def _client(name: str, document: Document) -> str:
    """The node at the client's end of a flow."""
    return str(_meta(document, name).get(CLIENT_KEY, CLIENT))


def _server(document: Document) -> str:
    """The node at the flows' far end; in a file of Flent's own, the host that has netserver."""
    return str(document["metadata"].get("HOST", SERVER))


def _ends(name: str, direction: Direction, own: Own | None, document: Document) -> tuple[str, str]:
    """The nodes that send and receive a flow's data."""
    if own:
        return own.sender, own.receiver
    server = str(_meta(document, name).get(SERVER_KEY, _server(document)))
    ends = _client(name, document), server
    return ends if direction == "up" else (ends[1], ends[0])


def _way(name: str, document: Document) -> tuple[str, ...]:
    """The egresses that send a flow's data; empty if the file does not say. Raises ValueError."""
    way = _meta(document, name).get(WAY_KEY, [])
    if not isinstance(way, list) or not set(map(type, way)) <= {str}:
        raise ValueError(f"metadata.SERIES_META.{name}.{WAY_KEY}: expected egresses")
    return tuple(way)


def _own(name: str, document: Document) -> Own | None:
    """What a [[flow]] was asked to do. Raises ValueError for what is none."""
    meta = _meta(document, name).get(FLOW_KEY)
    if meta is None:
        return None
    numbers = [meta.get(key) for key in ("number", "begin_s", "end_s", "bytes", "fct_s")]
    if not set(map(type, numbers)) <= {int, float, NoneType} or None in numbers[:3]:
        raise ValueError(f"metadata.SERIES_META.{name}.{FLOW_KEY}: expected numbers")
    number, begin_s, end_s, *amounts = numbers
    called, sender, receiver = (str(meta.get(key, "")) for key in ("name", "sender", "receiver"))
    return Own(int(number), called, sender, receiver, float(begin_s), float(end_s), *amounts)


def _capacity(document: Document, name: str) -> Capacity:
    """Numbers by name; empty in a file that the lab did not write. Raises ValueError."""
    most = _meta(document, name).get(CAPACITY_KEY, {})
    if not set(map(type, most.values())) <= {int, float, bool}:
        raise ValueError(f"metadata.SERIES_META.{name}.{CAPACITY_KEY}: expected numbers")
    return {key: float(value) for key, value in most.items()}


def _own_queue(
    sender: str, receiver: str, way: Sequence[str], document: Document
) -> list[dict[str, Any]]:
    """The records of the queue at a flow's sender: of the egress that leads from there.

    There are none if mac80211 has the queues, which are no qdisc, or if the file is Flent's own,
    which names queues by other hosts. Of a node with several, it is the one that the flow's way
    begins with, or else that towards the receiver, and else none that leads to the server.
    """
    raw = document["raw_values"]
    if way:
        return list(raw.get(f"{QDISC_SERIES}{way[0]}", []))
    ends = {
        egress.partition(">")[2]: raw[series]
        for series in raw
        if (queue := _QUEUE.fullmatch(series)) and sender_of(egress := queue[1]) == sender
    }
    others = (records for end, records in ends.items() if end != SERVER)
    return list(ends.get(receiver) or next(others, []))


def _radio(
    node: str,
    records: list[dict[str, Any]],
    t0_unix_s: float,
    meta: Mapping[str, Any],
    most: Capacity,
) -> Radio:
    stations = [
        {"t": record["t"], **station}
        for record in records
        for station in record["stations"].values()
    ]
    return Radio(
        node,
        str(meta.get(ROLE_KEY, usual_role(node))),
        samples(stations, "avg_aggr_size", t0_unix_s),
        samples(records, "ppdus", t0_unix_s),
        samples(records, "subframes", t0_unix_s),
        rows(records, _RADIO_KEYS, t0_unix_s),
        most,
        samples(records, "tx_ns", t0_unix_s),
        str(meta.get(EGRESS_KEY, "")),
        _airtimes(records, t0_unix_s),
    )


def _airtimes(records: list[dict[str, Any]], t0_unix_s: float) -> dict[str, Samples]:
    have = [(record["t"], record[AIRTIME_TO_KEY]) for record in records
            if AIRTIME_TO_KEY in record]  # fmt: skip
    names = dict.fromkeys(name for _, airtimes in have for name in airtimes)
    return {
        str(name): samples([{"t": t, "ns": airtimes.get(name)} for t, airtimes in have],
                           "ns", t0_unix_s)
        for name in names
    }  # fmt: skip


def _sized(node: str, records: list[dict[str, Any]], t0_unix_s: float) -> Sized:
    drain_us = samples(records, "drain_us", t0_unix_s)
    limit = samples(records, "limit_packets", t0_unix_s)
    return Sized(node, limit, Samples(drain_us.t_s, drain_us.value / 1e3))


def _pooled(parts: list[Floats]) -> Floats:
    return np.concatenate(parts) if parts else np.empty(0)
