# SPDX-License-Identifier: GPL-2.0-or-later
"""Result files: Flent's own format, version 4.

One ``.flent.gz`` per cell, which ``flent -i FILE -p totals`` and flent-gui open as they open
their own. It is JSON under gzip:

    version     4
    x_values    the time axis, in seconds from the start of the measurement
    results     a series for each name, as long as x_values; null where nothing was measured
    raw_values  for each measured series its samples, records with Unix time ``t``
    metadata    what Flent's plots and dialogues want, and TSQLAB: the cell's factors and
                its provenance

The value of a TCP or UDP series at x is the goodput, at the receiving application and in
Mbit/s, of the step that ends at x. Flent plots raw values where a series has any, and finds
their place from T0; without T0, and without the raw key, its plots are silently empty.

A file depends on its record alone, to the byte: no clock, no host name, no file name.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean
from typing import Any

from tsqlab.errors import FileError
from tsqlab.metrics.document import (
    CAPACITY_KEY,
    CLIENT_KEY,
    EGRESS_KEY,
    FLOW_KEY,
    QDISC_SERIES,
    RADIO_SERIES,
    ROLE_KEY,
    SERVER_KEY,
    SIZED_SERIES,
    WAY_KEY,
    Own,
    Trace,
    trace,
    usual_role,
)
from tsqlab.metrics.programs import PROGRAM_KEY, PROGRAM_SERIES
from tsqlab.metrics.summarise import Metrics, summarise_trace
from tsqlab.results.computed import Computed, compute, computed_of
from tsqlab.results.files import read_regular, write_whole
from tsqlab.results.grid import Samples, Series, axis, interpolated, sampled
from tsqlab.results.programs import program_meta, program_samples
from tsqlab.results.record import (
    Capacity,
    CellRecord,
    FlowName,
    RadioCapacity,
    TsqCapacity,
    WireCapacity,
)
from tsqlab.results.samples import (
    QDISC_KEYS,
    RADIO_KEYS,
    SIZED_KEYS,
    SOCKET_KEYS,
    Clock,
    flow_samples,
    ping_samples,
    qdisc_samples,
    radio_samples,
    sized_samples,
)
from tsqlab.topology import CLIENT

VERSION = 4
SUFFIX = ".flent.gz"
KEY = "TSQLAB"
"""The metadata key of all that is not Flent's."""

Document = dict[str, Any]


def to_flent(record: CellRecord) -> Document:
    """The record as a Flent document."""
    clock = Clock(record.start_unix_s, record.step_s, record.delay_s,
                  record.delay_s + record.length_s)  # fmt: skip
    x_values = axis(record.total_s, record.step_s)
    raw = _raw_values(record, clock)
    results: dict[str, Series] = {}
    for name, samples in raw.items():
        results |= _series(name, samples, clock, len(x_values))
    series_meta = {name: _measured_meta(name, raw[name], clock) for name in raw}
    for flow in record.flows:
        series_meta[flow.series] |= _flow_meta(flow, record)
    for name, own in record.own_pings.items():
        series_meta[name][FLOW_KEY] = _own_meta(name, own, record)
    for node, radio in record.measurement.radios.items():
        series_meta[_radio(node)]["SUBFRAMES_OF"] = _trimmed(radio.subframes_of)
        if radio.role not in (None, usual_role(node)):
            series_meta[_radio(node)][ROLE_KEY] = radio.role
    for node, egress in record.radio_egresses.items():
        series_meta[_radio(node)][EGRESS_KEY] = egress
    for name, most in _capacities(record.capacity).items():
        if name in series_meta:
            series_meta[name][CAPACITY_KEY] = asdict(most)
    for name, program in record.measurement.programs.items():
        series_meta[f"{PROGRAM_SERIES}{name}"] = {PROGRAM_KEY: program_meta(program)}
    for computed in computed_of(record.test, list(results)):
        series_meta[computed.name] = _computed_meta(computed, series_meta)
        results[computed.name] = compute(computed, results)
        raw[computed.name] = []
    return {
        "version": VERSION,
        "x_values": x_values,
        "results": results,
        "raw_values": raw,
        "metadata": _metadata(record, series_meta),
    }


