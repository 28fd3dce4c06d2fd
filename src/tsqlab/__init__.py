# SPDX-License-Identifier: GPL-2.0-or-later
"""tsqlab: the real Linux TCP stack in virtual time over modelled links.

Packages are layers: each imports only from those below it. tests/unit/test_layers.py has their
order, with a sentence for each; docs/architecture.md is the map of the whole checkout.

``tsqlab.open()`` gives a results folder as DataFrames (docs/pandas.md).
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing's own takes a few milliseconds, which every command would wait for
if TYPE_CHECKING:
    from os import PathLike

    from tsqlab.dataframes import Results

__version__ = "0.1.0"


def open(path: str | PathLike[str]) -> Results:
    """The results in a folder that ``tsqlab run`` wrote, as frames of pandas (docs/pandas.md).

    Raises UsageError for a folder that has no results, or damaged ones, and TsqlabError where there
    is no pandas; both are in tsqlab.errors.
    """
    # pandas and pydantic take a second, which neither a command nor an import waits for.
    from tsqlab.dataframes import read_results  # noqa: PLC0415

    return read_results(path)
