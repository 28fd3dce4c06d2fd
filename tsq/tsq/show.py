# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsq show``: devices, flows, and which term of TSQ's limit binds each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tsq.devices import Device
from tsq.host import Host
from tsq.knobs import read_knobs
from tsq.limit import Knobs, ms_of_shift
from tsq.sampling import Sampled

UNKNOWN = (
    "flows of other network namespaces, such as containers: run tsq in there",
    "traffic that is forwarded: TSQ is about this host's own TCP only",
    "what a driver or its firmware holds after it has given an skb back",
)
"""What no way of looking tells."""
INFERRED = (
    "sk_pacing_shift and whether a flow is paced are inferred from its device; with --bpf, as "
    "root, they are read"
)
ESTIMATED = "how large a flow's next skb is: the limit of two skbs is good to 20 %"


def unknown(*, exact: bool) -> list[str]:
    """What this output cannot tell."""
    return [*([] if exact else [INFERRED]), ESTIMATED, *UNKNOWN]


def as_json(host: Host, devices: Iterable[Device], flows: Iterable[Sampled], *, exact: bool) -> str:
    """All of it for programs: one object on one line."""
    document = {
        "knobs": vars(read_knobs(host)),
        "devices": [_device_json(device) for device in devices],
        "flows": [_flow_json(flow) for flow in flows],
        "unknown": unknown(exact=exact),
    }
    return json.dumps(document)


def _device_json(device: Device) -> dict[str, Any]:
    row = {key: value for key, value in vars(device).items() if key not in ("shift", "gso")}
    return row | {
        "beneath": list(device.beneath),
        "shift": vars(device.shift),
        "gso_max_size": device.gso.max_size,
        "gso_max_segs": device.gso.max_segs,
        "allows_ms": ms_of_shift(device.shift.value),
    }


def _flow_json(sampled: Sampled) -> dict[str, Any]:
    view, answer = sampled.last, sampled.answer
    return {
        **vars(view.flow),
        "device": view.device,
        "shift": vars(view.shift),
        "paced": vars(view.paced),
        "skb_data_bytes": view.skb_data_bytes,
        "limit_bytes": sampled.limit_bytes,
        "limit_terms": vars(view.limit),
        "limit_ms": view.limit_ms,
        "below_bytes": sampled.below_bytes,
        "limited_share": sampled.limited_share,
        "looks": sampled.looks,
        "goodput_bytes_per_s": sampled.sent_bytes / sampled.duration_s if sampled.duration_s else 0,
        "binds": answer.binds,
        "binds_share": answer.share,
        "binds_by": answer.by,
    }


def as_text(
    devices: Iterable[Device], flows: Iterable[Sampled], knobs: Knobs, *, exact: bool
) -> Iterator[str]:
    """All of it for people."""
    for device in devices:
        yield from _device_lines(device, knobs)
    none = True
    for flow in flows:
        none = False
        yield from _flow_lines(flow)
    if none:
        yield "no flow sent anything meanwhile: start an upload and look again"
    yield "not known:"
    for line in unknown(exact=exact):
        yield f"  {line}"


def _device_lines(device: Device, knobs: Knobs) -> Iterator[str]:
    radio = "mac80211" if device.mac80211 else "radio" if device.wireless else "wire"
    allows = ms_of_shift(device.shift.value) * knobs.ca_ratio / 120
    cotsq_ms = (knobs.tsq_us or 0) / 1000
    time = f"{cotsq_ms:.3g} ms (tcp_tsq_us)" if cotsq_ms else f"{allows:.2g} ms"
    yield (
        f"DEV {device.name}  {device.kind} {radio}  queue: {device.queue}  "
        f"gso_max {device.gso.max_size}/{device.gso.max_segs}  shift {device.shift.text}: {time}"
    )
    if device.aql:
        yield f"    AQL {device.aql}"
    if device.mac80211 and not knobs.tsq_us:
        yield "    mac80211 asks for 7.8 ms already: here one sets less, or nothing"
    if device.fq:
        yield "    fq paces whatever has a rate: the ratios are a pace here, not only a limit"


def _flow_lines(sampled: Sampled) -> Iterator[str]:
    view, answer, flow = sampled.last, sampled.answer, sampled.last.flow
    share = sampled.below_bytes / sampled.limit_bytes if sampled.limit_bytes else 0
    yield (
        f"FLOW {flow.name} by {view.device}  {flow.control} "
        f"{'paced' if view.paced.value else 'unpaced'} ({view.paced.known_by})"
    )
    yield (
        f"    rate {8 * flow.rate / 1e6:.3g} Mbit/s  limit {sampled.limit_bytes / 1e3:.3g} kB = "
        f"{view.limit_ms:.2g} ms  below TCP {sampled.below_bytes / 1e3:.3g} kB ({share:.0%})"
    )
    yield (
        f"    next skb {view.skb_bytes / 1e3:.3g} kB  cwnd {flow.cwnd}  "
        f"srtt {flow.srtt_us / 1000:.3g} ms  TSQ-limited at {sampled.limited_share:.0%} of "
        f"{sampled.looks} looks"
    )
    yield f"    binds: {_words(answer.binds)} ({answer.share:.0%}, by {answer.by})"


_TERMS = {
    "time": "TSQ: time (rate >> shift)",
    "two skbs": "TSQ: two skbs (a longer time changes nothing until it is more than they are)",
    "bytes": "TSQ: bytes (tcp_limit_output_bytes)",
    "cwnd": "cwnd: TSQ has no part in it",
    "receiver": "the receiver's window: TSQ has no part in it",
    "send buffer": "the program's send buffer: TSQ has no part in it",
    "application": "the program has nothing to send: TSQ has no part in it",
    "pacing": "pacing: it sends when its rate lets it",
    "nothing": "nothing that was seen",
}


def _words(binds: str) -> str:
    return _TERMS[binds]


def chosen(devices: Mapping[str, Device], name: str | None) -> list[Device]:
    """The device of that name, or all that are up and lead somewhere."""
    if name is not None:
        return [devices[name]]
    return [device for device in devices.values() if device.up and not device.loopback]