def _flow_meta(flow: FlowName, record: CellRecord) -> dict[str, Any]:
    """What a flow is, and whose."""
    meta: dict[str, Any] = {"PROTOCOL": flow.protocol, "DIRECTION": flow.direction}
    if flow.client != CLIENT:
        meta[CLIENT_KEY] = flow.client
    if flow.server and not flow.own:
        meta[SERVER_KEY] = flow.server
    if flow.own:
        meta[FLOW_KEY] = _own_meta(flow.series, flow.own, record)
    if flow.way:
        meta[WAY_KEY] = list(flow.way)
    return meta


def _own_meta(series: str, own: Own, record: CellRecord) -> dict[str, Any]:
    """What a [[flow]] was asked to do, and how long it took if it came to an end."""
    meta = {key: value for key, value in asdict(own).items() if value is not None}
    completed = record.measurement.completions.get(series)
    if completed is not None and len(completed["t_ns"]):
        meta["fct_s"] = round(float(completed["t_ns"][0]) / 1e9 - own.begin_s, 9)
    return meta


def _capacities(most: Capacity) -> dict[str, WireCapacity | RadioCapacity | TsqCapacity]:
    """What a cell's parts can do at most, by the series of each."""
    wires = {_qdisc(egress): wire for egress, wire in most.wires.items()}
    radios = {_radio(node): radio for node, radio in most.radios.items()}
    return {**most.tsq, **wires, **radios}


def _raw_values(record: CellRecord, clock: Clock) -> dict[str, Samples]:
    measured = record.measurement
    raw = {
        flow.series: flow_samples(
            measured.senders[flow.series],
            measured.receivers[flow.series],
            clock,
        )
        for flow in record.flows
    }
    raw |= {name: ping_samples(table, clock) for name, table in measured.pings.items()}
    raw |= {_qdisc(egress): qdisc_samples(table, clock)
            for egress, table in measured.qdiscs.items()}  # fmt: skip
    raw |= {_radio(node): radio_samples(radio, clock) for node, radio in measured.radios.items()}
    raw |= {f"{SIZED_SERIES}{node}": sized_samples(table, clock)
            for node, table in measured.sized.items()}  # fmt: skip
    raw |= {f"{PROGRAM_SERIES}{name}::{series}": program_samples(values, clock)
            for name, program in measured.programs.items()
            for series, values in program.series.items()}  # fmt: skip
    return raw


def _qdisc(egress: str) -> str:
    return f"{QDISC_SERIES}{egress}"


def _radio(node: str) -> str:
    return f"{RADIO_SERIES}{node}"


def _series(name: str, samples: Samples, clock: Clock, points: int) -> dict[str, Series]:
    """The series of one runner, by the names that Flent gives them."""

    def of(key: str) -> Series:
        return sampled(samples, key, clock.start_unix_s, clock.step_s, points)

    if name.startswith(("Ping", PROGRAM_SERIES)):
        return {name: interpolated(samples, clock.start_unix_s, clock.step_s, points)}
    if name.startswith("qdisc"):
        return {f"{name}::{key}": of(key) for key in QDISC_KEYS}
    if name.startswith("wifi"):
        return _radio_series(name, samples, clock, points)
    if name.startswith(SIZED_SERIES):
        return {f"{name}::{key}": of(key) for key in SIZED_KEYS}
    series = {name: of("val")}
    if name.startswith("TCP"):
        series |= {f"{name}::{key}": of(key) for key in SOCKET_KEYS}
    return series


