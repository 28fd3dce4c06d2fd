# SPDX-License-Identifier: GPL-2.0-or-later
"""The README's figure: one upload under three settings of TSQ, the lab beside the paper.

Bars of goodput and median ping of cotsq-3 on the device of its claims, which have the paper's
numbers too. What the paper states as a range is drawn as one, about its middle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from tsqlab.experiment.claims import claims_of
from tsqlab.experiment.stored import Result
from tsqlab.metrics.statistics import Estimate
from tsqlab.report.colours import COLOURS, INK, MUTED, plain
from tsqlab.report.plots.axes import short
from tsqlab.report.plots.figure import new_figure, style, to_svg
from tsqlab.report.plots.stated import Stated
from tsqlab.results.repetitions import over_seeds

EXPERIMENT = "cotsq-3"

# The experiment with the paper's claims about CoTSQ, which is the paper's 6TSQ.
_MORE_CLAIMS = "cotsq-4"
_CAPTION = "One CUBIC upload over the papers' USB radio (`{device}`)"  # what EXPERIMENT is
_WIDTH_IN, _HEIGHT_IN = 7.2, 2.9  # the size of the README's figure
_BAR = 0.36


@dataclass(frozen=True)
class Paper:
    """What the paper says of the figure's bars, by the setting of TSQ."""

    device: str
    goodput_mbps: Mapping[str, Stated]
    ping_ms: Mapping[str, Stated]


def paper() -> Paper:
    """The paper's side, out of its claims. Raises FileError."""
    claims = {claim.id: claim for name in (EXPERIMENT, _MORE_CLAIMS) for claim in claims_of(name)}

    def stated(name: str) -> Stated:
        number = claims[name].stated
        assert number, f"{name} states a number"
        return Stated(*number)

    tsq, none = stated("cotsq-3a-ping"), stated("cotsq-3b-goodput")
    return Paper(
        device=str(claims["cotsq-3a-goodput"].of["device"]),
        # CoTSQ has full goodput, which is what NoTSQ has (cotsq-4b-full).
        goodput_mbps={"TSQ": stated("cotsq-3a-goodput"), "CoTSQ": none, "NoTSQ": none},
        ping_ms={
            "TSQ": tsq,
            "CoTSQ": tsq + stated("cotsq-4b-ping"),  # the claim says how far it is above TSQ
            "NoTSQ": stated("cotsq-3b-ping"),
        },
    )


def headline(results: Sequence[Result]) -> str | None:
    """The figure as an SVG file's text; None when a setting has no result."""
    stated = paper()
    cells = _cells(results, stated)
    if not all(cells.values()):
        return None
    with style():
        figure = new_figure(_WIDTH_IN, _HEIGHT_IN)
        for axes, metric, numbers, label in zip(
            figure.subplots(1, 2), ("goodput_mbps", "ping_ms_p50"),
            (stated.goodput_mbps, stated.ping_ms),
            ("goodput (Mbit/s)", "median ping (ms)"), strict=True,
        ):  # fmt: skip
            _bars(axes, numbers, {tsq: over_seeds(cells[tsq], metric) for tsq in numbers})
            axes.set_ylabel(label)
        handles, names = axes.get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=2)
        return plain(to_svg(figure, "headline", facecolor="white"))


def description(results: Sequence[Result]) -> str:
    """The figure's numbers as text, for those who do not see it."""
    stated = paper()
    parts = []
    for tsq, cells in _cells(results, stated).items():
        goodput, ping = over_seeds(cells, "goodput_mbps"), over_seeds(cells, "ping_ms_p50")
        if goodput and ping:
            parts.append(
                f"{tsq} {short(goodput.mean)} Mbit/s (paper {stated.goodput_mbps[tsq].text}) at "
                f"{short(ping.mean)} ms ({stated.ping_ms[tsq].text})"
            )
    return "; ".join(parts)


def caption() -> str:
    """What was run for the figure."""
    return _CAPTION.format(device=paper().device)


def _cells(results: Sequence[Result], stated: Paper) -> dict[str, list[Result]]:
    """The cells of each bar."""
    return {
        tsq: [cell for cell in results
              if cell.factors.get("tsq") == tsq and cell.factors.get("device") == stated.device]
        for tsq in stated.goodput_mbps
    }  # fmt: skip


def _bars(
    axes: Axes, stated: Mapping[str, Stated], measured: Mapping[str, Estimate | None]
) -> None:
    for place, (tsq, number) in enumerate(stated.items()):
        lab = measured[tsq]
        if lab is None:
            continue
        of_paper, of_lab = place - _BAR / 2, place + _BAR / 2
        named = place == 0
        axes.bar(of_paper, number.middle, _BAR * 0.94, facecolor="white", edgecolor=MUTED,
                 hatch="////", label="the paper" if named else None)  # fmt: skip
        axes.bar(of_lab, lab.mean, _BAR * 0.94, color=COLOURS[0],
                 label="the lab" if named else None)  # fmt: skip
        half = lab.half_width or 0.0
        for x, low, high in (
            (of_paper, number.low, number.high),
            (of_lab, lab.mean - half, lab.mean + half),
        ):
            if high > low:
                axes.errorbar(x, (low + high) / 2, (high - low) / 2, color=INK, capsize=3)
        for x, top, text in (
            (of_paper, number.high, number.text),
            (of_lab, lab.mean + half, short(lab.mean)),
        ):
            axes.annotate(text, (x, top), (0, 3), ha="center", textcoords="offset points",
                          fontsize=8)  # fmt: skip
    axes.set_xticks(range(len(stated)), list(stated))
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="x", visible=False)
    axes.set_ylim(0, 1.12 * axes.get_ylim()[1])
