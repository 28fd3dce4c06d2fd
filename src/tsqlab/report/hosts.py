# SPDX-License-Identifier: GPL-2.0-or-later
"""The README's table of hosts: one upload as the papers' hosts sent, and as one of today sends."""

from __future__ import annotations

from collections.abc import Sequence

from tsqlab.experiment.era import ERAS
from tsqlab.experiment.stored import Result
from tsqlab.report.plots.axes import short
from tsqlab.results.repetitions import over_seeds

EXPERIMENT = "hosts"

_HEAD = ("host", "TSQ", "goodput, Mbit/s", "median ping, ms", "frames in an aggregate")
_METRICS = ("goodput_mbps", "ping_ms_p50", "aggregate_mean")
_HOSTS = {"4.13": 'of the papers: `era = "4.13"`', "today": 'of today: `era = "today"`'}
_NAMES = {"shift=7": "`{ shift = 7 }`, as mac80211 sets"}


def hosts_markdown(results: Sequence[Result]) -> str:
    """A row of Markdown for each era and TSQ setting, means over the seeds; empty for no result."""
    if not results:
        return ""
    lines = [_HEAD, ("---", "---", *("---:" for _ in _METRICS))]
    settings = dict.fromkeys(str(result.factors["tsq"]) for result in results)
    for era in ERAS:
        for tsq in settings:
            cells = [cell for cell in results
                     if (cell.factors["era"], cell.factors["tsq"]) == (era, tsq)]  # fmt: skip
            if cells:
                lines.append((_HOSTS.get(era, era), _NAMES.get(tsq, tsq), *_numbers(cells)))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _numbers(cells: Sequence[Result]) -> list[str]:
    estimates = [over_seeds(cells, metric) for metric in _METRICS]
    return [short(estimate.mean) if estimate else "" for estimate in estimates]
