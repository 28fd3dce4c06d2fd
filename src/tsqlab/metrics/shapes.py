# SPDX-License-Identifier: GPL-2.0-or-later
"""What a curve of the TCP round-trip time or of the cwnd looks like, as a number.

A paper says "a sawtooth between losses" or "a dip every 10 s" of a curve that it shows. These
are numbers for such words, each of which can come out otherwise: a curve without dips has no
period, and one that no loss shapes has no teeth. All work on samples as they were taken; the
time between those (0.1 s in the lab) must be short against the shape.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from tsqlab.metrics.document import Flow, Trace
from tsqlab.metrics.series import Floats, Samples
from tsqlab.metrics.statistics import percentile

_BRIEF_S = 1.0  # events that lie closer together are one event; a dip lasts no longer
_NEAR_FLOOR = 0.25  # the RTT is near its minimum up to this share of the way to the median
_DIP_DEPTH = 0.25  # a dip is at least this deep, as a share of the RTT beside it
_EVEN = 0.75  # the lower of the RTTs on a dip's two sides, over the higher, is at least this
# A tooth falls and climbs at least so far, as a share of the RTT before the fall and of the RTT at
# the end of the climb.
_TOOTH_DEPTH = 0.1
_STEADY = 0.7  # the correlation of RTT and time on a climb is at least this
_SOON = 1 / 3  # the lowest point is in this first share of a stretch between losses


def dips_s(rtt: Samples) -> list[float]:
    """When the RTT dips to near its minimum and comes straight back.

    Near its minimum is the lowest quarter of the way from there to the median. A dip lasts a
    second at most. The RTT (median) of the second before it and that of the second after are
    within a quarter of each other, and it goes a quarter or more below both; so the fall of a
    sawtooth, which climbs back slowly, is none.
    """
    if not rtt.value.size:
        return []
    floor, usual = float(rtt.value.min()), float(np.median(rtt.value))
    low_s = rtt.t_s[rtt.value <= floor + _NEAR_FLOOR * (usual - floor)]
    events = _events(low_s)
    return [event.begin_s for event in events if _is_dip(rtt, event)]


def dip_period_s(rtt: Samples) -> float | None:
    """The median time from one dip to the next; None with fewer than two dips."""
    return percentile(np.diff(dips_s(rtt)), 50)


def sawtooth(rtt: Samples, retransmits: Samples, drops: Samples) -> float:
    """The share of the stretches between losses in which the RTT is a tooth, 0 to 1.

    A loss is where the cumulative count of *retransmits* grows, or where the queue at the
    sender has *drops*: it tells TCP at once, which slows down, sends the packet later and
    counts no retransmit. What is within a second is one loss. A tooth falls after the loss by
    a tenth or more, has its lowest point in the first third of the stretch, and climbs
    steadily from there, by a tenth or more, until the next loss. One tooth is no sawtooth:
    with fewer than two stretches the share is 0.
    """
    again_s = retransmits.t_s[1:][np.diff(retransmits.value) > 0]
    lost_s = np.union1d(again_s, drops.t_s[drops.value > 0])
    # A queue may drop other flows' packets when this one has ended, or has not begun.
    begin_s, end_s = (rtt.t_s[0], rtt.t_s[-1]) if rtt.t_s.size else (0.0, 0.0)
    losses = _events(lost_s[(lost_s >= begin_s) & (lost_s <= end_s)])
    stretches = list(itertools.pairwise(losses))
    if len(stretches) < 2:
        return 0.0
    return sum(_is_tooth(rtt, *stretch) for stretch in stretches) / len(stretches)


def swing(values: Samples) -> float | None:
    """The 90th percentile of the values over the 10th: how far they swing; 1 for a flat curve."""
    high, low = percentile(values.value, 90), percentile(values.value, 10)
    return high / low if high is not None and low else None


def still_s(values: Samples) -> float | None:
    """The longest time in which the samples stay the same; None with fewer than two."""
    if values.value.size < 2:
        return None
    runs = np.split(values.t_s, np.flatnonzero(np.diff(values.value)) + 1)
    return max(float(run[-1] - run[0]) for run in runs)


@dataclass(frozen=True)
class _Event:
    """What happens in one go."""

    begin_s: float
    end_s: float


def _events(at_s: Floats) -> list[_Event]:
    """Instants that follow each other within a second, taken together."""
    if not at_s.size:
        return []
    parts = np.split(at_s, np.flatnonzero(np.diff(at_s) > _BRIEF_S) + 1)
    return [_Event(float(part[0]), float(part[-1])) for part in parts]


def _is_dip(rtt: Samples, event: _Event) -> bool:
    before = rtt.value[(rtt.t_s >= event.begin_s - _BRIEF_S) & (rtt.t_s < event.begin_s)]
    after = rtt.value[(rtt.t_s > event.end_s) & (rtt.t_s <= event.end_s + _BRIEF_S)]
    if not before.size or not after.size or event.end_s - event.begin_s > _BRIEF_S:
        return False
    lower, higher = sorted((float(np.median(before)), float(np.median(after))))
    bottom = rtt.between(event.begin_s, event.end_s).min()
    return bool(lower >= _EVEN * higher and bottom <= (1 - _DIP_DEPTH) * lower)


def _is_tooth(rtt: Samples, loss: _Event, next_loss: _Event) -> bool:
    before = rtt.between(loss.begin_s - _BRIEF_S, loss.end_s)
    # The sample that has the next loss is left out, because a cwnd has already fallen in it.
    within = (rtt.t_s > loss.begin_s) & (rtt.t_s < next_loss.begin_s)
    if not before.size or not within.any():
        return False
    t_s, value = rtt.t_s[within], rtt.value[within]
    lowest = int(value.argmin())
    climb_s, climb = t_s[lowest:], value[lowest:]
    limit = (1 - _TOOTH_DEPTH) * min(float(before.max()), float(climb.max()))
    soon = t_s[lowest] - loss.begin_s <= _SOON * (next_loss.begin_s - loss.begin_s)
    return bool(soon and climb[0] <= limit and np.corrcoef(climb_s, climb)[0, 1] >= _STEADY)


def _while_flows_run(cell: Trace, samples: Samples) -> Samples:
    runs = (samples.t_s >= cell.begin_s) & (samples.t_s <= cell.end_s)
    return Samples(samples.t_s[runs], samples.value[runs])


def _of_flows(
    series: Callable[[Flow], Samples], shape: Callable[[Flow, Samples], float | None]
) -> Callable[[Trace], float | None]:
    """The median over a cell's TCP flows; None when one of them does not have that shape."""

    def of_cell(cell: Trace) -> float | None:
        flows = [(flow, _while_flows_run(cell, series(flow))) for flow in cell.flows]
        values = [shape(flow, samples) for flow, samples in flows if samples.value.size]
        known = [value for value in values if value is not None]
        return percentile(known, 50) if len(known) == len(values) else None

    return of_cell


def _rtt_ms(flow: Flow) -> Samples:
    return flow.rtt_ms


def _cwnd(flow: Flow) -> Samples:
    return flow.cwnd_packets


def _teeth(flow: Flow, samples: Samples) -> float:
    return sawtooth(samples, flow.retransmits, flow.drops)


SHAPES: Mapping[str, Callable[[Trace], float | None]] = {
    "tcp_rtt_dip_period_s": _of_flows(_rtt_ms, lambda _, rtt_ms: dip_period_s(rtt_ms)),
    "tcp_rtt_sawtooth": _of_flows(_rtt_ms, _teeth),
    "tcp_rtt_swing": _of_flows(_rtt_ms, lambda _, rtt_ms: swing(rtt_ms)),
    "cwnd_sawtooth": _of_flows(_cwnd, _teeth),
    "cwnd_still_s": _of_flows(_cwnd, lambda _, cwnd: still_s(cwnd)),
}
"""The shapes of a cell; the keys are the names that claims use."""
