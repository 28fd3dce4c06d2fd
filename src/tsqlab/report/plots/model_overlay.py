# SPDX-License-Identifier: GPL-2.0-or-later
"""The aggregating paper's model over what the lab measured, under static limits of t packets.

Points are means over the seeds, lines the model (tsqlab.model.aggregation) with what was fitted
to them (tsqlab.model.fit): the backlog factor c and the time to get hold of the channel, t_oh;
c alone where the measurement cannot tell them apart. The rest is what the cells say they are: the
rate and the largest aggregate of the radio that sends the data, the propagation delay of the flows'
way, the pacing ratio. The model is of one such radio: a cell in which several kinds send, or in
which a flow crosses several channels or none, is left out. The title has
what came out, and the median relative error of goodput and of RTT over the limits.

The RTT is the median that TCP measured, the goodput that of the applications: the headers of a
packet of 1500 bytes, some 3 %, are the model's payload and go into its t_oh.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from tsqlab.airlink.rates import kbps, parse_rate
from tsqlab.experiment.flows import Flow
from tsqlab.experiment.profile import (
    NO_OTHERS,
    Airlink,
    Others,
    Profile,
    of_device,
)
from tsqlab.experiment.radios import own_radio, rate_text
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.stored import Result
from tsqlab.experiment.testbed.graph import Link, Medium, Role
from tsqlab.experiment.testbed.ways import Ways
from tsqlab.metrics.series import Floats
from tsqlab.metrics.statistics import Estimate
from tsqlab.model.aggregation import Parameters, goodput_bit_per_s, rtt_ns
from tsqlab.report.plots.axes import GOODPUT, median_of, short
from tsqlab.report.plots.figure import (
    FILLS,
    LINES,
    MARKERS,
    PLOT_WIDTH_IN,
    Plot,
    add_legend,
    colour,
    new_figure,
    to_plot,
)
from tsqlab.report.plots.look import say
from tsqlab.report.plots.stated import Asked
from tsqlab.results.repetitions import Setting, label, over_seeds, setting_of, varying

if TYPE_CHECKING:
    from tsqlab.model.fit import Fit

NAME = "model"

# The parameters to fit: the first of these that the measurement determines.
_FREE = (("backlog", "access_ns"), ("backlog",))
_CURVE_POINTS = 400
_HEIGHT_IN = 4.2
_WINDOW_FRAMES = 64  # the window of a block ack, where a profile says nothing
_PSDU_BYTES = 65_535  # the standard's limit on an HT A-MPDU, where a profile says nothing
_SUBFRAME_BYTES = 1_540  # a packet of 1500 bytes with everything that an A-MPDU adds
_CA_RATIO = "net.ipv4.tcp_pacing_ca_ratio"
_CA_RATIO_STOCK = 120  # a percentage


@dataclass(frozen=True)
class Overlay:
    """One setting's measurement, and the model with it."""

    limits: Floats  # each limit is a number of packets
    goodput_mbps: tuple[Estimate, ...]
    rtt_ms: tuple[Estimate, ...]
    fit: Fit

    @property
    def errors(self) -> tuple[float, float]:
        """The median relative error over the limits, of goodput and of RTT."""
        model = self.fit.parameters
        return (
            _error(goodput_bit_per_s(self.limits, model) / 1e6, self.goodput_mbps),
            _error(rtt_ns(self.limits, model) / 1e6, self.rtt_ms),
        )


def _error(model: Floats, lab: Sequence[Estimate]) -> float:
    measured = np.array([estimate.mean for estimate in lab])
    return float(np.median(np.abs(model / measured - 1)))


def overlays(results: Sequence[Result]) -> dict[Setting, Overlay]:
    """The model fitted to each setting that was run under static limits of several sizes."""
    groups: dict[Setting, dict[float, list[Result]]] = {}
    for cell in results:
        limit = cell.spec.sender.tsq.limit_packets if cell.spec else None
        if limit is not None and cell.device is not None:
            own = tuple(item for item in setting_of(cell.factors)
                        if item[0].rpartition(".")[2] != "tsq")  # fmt: skip
            groups.setdefault(own, {}).setdefault(limit, []).append(cell)
    fitted = {setting: _overlay(cells) for setting, cells in groups.items()}
    return {setting: overlay for setting, overlay in fitted.items() if overlay}


