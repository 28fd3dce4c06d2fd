# SPDX-License-Identifier: GPL-2.0-or-later
"""What programs print over time: one panel for each setting, with an axis for each quantity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from tsqlab.experiment.stored import Result
from tsqlab.metrics.series import Samples
from tsqlab.report.plots.axes import name_axis, set_limits
from tsqlab.report.plots.figure import Plot
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
from tsqlab.report.table import heading

NAME = "printed"

_KIND = Kind(NAME, "What programs print")
_HEIGHTS_IN = {1: 2.4, 2: 3.2}
_QUANTITIES_MAX = 2  # more have no room in a panel


def printed(results: Sequence[Result], _asked: Asked) -> list[Plot]:
    """The panels, in the order of the matrix, of cells in which a program printed a series."""
    found = [result for result in results if any(one.series for one in result.trace.programs)]
    return panels(found, _KIND, _panel, _values) if found else []


def _values(cell: Result) -> Values:
    return {
        column: [thinned(series).value for series in lines.values()]
        for column, lines in _quantities(cell).items()
    }


def _quantities(cell: Result) -> dict[str, dict[str, Samples]]:
    """The first quantities, by the names of their columns: a series for each program."""
    found: dict[str, dict[str, Samples]] = {}
    for program in cell.trace.programs:
        for column, series in program.series.items():
            found.setdefault(column, {})[program.name] = series
    return dict([*found.items()][:_QUANTITIES_MAX])


def _panel(cell: Result, limits: Mapping[str, tuple[float, float]]) -> Figure:
    quantities = _quantities(cell)
    figure, rows = panel_axes(_HEIGHTS_IN[len(quantities)], len(quantities))
    for axes, (column, lines) in zip(rows, quantities.items(), strict=True):
        for program, series in lines.items():
            thin = thinned(series)
            axes.plot(thin.t_s, thin.value, label=program, marker=".", linewidth=0.8)
        set_limits(axes.yaxis, limits[column])
        name, unit = heading(column)
        name_axis(axes.yaxis, f"{name} ({unit})" if unit else name)
        dress(axes, cell)
    rows[-1].set_xlabel(say("time (s)"))
    panel_legend(figure)
    return figure
