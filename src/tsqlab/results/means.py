# SPDX-License-Identifier: GPL-2.0-or-later
"""means.csv: a row per setting, the means over its seeds that figures and tables show.

Three columns for each metric: the mean, how far the 95 % confidence interval goes to either side
of it (empty for a single seed), and of how many cells. Where settings are compared to one, three
more have the difference, paired by seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tsqlab.metrics.statistics import Estimate
from tsqlab.results.paired import Against, Cell, difference, pairs
from tsqlab.results.repetitions import by_setting, over_seeds
from tsqlab.results.summary import METRICS, format_number, further_metrics, write_table

MEANS = "means.csv"

_OF_A_RUN = ("sim_s", "wall_s")  # what says nothing of a setting
_PARTS = ("", "_ci95", "_n")


def write_means(path: Path, cells: Sequence[Cell], against: Against) -> None:
    """Write the means of a folder's cells. Raises TsqlabError."""
    groups = by_setting(cells)
    factors = list(dict.fromkeys(name for setting in groups for name, _ in setting))
    candidates = [*(name for name in METRICS if name not in _OF_A_RUN), *further_metrics(cells)]
    metrics = [name for name in candidates
               if any(cell.metrics.get(name) is not None for cell in cells)]  # fmt: skip
    compared = pairs(cells, against) if against else {}
    names = [name for metric in metrics
             for name in (metric, *([f"{metric}_diff"] if against else []))]  # fmt: skip
    lines = [[*factors, *(f"{name}{part}" for name in names for part in _PARTS)]]
    for setting, own in groups.items():
        levels = dict(setting)
        fields = [str(levels.get(name, "")) for name in factors]
        for metric in metrics:
            fields += _fields(over_seeds(own, metric))
            if against:
                fields += _fields(difference(compared.get(setting, []), metric))
        lines.append(fields)
    write_table(path, lines)


def _fields(value: Estimate | None) -> Iterator[str]:
    if value is None:
        yield from ("", "", "0")
    else:
        yield from (format_number(value.mean), format_number(value.half_width), str(value.n))