def _overlay(cells: Mapping[float, Sequence[Result]]) -> Overlay | None:
    # scipy's optimizers take 0.4 s, which reports without this plot need not wait for.
    from tsqlab.model.fit import fit  # noqa: PLC0415

    rows = [
        (limit, goodput, rtt)
        for limit in sorted(cells)
        if (goodput := over_seeds(cells[limit], "goodput_mbps"))
        and (rtt := over_seeds(cells[limit], "tcp_rtt_ms_p50"))
        and goodput.mean > 0
    ]
    if not rows:
        return None
    limits = np.array([limit for limit, _, _ in rows])
    goodputs, rtts = tuple(row[1] for row in rows), tuple(row[2] for row in rows)
    measured = (np.array([goodput.mean for goodput in goodputs]) * 1e6,
                np.array([rtt.mean for rtt in rtts]) * 1e6)  # fmt: skip
    first = next(iter(cells.values()))[0]
    assert first.spec and first.device, "overlays() takes no others"
    given = parameters_of(first.spec, first.device, first.others)
    if given is None:
        return None
    for free in _FREE:
        try:
            return Overlay(limits, goodputs, rtts, fit(limits, measured, given, free))
        except ValueError:
            # There are too few measurements, or they do not tell the parameters apart.
            continue
    return None


def parameters_of(spec: Spec, profile: Profile, others: Others = NO_OTHERS) -> Parameters | None:
    """What a cell's specification and profiles say of the model's parameters.

    The model is of one radio that sends all data. None where there are several, as in a graph with
    flows from several stations, or over several hops of radio, or none.
    """
    sending = sending_radio(spec, profile, others)
    flows = spec.traffic().flows
    if sending is None:
        return None
    radio, rate_bit_per_s = sending
    ways = Ways(spec.testbed.graph)
    frames = largest_aggregate(radio, rate_bit_per_s)
    bits = 8 * Parameters().packet_bytes
    return Parameters(
        rate_bit_per_s=rate_bit_per_s,
        rtt_base_ns=max(_base_rtt_ns(ways, flow) for flow in flows),
        # The half packet is added because the number of packets that fit is rounded down.
        aggregate_max_ns=(frames + 0.5) * bits / rate_bit_per_s * 1e9,
        pacing=_pacing(spec, flows[0]),
    )


def sending_radio(spec: Spec, profile: Profile, others: Others) -> tuple[Airlink, int] | None:
    """The kind of radio that sends all data of a cell, and its rate in bit/s; None of several."""
    kinds: list[tuple[Airlink, int]] = []
    ways = Ways(spec.testbed.graph)
    for flow in spec.traffic().flows:
        way = ways.hops(flow.sender, flow.receiver)
        by_radio = [(hop, hop.by) for hop in way if isinstance(hop.by, Medium)]
        if len(by_radio) != 1:
            return None
        ((hop, medium),) = by_radio
        sender, receiver = medium.at(hop.sender), medium.at(hop.port.node)
        if sender.role == receiver.role == Role.STATION:  # their access point sends it once more
            return None
        usual = of_device(medium.device, profile, others)
        assert isinstance(usual, Airlink), "checked before the cell was run"
        ends = (hop.sender, hop.port.node)
        said = next((way.rate for way in medium.ways if (way.sender, way.receiver) == ends), None)
        station = receiver if receiver.role == Role.STATION else sender
        rate = parse_rate(said or rate_text(medium, station, usual, others))
        kind = own_radio(usual, sender, others), 1000 * kbps(rate)
        kinds += [kind] if kind not in kinds else []
    return kinds[0] if len(kinds) == 1 else None


def _base_rtt_ns(ways: Ways, flow: Flow) -> int:
    """The propagation delay of a flow's way, there and back."""
    ends = (flow.sender, flow.receiver)
    both = (*ways.hops(*ends), *ways.hops(*ends[::-1]))
    return sum(end.propagation.ns for hop in both if isinstance(hop.by, Link)
               for end in hop.by.ends if end.port.node == hop.sender)  # fmt: skip


