# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab merge``: the folders of a run's shards become one, with its report."""

from __future__ import annotations

import argparse
from pathlib import Path

from tsqlab.cli.report import show, show_all
from tsqlab.errors import TsqlabError
from tsqlab.experiment.bundled import bundled_experiments
from tsqlab.report import make_report
from tsqlab.runner.merge import Merged, experiments_in, merge


def execute(options: argparse.Namespace) -> None:
    """Merge what is given, make the reports, and say what is missing."""
    found = experiments_in(options.dirs)
    errors = _merge_each(options, found) if "" not in found else _merge_one(options, found[""])
    if errors:
        raise TsqlabError("\n".join(errors))


def _merge_one(options: argparse.Namespace, folders: list[Path]) -> list[str]:
    """Merge one experiment; what it lacks."""
    merged = merge(folders, options.out)
    print(_said(merged))
    if merged.done:
        show(options.out)
    return [] if merged.whole else [_missing(merged)]


def _merge_each(options: argparse.Namespace, found: dict[str, list[Path]]) -> list[str]:
    """Merge each experiment; what each lacks, and what went wrong. It stops no other."""
    errors = []
    for name, folders in found.items():
        try:
            merged = merge(folders, options.out / name)
            print(f"{name}: {_said(merged)}")
            if merged.done:
                make_report(merged.folder)
            if not merged.whole:
                errors.append(_missing(merged))
        except (TsqlabError, OSError) as error:
            errors.append(f"{name}: {error}")
    if found.keys() & bundled_experiments().keys():
        show_all(options.out, reports=False)
    return errors


def _said(merged: Merged) -> str:
    again = f", {merged.again} of which were run more than once, to the same bytes"
    return f"{merged.done} of {merged.cells} cells{again if merged.again else ''}"


def _missing(merged: Merged) -> str:
    left = merged.cells - merged.done
    of = f", of shard {merged.missing}" if merged.missing else ""
    return (
        f"{merged.folder}: {left} of {merged.cells} cells are in none of the folders{of}; merge "
        "those that have them into it, too, or run the experiment on with this folder as --out"
    )
