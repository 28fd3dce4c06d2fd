# SPDX-License-Identifier: GPL-2.0-or-later
"""A results folder as DataFrames of pandas: cells, series and claims (docs/pandas.md).

What a number means has its owner elsewhere: metrics are those of summary.csv, series those of a
cell's file, verdicts those of the report. Units are in the names of columns and quantities.
"""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from tsqlab.dataframes.claims import claims_frame
from tsqlab.dataframes.library import library
from tsqlab.dataframes.sampled import series_frame
from tsqlab.dataframes.settings import cells_frame
from tsqlab.experiment.stored import Folder, read_folder

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Results", "read_results"]


def read_results(path: str | PathLike[str]) -> Results:
    """The results in a folder. Raises FileError for what is no such folder, and TsqlabError."""
    library()
    return Results(read_folder(Path(fspath(path))))


class Results:
    """An experiment's folder, as it was when it was opened.

    Each method makes a frame of its own, which may be changed freely.
    """

    def __init__(self, folder: Folder) -> None:
        """Hold what has been read; ``tsqlab.open()`` reads it."""
        self.folder = folder

    def __repr__(self) -> str:
        """The experiment, and how many of its cells are done."""
        whole = self.folder.whole
        done = f"{len(whole.results)} of {len(whole.manifest.cells)} cells"
        return f"<tsqlab.Results of {self.folder.manifest.experiment}: {done}, {self.folder.path}>"

    def cells(self) -> pd.DataFrame:
        """A row for each cell, done or not, in the experiment's order.

        The index is ``cell``, its name. The columns are, in this order:

        - the factors, as the experiment's matrix has them; their levels are texts or numbers;
        - ``done``, a boolean, and ``kernel``, the release that it ran;
        - the metrics of summary.csv (docs/results.md), floats whose names end in their unit:
          ``_mbps`` is Mbit/s, ``_ms``, ``_s``; a ``_share`` is of 1. NaN is a number that the cell
          does not have, or that it has not been run for;
        - what the cell was specified to be, a column ``TABLE.KEY`` for each key of
          docs/experiments.md that is one value, with a unit at the end of those that have one:
          ``flows.length_s``, ``testbed.base_rtt_s``, ``testbed.loss_percent``. None where the file
          says nothing.

        A folder of ``tsqlab run --today`` has the factor ``era`` too, and the cells of both eras.
        """
        return cells_frame(self.folder.whole)

    def series(self, *quantities: str, wide: bool = False) -> pd.DataFrame:
        """What was sampled over time, of all cells that are done.

        *quantities* are names of docs/pandas.md, such as ``goodput_mbps``, ``tcp_rtt_ms`` and
        ``ping_ms``; none: all that there is. Raises UsageError for a name that these results do not
        have.

        Long, it has a row for each sample: ``cell``; the factors, which with ``cell``,
        ``quantity``, ``of`` and ``node`` are categories; ``quantity``; ``of``, the flow, ping,
        radio or wire by the name that the cell's file has for it, as "TCP upload::1"; ``node``,
        whose it is: the sender's of a flow; ``t_s``, seconds since the measurement began, virtual
        time; and ``value``, in the unit that the quantity's name ends in.

        *wide*, its index is ``t_s`` and its columns are (cell, quantity, of): NaN where there is
        no sample at just that instant. Pings have their own instants, when answers came.
        """
        return series_frame(self.folder.whole, quantities, wide=wide)

    def claims(self) -> pd.DataFrame:
        """A row for each claim of a paper about the experiment, and for each context of it.

        The index is ``claim``, its name. ``context`` has the levels of factors that vary and that
        the claim does not name; ``statement`` and ``paper`` are the paper's words and its number;
        ``quantity`` and ``compare`` what is asked (docs/claims.md); ``lower`` and ``upper`` the
        accepted range, ends included, and ``lab``, ``lab_low``, ``lab_high`` the lab's number with
        the ends of its 95 % interval, all floats in ``unit``; ``seeds`` how many gave it;
        ``verdict`` is "holds", "differs", "not comparable" or "not run", and ``note`` what is to be
        added; ``cause`` names why it differs (experiments/causes.toml); ``counted`` is False of
        what the totals leave out; ``kernel`` are the releases that its cells ran. ``today_lab`` and
        ``today_verdict`` are those over hosts of today, where ``--today`` ran them.

        An experiment that no paper claims anything of has no rows.
        """
        return claims_frame(self.folder)
