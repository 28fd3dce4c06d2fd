# SPDX-License-Identifier: GPL-2.0-or-later
"""What people look at: plots, the report's page, and tables for the terminal."""

from collections.abc import Collection
from pathlib import Path

from tsqlab.experiment.stored import Folder, read_folder
from tsqlab.report.claims import claims_table
from tsqlab.report.flows import flows_table
from tsqlab.report.identical import identical_lines
from tsqlab.report.ran import what_ran
from tsqlab.report.shown import summary_table
from tsqlab.report.table import format_table
from tsqlab.results.plots import Format

__all__ = [
    "claims_table",
    "flows_table",
    "format_table",
    "identical_lines",
    "make_report",
    "summary_table",
    "what_ran",
    "write_report",
]


def make_report(folder: Path) -> Path:
    """Make report.html of an experiment's folder; returns where it is. Raises FileError."""
    return write_report(read_folder(folder))


def write_report(folder: Folder, formats: Collection[Format] = ()) -> Path:
    """Make report.html of a folder that has been read; returns where it is. Raises FileError.

    Its plots are made in SVG and *formats*.
    """
    # matplotlib takes half a second, which commands that draw nothing need not wait for.
    from tsqlab.report.pages import experiment  # noqa: PLC0415

    return experiment.write_report(folder, formats)
