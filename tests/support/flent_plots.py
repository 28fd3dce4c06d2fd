# SPDX-License-Identifier: GPL-2.0-or-later
"""Flent's own plotter, to see that it draws what the lab wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

flent_plotters = pytest.importorskip("flent.plotters")
flent_resultset = pytest.importorskip("flent.resultset")
flent_settings = pytest.importorskip("flent.settings")


def plotted(path: Path, plot: str, output: str = "plot.png") -> Any:
    """Flent's plotter, as `flent -i PATH -f plot -p PLOT -o OUTPUT` has it when it has drawn."""
    settings = flent_settings.new()
    settings.OUTPUT = output
    flent_plotters.init_matplotlib(output, use_markers=False, load_rc=True)
    results = flent_resultset.load(str(path))
    settings.update(results.meta())
    settings.load_test(informational=True)
    settings.compute_missing_results(results)
    settings.PLOT = plot
    plotter = flent_plotters.new(settings, results=[results])
    plotter.init()
    plotter.plot([results])
    return plotter