def _radio_series(name: str, samples: Samples, clock: Clock, points: int) -> dict[str, Series]:
    """A series for each of a station's values: wifi_stats_C::avg_aggr_size::AP."""
    peers = dict.fromkeys(peer for sample in samples for peer in sample["stations"])
    return {
        f"{name}::{key}::{peer}": sampled(
            [{"t": sample["t"], **sample["stations"][peer]} for sample in samples],
            key,
            clock.start_unix_s,
            clock.step_s,
            points,
        )
        for peer in peers
        for key in RADIO_KEYS
    }


def _measured_meta(name: str, samples: Samples, clock: Clock) -> dict[str, Any]:
    values = [sample["val"] for sample in samples if "val" in sample]
    if name.startswith("qdisc"):
        return {"RUNNER": "TcRunner", "UNITS": "misc"}
    if name.startswith("wifi"):
        return {"RUNNER": "WifiStatsRunner", "UNITS": "misc"}
    if name.startswith(SIZED_SERIES):
        return {"RUNNER": "WqmRunner", "UNITS": "misc"}  # Flent itself has none
    if name.startswith(PROGRAM_SERIES):
        return {"RUNNER": "ProgramRunner", "UNITS": "misc"}
    if name.startswith("Ping"):
        mean = fmean(values) if values else None
        return {
            "RUNNER": "IrttRunner" if name.startswith("Ping (ms) UDP") else "PingRunner",
            "UNITS": "ms",
            "MEAN_VALUE": mean,
            "MIN_VALUE": min(values, default=None),
            "MAX_VALUE": max(values, default=None),
        }
    begin, end = clock.unix(clock.flows_begin_s * 1e9), clock.unix(clock.flows_end_s * 1e9)
    half_a_step = clock.step_s / 2
    data_mbit = math.fsum(
        sample["val"] * sample["dur"]
        for sample in samples
        if "val" in sample and begin < sample["t"] < end + half_a_step
    )
    return {
        "RUNNER": "NetperfDemoRunner" if name.startswith("TCP") else "IperfCsvRunner",
        "UNITS": "Mbits/s",
        "MEAN_VALUE": data_mbit / (end - begin),
    }


def _computed_meta(computed: Computed, series_meta: Mapping[str, Any]) -> dict[str, Any]:
    sources = [series_meta[name] for name in computed.sources(list(series_meta))]
    means = [meta["MEAN_VALUE"] for meta in sources if meta["MEAN_VALUE"] is not None]
    return {
        "RUNNER": computed.runner,
        "UNITS": sources[0]["UNITS"] if sources else None,
        "MEAN_VALUE": computed.combine(means) if means else None,
        "COMPUTED_LATE": False,
    }


def _metadata(record: CellRecord, series_meta: Mapping[str, Any]) -> dict[str, Any]:
    start = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=record.start_unix_s)
    time = start.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return {
        "NAME": record.test,
        "TITLE": ", ".join(f"{k}={v}" for k, v in record.factors.items()) or record.title,
        "NOTE": record.title,
        "LENGTH": _plain(record.length_s),
        "DELAY": _plain(record.delay_s),
        "TOTAL_LENGTH": _plain(record.total_s),
        "STEP_SIZE": record.step_s,
        "HOST": record.server,
        "HOSTS": [record.server],
        "LOCAL_HOST": CLIENT,
        "IP_VERSION": 4,
        "TIME": time,
        "T0": time,
        "TEST_PARAMETERS": _test_parameters(record),
        "SERIES_META": series_meta,
        "FAILED_RUNNERS": 0,
        KEY: {**record.provenance, "factors": dict(record.factors)},
    }


def _trimmed(histogram: Sequence[int]) -> list[int]:
    """A histogram without the zeros at its end."""
    length = max((frames for frames, count in enumerate(histogram, 1) if count), default=0)
    return list(histogram[:length])


def _plain(seconds: float) -> float | int:
    return int(seconds) if seconds == int(seconds) else seconds


