# SPDX-License-Identifier: GPL-2.0-or-later
"""How latency is distributed: the share of samples that are at most so long.

The samples are all those of a setting while its flows ran, of all seeds together. A panel has a
line for each level of the factor that varies fastest in the matrix, and there are as many
panels as the others have combinations, all with the same axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from tsqlab.experiment.stored import Result
from tsqlab.metrics.series import Floats
from tsqlab.report.plots.axes import LABELS, name_axis, scale
from tsqlab.report.plots.candlesticks import factor_name, samples_of
from tsqlab.report.plots.figure import (
    MARKERS,
    PANEL_WIDTH_IN,
    Plot,
    add_legend,
    new_figure,
    to_plot,
)
from tsqlab.report.plots.look import say
from tsqlab.report.plots.lost import lost_entry, mark_lost
from tsqlab.report.plots.panels import PANELS_MAX
from tsqlab.report.plots.stated import Asked
from tsqlab.report.table import many_lost
from tsqlab.results.repetitions import by_setting, level_texts, varying

NAME = "cdf"

_HEIGHT_IN = 3.1
_SHARES = np.linspace(0, 1, 201)
_SHOWN_MAX = 0.995  # the share of the samples that is shown; the last few would squeeze the others
_STYLES = 6  # how many lines differ without a marker


@dataclass(frozen=True, eq=False)
class _Line:
    """One setting's distribution."""

    latency: Floats  # at each of _SHARES
    lost: bool  # whether it is of pings of which many have no answer


def cdf(results: Sequence[Result], asked: Asked) -> list[Plot]:
    """The panels, if any cell has that latency."""
    latency = asked.latency
    groups = _curves(results, latency)
    factor = "".join(varying(list(by_setting(results)))[-1:])
    shown = [
        line.latency[_SHARES <= _SHOWN_MAX] for lines in groups.values() for line in lines.values()
    ]
    plots: list[Plot] = []
    for group, lines in list(groups.items())[:PANELS_MAX]:
        figure = _panel(group, lines, latency, shown, factor)
        title = group or say(LABELS[latency])
        description = f"Cumulative distribution of {LABELS[latency]}: {title}."
        name = f"{NAME}-{len(plots)}"
        plots.append(to_plot(figure, name, title, description, titled=bool(group)))
    return plots


def _curves(results: Sequence[Result], latency: str) -> dict[str, dict[str, _Line]]:
    """The distributions, by panel and line."""
    settings = by_setting(results)
    names = varying(list(settings))
    groups: dict[str, dict[str, _Line]] = {}
    for setting, cells in settings.items():
        samples = np.concatenate([samples_of(cell, latency) for cell in cells])
        if samples.size:
            *others, last = level_texts(setting, names) or ("",)
            line = _Line(np.percentile(samples, 100 * _SHARES), many_lost(cells, latency))
            groups.setdefault(", ".join(others), {})[last] = line
    return groups


def _panel(
    group: str, lines: Mapping[str, _Line], latency: str, shown: Sequence[Floats], factor: str
) -> Figure:
    several = len(lines) > 1
    names = [f"{factor_name(factor)}: {name}" if not place else name
             for place, name in enumerate(lines)] if several else []  # fmt: skip
    handle, text = lost_entry()
    lost = [line for line in lines.values() if line.lost]
    names += [text] if lost else []
    figure = new_figure(PANEL_WIDTH_IN, _HEIGHT_IN, names)
    axes = figure.subplots()
    for place, line in enumerate(lines.values()):
        marked = place >= _STYLES
        axes.plot(line.latency, _SHARES, markevery=(10, 40), fillstyle="none",
                  marker=MARKERS[place // _STYLES - 1] if marked else "")  # fmt: skip
    handles = [*(axes.lines if several else []), *([handle] if lost else [])]
    for line in lost:
        mark_lost(axes, float(np.interp(0.5, _SHARES, line.latency)), 0.5)
    scale(axes.xaxis, shown)
    axes.set_ylim(0, 1)
    axes.set_title(group)
    name_axis(axes.xaxis, say(LABELS[latency]))
    axes.set_ylabel(say("share of samples"))
    add_legend(figure, handles, names)
    return figure
