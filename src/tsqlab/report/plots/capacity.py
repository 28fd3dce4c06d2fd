# SPDX-License-Identifier: GPL-2.0-or-later
"""What links carry that vary, beside what flows get of it, and how long it takes.

One panel for each setting: goodput before the capacity of each wire whose rate varies, the SNR of
each radio link's if any does, and the latency.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tsqlab.experiment.stored import Result
from tsqlab.experiment.vary_series import Varied, varied
from tsqlab.metrics.series import Samples
from tsqlab.report.plots.axes import GOODPUT, LABELS, name_axis, set_limits
from tsqlab.report.plots.figure import Plot, colour, muted
from tsqlab.report.plots.look import say
from tsqlab.report.plots.panels import (
    Kind,
    Values,
    dress,
    panel_axes,
    panel_legend,
    panels,
    thinned,
)
from tsqlab.report.plots.stated import Asked

NAME = "capacity"

_KIND = Kind(NAME, "Capacity, goodput and latency", may_be_log=("latency",))
_ROW_IN = 1.45
_STYLES = ("-", "--", "-.", ":")
_LATENCY_COLOUR = 2


def capacity(results: Sequence[Result], asked: Asked) -> list[Plot]:
    """The panels, in the order of the matrix, of cells with a link that varies."""
    changing = [result for result in results if _series(result)]
    if not changing:
        return []
    draw = partial(_panel, latency=asked.latency)
    return panels(changing, _KIND, draw, partial(_values, latency=asked.latency))


def _series(cell: Result) -> list[Varied]:
    return varied(cell.spec) if cell.spec else []


def _of(cell: Result, what: str) -> list[Varied]:
    return [one for one in _series(cell) if one.what == what]


def _latencies(cell: Result, latency: str) -> list[Samples]:
    if latency == "ping_ms":
        return [thinned(ping) for ping in cell.trace.pings.values()]
    return [thinned(flow.rtt_ms) for flow in cell.trace.flows if len(flow.rtt_ms.t_s)]


def _goodputs(cell: Result) -> list[tuple[str, Samples]]:
    both = {"upload": cell.trace.goodput_mbps("up"), "download": cell.trace.goodput_mbps("down")}
    return [(name, thinned(samples)) for name, samples in both.items() if len(samples.t_s)]


def _values(cell: Result, latency: str) -> Values:
    wires, radios = _of(cell, "capacity_mbps"), _of(cell, "snr_db")
    return {
        "rate": [*(one.value for one in wires), *(got.value for _, got in _goodputs(cell))],
        **({"snr": [one.value for one in radios]} if radios else {}),
        "latency": [samples.value for samples in _latencies(cell, latency)],
    }


def _panel(cell: Result, limits: Mapping[str, tuple[float, float]], latency: str) -> Figure:
    radios = _of(cell, "snr_db")
    figure, (above, *middle, below) = panel_axes(_ROW_IN * (3 if radios else 2), 3 if radios else 2)
    _rates(above, cell)
    for axes in middle:
        for place, one in enumerate(radios):
            _steps(axes, cell, one, place, f"{say('SNR')} {one.link}")
        set_limits(axes.yaxis, limits["snr"])
        name_axis(axes.yaxis, say("SNR (dB)"))
    for samples in _latencies(cell, latency):
        below.plot(samples.t_s, samples.value, color=colour(_LATENCY_COLOUR), linestyle="-")
    set_limits(above.yaxis, limits["rate"])
    set_limits(below.yaxis, limits["latency"])
    name_axis(above.yaxis, say(GOODPUT), length_in=1.0)
    name_axis(below.yaxis, say(LABELS[latency]), length_in=1.0)
    below.set_xlabel(say("time (s)"))
    for axes in (above, *middle, below):
        dress(axes, cell)
    panel_legend(figure)
    return figure


def _rates(axes: Axes, cell: Result) -> None:
    for place, one in enumerate(_of(cell, "capacity_mbps")):
        _steps(axes, cell, one, place, f"{say('capacity')} {one.link}")
    for place, (name, samples) in enumerate(_goodputs(cell)):
        axes.plot(samples.t_s, samples.value, color=colour(place), label=say(name), linestyle="-")


def _steps(axes: Axes, cell: Result, one: Varied, place: int, name: str) -> None:
    """What holds from each instant on, to the end of the cell."""
    t_s = np.append(one.t_s + cell.trace.begin_s, cell.trace.total_s)
    axes.plot(t_s, np.append(one.value, one.value[-1]), drawstyle="steps-post", linewidth=1.0,
              color=muted(), linestyle=_STYLES[place % len(_STYLES)], label=name)  # fmt: skip