def _test_parameters(record: CellRecord) -> dict[str, str]:
    parameters = {}
    if record.test in ("tcp_nup", "tcp_ndown"):
        direction = "upload" if record.test == "tcp_nup" else "download"
        parameters[f"{direction}_streams"] = str(record.streams)
    if record.test == "rrul_var":
        labels = [flow.series.partition("::")[2] for flow in record.flows]
        parameters |= {"bidir_streams": str(len(labels)), "labels": ",".join(labels)}
    if egresses := ",".join(record.measurement.qdiscs):
        # Flent names these series by host, and looks for one interface for each.
        parameters["qdisc_stats_hosts"] = parameters["qdisc_stats_interfaces"] = egresses
    if radios := record.measurement.radios:
        peers = dict.fromkeys(radio.peer for radio in radios.values())
        parameters["wifi_stats_hosts"] = parameters["wifi_stats_interfaces"] = ",".join(radios)
        parameters["wifi_stats_stations"] = ",".join(peers)
    return parameters


def write_flent(path: Path, document: Document) -> None:
    """Write a document, whole or not at all. Raises TsqlabError."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as file:
        file.write(text.encode())
    write_whole(path, packed.getvalue())


FILE_BYTES_MAX = 1 << 30
"""Of a result file, packed and unpacked; a million samples have about half of it."""


def read_flent(path: Path) -> Document:
    """Read a document. Raises FileError when it is not there, damaged, or of another version."""
    try:
        packed = read_regular(path, FILE_BYTES_MAX)
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
            text = file.read(FILE_BYTES_MAX + 1)
        if len(text) > FILE_BYTES_MAX:
            raise ValueError(f"more than {FILE_BYTES_MAX >> 20} MiB")
        document = json.loads(text, parse_constant=_no_number)
    except FileNotFoundError as error:
        raise FileError(path, "no such result file") from error
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        message = f"not a whole result file ({error}); remove it and run the experiment again"
        raise FileError(path, message) from error
    _check(path, document)
    return dict(document)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")


def read_measured(path: Path) -> tuple[Document, Trace, Metrics]:
    """Read a document, its arrays and its metrics. Raises FileError."""
    document = read_flent(path)
    try:
        measured = trace(document)
        return document, measured, summarise_trace(measured)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        said = str(error) if type(error) is ValueError else repr(error)
        message = f"lacks what a result has ({said}); remove it and run the experiment again"
        raise FileError(path, message) from error


_PARTS: Mapping[str, type] = {
    "metadata": dict,
    "x_values": list,
    "results": dict,
    "raw_values": dict,
}
_POINT_MAX_S = 1e9  # of the time axis
_NUMBERS = frozenset({int, float})


def _check(path: Path, document: object) -> None:
    if not isinstance(document, dict) or type(document.get("version")) is not int:
        raise FileError(path, "not a result of Flent: it has no version")
    if document["version"] != VERSION:
        found = document["version"]
        raise FileError(path, f"of Flent's file format {found}; only {VERSION} is understood")
    for part, kind in _PARTS.items():
        if not isinstance(document.get(part), kind):
            raise FileError(path, f"not a result of Flent: its {part} are missing")
    points = document["x_values"]
    if not set(map(type, points)) <= _NUMBERS or not all(0 <= x <= _POINT_MAX_S for x in points):
        message = f"expected numbers of seconds, 0 to {_POINT_MAX_S:.0f}"
        raise FileError(path, message, key="x_values")
    for name, series in document["results"].items():
        if not isinstance(series, list) or len(series) != len(points):
            message = f"expected a list as long as x_values, which has {len(points)} values"
            raise FileError(path, message, key=f"results.{name}")
        if not set(map(type, series)) <= {*_NUMBERS, type(None)}:
            raise FileError(path, "expected numbers, or null", key=f"results.{name}")
    for name, samples in document["raw_values"].items():
        if not isinstance(samples, list) or not set(map(type, samples)) <= {dict}:
            raise FileError(path, "expected a list of samples", key=f"raw_values.{name}")
