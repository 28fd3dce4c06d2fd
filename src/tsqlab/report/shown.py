# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of a folder's settings: its columns, and differences beside them where asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tsqlab.errors import UsageError
from tsqlab.experiment.stored import Folder
from tsqlab.report.against import compared, differences, level_text
from tsqlab.report.table import Beside, format_table, known, usual_columns
from tsqlab.results.summary import METRICS, further_metrics, is_metric


def columns_of(folder: Folder) -> list[str]:
    """The metrics that the table of a folder shows. Raises UsageError for one that there is not."""
    own = further_metrics(folder.results)
    for name in folder.manifest.columns:
        if not is_metric(name) or (name not in METRICS and name not in own):
            raise UsageError(
                f'columns: no metric "{name}"; there are {", ".join([*METRICS, *own])}'
            )
    return known(folder.results, folder.manifest.columns or usual_columns(folder.results))


def beside_of(folder: Folder) -> Mapping[str, Beside]:
    """The columns of differences, by the metric that they stand beside. Raises UsageError."""
    against, columns = folder.manifest.against, folder.manifest.columns
    if not against:
        return {}
    heading = f"− {level_text(against)}"
    return {
        name: Beside(heading, differences(folder.results, against, name))
        for name in columns_of(folder)
        if compared(name, columns)
    }


def summary_table(folder: Folder) -> str:
    """The table for the terminal, today's cells among the others. Raises UsageError."""
    folder = folder.whole
    rows = [result.row() for result in folder.results]
    return format_table(rows, columns_of(folder), beside_of(folder))


def kept_columns(names: Sequence[str]) -> list[str]:
    """The columns of an option, "a,b" or "a" "b"."""
    return [part.strip() for name in names for part in name.split(",") if part.strip()]
