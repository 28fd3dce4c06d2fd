# SPDX-License-Identifier: GPL-2.0-or-later
"""The README's table of hosts: one upload as the papers' hosts sent, and as one of today sends."""

from __future__ import annotations

from collections.abc import Sequence

from tsqlab.experiment.stored import Result
from tsqlab.report.plots.axes import short
from tsqlab.report.table import markdown
from tsqlab.results.repetitions import over_seeds

EXPERIMENT = "hosts"

_HOSTS = {"4.13": "papers' host", "today": "today's host"}  # by era, in the order of the columns
_METRICS = {
    "goodput_mbps": "Mbit/s",
    "ping_ms_p50": "ping, ms",
    "aggregate_mean": "frames in an aggregate",
}
_NAMES = {"shift=7": "`{ shift = 7 }`: what mac80211 sets today"}


def hosts_markdown(results: Sequence[Result]) -> str:
    """A row of Markdown for each TSQ setting, means over the seeds; empty without results."""
    if not results:
        return ""
    settings = dict.fromkeys(str(result.factors["tsq"]) for result in results)
    first, *others = _METRICS.values()
    head = [text for host in _HOSTS.values() for text in (f"{host}: {first}", *others)]
    rows = ([_NAMES.get(tsq, tsq), *_numbers(results, tsq)] for tsq in settings)
    return markdown(["TSQ", *head], rows)


def _numbers(results: Sequence[Result], tsq: str) -> list[str]:
    texts = []
    for era in _HOSTS:
        cells = [cell for cell in results
                 if (cell.factors["era"], cell.factors["tsq"]) == (era, tsq)]  # fmt: skip
        means = [over_seeds(cells, metric) for metric in _METRICS]
        texts += [short(mean.mean) if mean else "" for mean in means]
    return texts
