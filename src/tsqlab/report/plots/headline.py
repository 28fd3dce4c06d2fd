# SPDX-License-Identifier: GPL-2.0-or-later
"""The README's figure: one upload under three settings of TSQ, the lab beside the paper.

Bars of goodput and median ping of cotsq-3 on ath9k_htc. What the paper states as a range is
drawn as one, about its middle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tsqlab.experiment.stored import Result
from tsqlab.metrics.statistics import Estimate
from tsqlab.report.plots.axes import short
from tsqlab.report.plots.figure import COLOURS, INK, MUTED, plain, style, to_svg
from tsqlab.results.repetitions import over_seeds

EXPERIMENT = "cotsq-3"

_DEVICE = "ath9k_htc"
_SIZE_IN = (7.2, 2.9)
_BAR = 0.36


@dataclass(frozen=True)
class Stated:
    """A number of the paper."""

    low: float
    high: float
    text: str

    @property
    def middle(self) -> float:
        """Where a bar of it ends."""
        return (self.low + self.high) / 2


# Of the paper's list: cotsq-3a and 3b; CoTSQ as 4b has it, "full goodput, ping only 2 ms above
# TSQ".
_GOODPUT = {
    "TSQ": Stated(44, 44, "44"),
    "CoTSQ": Stated(90, 95, "90-95"),
    "NoTSQ": Stated(90, 95, "90-95"),
}
_PING = {
    "TSQ": Stated(1, 4, "1-4"),
    "CoTSQ": Stated(3, 6, "3-6"),
    "NoTSQ": Stated(35, 35, "35"),
}


def headline(results: Sequence[Result]) -> str | None:
    """The figure as an SVG file's text; None when a setting has no result."""
    cells = {
        tsq: [cell for cell in results
              if cell.factors.get("tsq") == tsq and cell.factors.get("device") == _DEVICE]
        for tsq in _GOODPUT
    }  # fmt: skip
    if not all(cells.values()):
        return None
    with style():
        figure = Figure(figsize=_SIZE_IN, layout="constrained", facecolor="white")
        for axes, metric, stated, label in zip(
            figure.subplots(1, 2), ("goodput_mbps", "ping_ms_p50"), (_GOODPUT, _PING),
            ("goodput (Mbit/s)", "median ping (ms)"), strict=True,
        ):  # fmt: skip
            _bars(axes, stated, {tsq: over_seeds(cells[tsq], metric) for tsq in stated})
            axes.set_ylabel(label)
        handles, words = axes.get_legend_handles_labels()
        figure.legend(handles, words, loc="outside upper center", ncols=2)
        return plain(to_svg(figure, "headline", facecolor="white"))


def in_words(results: Sequence[Result]) -> str:
    """The same for those who do not see it."""
    own = [cell for cell in results if cell.factors.get("device") == _DEVICE]
    parts = []
    for tsq, stated in _GOODPUT.items():
        cells = [cell for cell in own if cell.factors.get("tsq") == tsq]
        goodput, ping = over_seeds(cells, "goodput_mbps"), over_seeds(cells, "ping_ms_p50")
        if goodput and ping:
            parts.append(
                f"{tsq} {short(goodput.mean)} Mbit/s (paper {stated.text}) at "
                f"{short(ping.mean)} ms ({_PING[tsq].text})"
            )
    return "; ".join(parts)


def _bars(
    axes: Axes, stated: Mapping[str, Stated], measured: Mapping[str, Estimate | None]
) -> None:
    for at, (tsq, paper) in enumerate(stated.items()):
        lab = measured[tsq]
        if lab is None:
            continue
        named = at == 0
        axes.bar(at - _BAR / 2, paper.middle, _BAR * 0.94, facecolor="white", edgecolor=MUTED,
                 hatch="////", label="the paper" if named else None)  # fmt: skip
        axes.bar(at + _BAR / 2, lab.mean, _BAR * 0.94, color=COLOURS[0],
                 label="the lab" if named else None)  # fmt: skip
        half = lab.half_width or 0.0
        for x, low, high in (
            (at - _BAR / 2, paper.low, paper.high),
            (at + _BAR / 2, lab.mean - half, lab.mean + half),
        ):
            if high > low:
                axes.errorbar(x, (low + high) / 2, (high - low) / 2, color=INK, capsize=3)
        for x, top, text in (
            (at - _BAR / 2, paper.high, paper.text),
            (at + _BAR / 2, lab.mean + half, short(lab.mean)),
        ):
            axes.annotate(text, (x, top), (0, 3), ha="center", textcoords="offset points",
                          fontsize=8)  # fmt: skip
    axes.set_xticks(range(len(stated)), list(stated))
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="x", visible=False)
    axes.set_ylim(0, 1.12 * axes.get_ylim()[1])