def _pacing(spec: Spec, flow: Flow) -> float:
    """The pacing ratio after slow start that the sender's sysctls set; stock's otherwise."""
    sysctls = spec.sender.pacing_ratios() | spec.testbed.sysctl.get(flow.sender, {})
    return float(sysctls.get(_CA_RATIO, _CA_RATIO_STOCK)) / 100


def largest_aggregate(radio: Airlink, rate_bit_per_s: int) -> int:
    """The largest aggregate in packets of 1500 bytes, by the tightest of a profile's limits."""
    time = radio.aggregate_time
    in_bytes = (radio.aggregate_bytes or _PSDU_BYTES) // _SUBFRAME_BYTES
    in_time = int(time.ns * rate_bit_per_s / 8e9 / _SUBFRAME_BYTES) if time else in_bytes
    frames = radio.aggregate_frames or _WINDOW_FRAMES
    window = radio.window_frames or _WINDOW_FRAMES
    return max(1, min(in_bytes, in_time, frames, window))


def model_overlay(results: Sequence[Result], _asked: Asked) -> list[Plot]:
    """The plot, if there are static limits on a radio."""
    found = overlays(results)
    if not found:
        return []
    names = varying(list(found))
    prefixes = [f"{label(setting, names)}: " if len(found) > 1 else "" for setting in found]
    entries = [f"{prefix}{text}" for prefix in prefixes for text in (say("model"), say("lab"))]
    figure = new_figure(PLOT_WIDTH_IN, _HEIGHT_IN, entries)
    above, below = figure.subplots(2, 1, sharex=True)
    for place, (name, overlay) in enumerate(zip(prefixes, found.values(), strict=True)):
        _draw(above, overlay, place, name, goodput=True)
        _draw(below, overlay, place, name, goodput=False)
    for axes in (above, below):
        axes.set_ylim(bottom=0)
    above.set_ylabel(say(GOODPUT))
    below.set_ylabel(median_of("tcp_rtt_ms"))
    below.set_xlabel(say("static TSQ limit t (packets)"))
    add_legend(figure, *above.get_legend_handles_labels())
    texts = [name + fit_text(overlay)
             for name, overlay in zip(prefixes, found.values(), strict=True)]  # fmt: skip
    title = f"The model beside the lab; {'; '.join(texts)}"
    description = "Goodput and TCP RTT against the static TSQ limit: points measured, lines model."
    return [to_plot(figure, NAME, title, description)]


def fit_text(overlay: Overlay) -> str:
    """What was fitted, and how near the model comes."""
    intervals = overlay.fit.intervals
    c = intervals["backlog"]
    parts = [f"c = {short(c.value)} ({short(c.low)} to {short(c.high)})"]
    if access := intervals.get("access_ns"):
        low, value, high = (short(ns / 1e6) for ns in (access.low, access.value, access.high))
        parts.append(f"t_oh = {value} ms ({low} to {high})")
    goodput, rtt = overlay.errors
    parts.append(f"median error {goodput:.1%} of goodput, {rtt:.1%} of RTT")
    return ", ".join(parts)


def _draw(axes: Axes, overlay: Overlay, place: int, name: str, *, goodput: bool) -> None:
    own, model = colour(place), overlay.fit.parameters
    t = np.linspace(overlay.limits[0], overlay.limits[-1], _CURVE_POINTS)
    curve = goodput_bit_per_s(t, model) / 1e6 if goodput else rtt_ns(t, model) / 1e6
    lab = overlay.goodput_mbps if goodput else overlay.rtt_ms
    axes.plot(t, curve, color=own, linestyle=LINES[place % len(LINES)], label=name + say("model"))
    axes.errorbar(
        overlay.limits, [value.mean for value in lab], [value.half_width or 0.0 for value in lab],
        color=own, linestyle="", marker=MARKERS[place % len(MARKERS)], fillstyle=FILLS[1],
        capsize=2, elinewidth=0.8, label=name + say("lab"),
    )  # fmt: skip
