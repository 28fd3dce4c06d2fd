# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of single flows, where an experiment has several of its own: a row for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tsqlab.metrics.document import Own, Trace
from tsqlab.report.table import aligned, format_estimate, heading
from tsqlab.results.repetitions import by_setting, over_seeds

if TYPE_CHECKING:
    from tsqlab.experiment.stored import Result

_QUANTITIES = ("goodput_mbps", "fct_s", "tcp_rtt_ms_p50", "ping_ms_p50", "retransmits")
FLOW, WAY = "flow", "from, to"


@dataclass(frozen=True)
class FlowLines:
    """The table as text."""

    factors: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]  # names and units of what is measured
    # The levels, which flow it is, its way, and its numbers.
    rows: tuple[tuple[tuple[str, ...], str, str, tuple[str, ...]], ...]


def flow_lines(results: Sequence[Result]) -> FlowLines:
    """The flows of each setting, means over its seeds; none where no cell has several."""
    if all(len(_own(result.trace)) < 2 for result in results):
        return FlowLines((), (), ())
    settings = by_setting(results)
    quantities = [name for name in _QUANTITIES if any(
        result.metrics.get(f"{name}_{own.number}") is not None
        for result in results for own, _ in _own(result.trace)
    )]  # fmt: skip
    factors = tuple(dict.fromkeys(name for setting in settings for name, _ in setting))
    rows = [
        (
            tuple(str(dict(setting).get(name, "")) for name in factors),
            f"{own.number} {own.name}".rstrip(),
            f"{protocol} {own.sender} → {own.receiver}",
            tuple(_text(cells, f"{name}_{own.number}") for name in quantities),
        )
        for setting, cells in settings.items()
        for own, protocol in _own(cells[0].trace)
    ]
    return FlowLines(factors, tuple(map(heading, quantities)), tuple(rows))


def flows_table(results: Sequence[Result]) -> str:
    """The table for the terminal; empty where no cell has several flows of its own."""
    table = flow_lines(results)
    if not table.rows:
        return ""
    head = [*table.factors, FLOW, WAY, *(name for name, _ in table.columns)]
    units = [*("" for _ in table.factors), "", "", *(unit for _, unit in table.columns)]
    body = [[*levels, flow, way, *numbers] for levels, flow, way, numbers in table.rows]
    return "\n".join(aligned([head, units, *body], left=len(table.factors) + 2))


def _own(cell: Trace) -> list[tuple[Own, str]]:
    """The flows of a cell's own, in the file's order, and what each is of."""
    flows = [(flow.own, flow.series.partition(" ")[0]) for flow in cell.flows if flow.own]
    pings = [(own, "ping") for own in cell.own_pings.values()]
    return sorted([*flows, *pings], key=lambda found: found[0].number)


def _text(cells: Sequence[Result], name: str) -> str:
    value = over_seeds(cells, name)
    if not value:
        return ""
    # A flow that has not completed, say, is in no mean: that of the others is of the fast ones.
    some = f" ({value.n} of {len(cells)})" if value.n < len(cells) else ""
    return format_estimate(value) + some
