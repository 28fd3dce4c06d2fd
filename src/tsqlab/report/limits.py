# SPDX-License-Identifier: GPL-2.0-or-later
"""What limited the flows, in words: "TSQ (rate >> shift) 83 %, air/device 12 %".

The numbers are those of tsqlab.metrics.limits, and docs/results.md says how each comes about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tsqlab.experiment.profile import Airlink, of_device
from tsqlab.experiment.radios import own_radio
from tsqlab.experiment.stored import Result
from tsqlab.metrics.document import Radio
from tsqlab.metrics.limits import BOUNDS, HELD, LINKS, FlowLimits, flow_limits
from tsqlab.metrics.links import air_busy, radios_of, wire_load, wires_of
from tsqlab.metrics.statistics import mean
from tsqlab.results.repetitions import HasMetrics, Setting, by_setting, over_seeds

COLUMN = "what limited it"

_BOUNDS = dict(
    zip(
        BOUNDS,
        ("TSQ (rate >> shift)", "TSQ (us)", "TSQ (packets)", "TSQ (bytes)", "cwnd",
         "receiver's window", "send buffer", "pacing", "application", "air/device", "wire"),
        strict=True,
    )
)  # fmt: skip
_HELD = dict(
    zip(
        HELD,
        ("TSQ", "cwnd", "receiver's window", "send buffer", "pacing", "application"),
        strict=True,
    )
)
SHARES = {
    **{name: f"held by {text}" for name, text in _HELD.items()},
    **{name: f"{name.partition('_')[0]} busy" for name in LINKS},
    **{name: f"bound by {text}" for name, text in _BOUNDS.items()},
}
"""The metrics of shares, by their names for people."""

_LEAST = 0.05  # a smaller share is not worth a word, unless it is the largest
_UNKNOWN = "not counted"


def limited_by(cells: Sequence[HasMetrics]) -> str:
    """What limited a setting, by the means over its cells; empty if nothing says so."""
    means = {name: over_seeds(cells, name) for name in BOUNDS}
    return bound_text({name: value.mean for name, value in means.items() if value})


def bound_text(bound: Mapping[str, float]) -> str:
    """The shares of what bound something, the largest first; empty if there are none."""
    return _text(bound, _BOUNDS)


def held_text(held: Mapping[str, float]) -> str:
    """The shares of what held a sender, the largest first."""
    return _text(held, _HELD)


def _text(shares: Mapping[str, float], names: Mapping[str, str]) -> str:
    if not shares:
        return ""
    named = {names[name]: share for name, share in shares.items()}
    named[_UNKNOWN] = 1 - sum(named.values())
    ordered = sorted(named.items(), key=lambda item: -item[1])
    kept = [ordered[0], *(item for item in ordered[1:] if item[1] >= _LEAST)]
    return ", ".join(f"{name} {100 * share:.0f} %" for name, share in kept)


@dataclass(frozen=True)
class LimitsRow:
    """One flow of a setting, means over the seeds, as text."""

    setting: Setting
    flow: str
    bound: str
    held: str
    link: str
    samples: int  # of all its cells together


def limit_rows(results: Iterable[Result]) -> list[LimitsRow]:
    """A row for each flow of each setting whose limits are known."""
    rows = []
    for setting, cells in by_setting(results).items():
        flows: dict[str, list[FlowLimits]] = {}
        links: dict[str, list[str]] = {}
        for cell in cells:
            for limits in flow_limits(cell.trace):
                flows.setdefault(limits.series, []).append(limits)
                links.setdefault(limits.series, []).append(_link(cell, limits.series))
        rows += [
            LimitsRow(
                setting,
                series,
                bound_text(_means([one.bound for one in found])),
                held_text(_means([one.held for one in found])),
                links[series][0],
                sum(one.samples for one in found),
            )
            for series, found in flows.items()
        ]
    return rows


def _means(shares: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for one in shares for name in one)
    return {name: mean([one.get(name, 0.0) for one in shares]) or 0.0 for name in names}


def _link(cell: Result, series: str) -> str:
    """The links that a flow crosses: how busy, and how long aggregates are of how long at most."""
    trace = cell.trace
    flow = next(flow for flow in trace.flows if flow.series == series)
    parts = []
    radios = radios_of(trace, flow)
    for radio in radios:
        if (busy := air_busy(radio, trace.begin_s, trace.end_s)) is None:
            continue
        whose = f"{radio.egress}: " if len(radios) > 1 else ""
        parts.append(f"{whose}air busy {100 * busy:.0f} %")
        frames = radio.aggregate_mean(trace.begin_s, trace.end_s)
        most = radio.most.get("aggregate_frames")
        if frames is not None and most:
            parts.append(f"aggregates {frames:.3g} of {most:.0f}{_window(cell, radio)}")
    for wire in wires_of(trace, flow):
        load = float(wire_load(wire, trace.begin_s, trace.end_s))
        parts.append(f"{wire.egress} {100 * load:.0f} %")
    return ", ".join(parts)


def _window(cell: Result, radio: Radio) -> str:
    """What the block ack window leaves of the profile's own limit, where it is less."""
    own = _profile(cell, radio)
    if own is None:
        return ""
    window, ahead = own.number("window_frames"), own.number("aggregates_ahead")
    if window // ahead >= own.number("aggregate_frames"):
        return ""
    return f" (window_frames {window}" + (f" for {ahead})" if ahead > 1 else ")")


def _profile(cell: Result, radio: Radio) -> Airlink | None:
    """A radio's profile; None in a file that the lab did not write."""
    if cell.spec is None or cell.device is None:
        return None
    places = (place for place in cell.spec.testbed.graph.radios if place.name == radio.node)
    for place in places:
        usual = of_device(place.medium.device, cell.device, cell.others)
        if isinstance(usual, Airlink):
            return own_radio(usual, place.member, cell.others)
    return None
