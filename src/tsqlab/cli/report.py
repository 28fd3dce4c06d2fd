# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab report``: the table and the page of an experiment's folder, of several, or of all."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from tsqlab.errors import TsqlabError, UsageError
from tsqlab.experiment.look import read_style, read_words
from tsqlab.experiment.stored import Folder, read_folder
from tsqlab.report import (
    claims_table,
    flows_table,
    identical_lines,
    summary_table,
    what_ran,
    write_report,
)
from tsqlab.report.against import check_against
from tsqlab.report.combined import read_combined
from tsqlab.report.shown import kept_columns
from tsqlab.results.folder import PCAPS, PROGRAMS, TRACE_SUFFIX, TRACES
from tsqlab.results.look import check_size
from tsqlab.results.means import MEANS
from tsqlab.results.plots import PLOTS, Format, formats_of

RESULTS = Path("results")
"""The folder that runs go to by default."""


def execute(options: argparse.Namespace) -> None:
    """Make the reports that are asked for, and show what is in them."""
    given = [name for name in ("out", "against", "columns", "style", "size", "language")
             if getattr(options, name)]  # fmt: skip
    if options.all:
        if len(options.dirs) > 1 or given:
            what = f"--{given[0]} belongs" if given else "several folders belong"
            raise UsageError(f"{what} to the report of experiments, not to --all")
        _report_all(options)
    elif options.summary or options.readme:
        raise UsageError("--summary and --readme belong to --all")
    elif not options.dirs:
        raise UsageError("give the folder that tsqlab run wrote, or --all")
    elif len(options.dirs) > 1:
        out = options.out or RESULTS / "+".join(path.resolve().name for path in options.dirs)
        show_folder(changed(read_combined(options.dirs, out), options), options.formats)
    elif options.out:
        raise UsageError("--out belongs to the common report of several folders")
    else:
        show_folder(changed(read_folder(options.dirs[0]), options), options.formats)


def changed(content: Folder, options: argparse.Namespace) -> Folder:
    """A folder whose report is as the options say. Raises UsageError."""
    manifest, look, here = content.manifest, content.manifest.look, Path()
    try:
        look = look.model_copy(update={
            **({"style": read_style(options.style, here)} if options.style else {}),
            **({"size": check_size(options.size)} if options.size else {}),
            **({"words": read_words(options.language, here)} if options.language else {}),
        })  # fmt: skip
    except ValueError as error:
        raise UsageError(f"--size: {error}") from None
    against = dict(_level(text) for text in options.against) or manifest.against
    if options.against:
        check_against(content.whole.results, against)
    columns = kept_columns(options.columns) or manifest.columns
    update = {"look": look, "against": against, "columns": columns}
    return replace(content, manifest=manifest.model_copy(update=update))


def _level(text: str) -> tuple[str, str]:
    name, equals, level = text.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"--against {text[:100]}: expected FACTOR=LEVEL, as kernel=6.12")
    return name.strip(), level.strip().strip("\"'")


def _report_all(options: argparse.Namespace) -> None:
    # matplotlib takes half a second, which commands that draw nothing need not wait for.
    from tsqlab.report import readme, totals  # noqa: PLC0415
    from tsqlab.report.pages.overview import read_overview  # noqa: PLC0415

    if options.formats and (options.readme or options.summary):
        raise UsageError(f"--{options.formats[0]} belongs to reports; this makes none")
    path = options.dirs[0] if options.dirs else RESULTS
    if options.readme:
        figure = readme.update_readme(options.readme, read_overview(path))
        print(f"wrote {options.readme} and {figure}")
    elif options.summary:
        write = {"text": totals.totals_text, "markdown": totals.totals_markdown}
        print(write[options.summary](read_overview(path)))
    else:
        show_all(path, formats=options.formats)


def show_all(path: Path, *, reports: bool = True, formats: Collection[Format] = ()) -> None:
    """Make the page of all experiments, and their *reports*; print its totals.

    The reports' plots are made in SVG and *formats*. Raises TsqlabError for damage.
    """
    from tsqlab.report.pages.overview import INDEX, make_overview  # noqa: PLC0415
    from tsqlab.report.totals import totals_text  # noqa: PLC0415

    made = make_overview(path, reports=reports, formats=formats)
    print(totals_text(made))
    print(f"report:  {path / INDEX}")
    if made.errors:
        raise TsqlabError("\n".join(f"{entry.name}: {entry.error}" for entry in made.errors))


def show(path: Path) -> None:
    """Make the report of a folder; print its table and where things are."""
    show_folder(read_folder(path))


def show_folder(content: Folder, formats: Collection[Format] = ()) -> None:
    """Make the report of a folder that has been read; print its table and where things are."""
    path = content.path
    report = write_report(content, formats)
    for line in what_ran(content).lines():
        print(line)
    print(summary_table(content))
    if flows := flows_table(content.whole.results):
        print(flows)
    for line in identical_lines(content):
        print(line)
    if claims := claims_table(content, report):
        print(claims)
    print(f"summary: {path / 'summary.csv'}; means: {path / MEANS}")
    suffixes = ("svg", *formats_of(path, formats))
    print(f"plots:   {path / PLOTS}/{', '.join(f'*.{suffix}' for suffix in suffixes)}")
    if any(cell.pcaps for cell in content.whole.manifest.cells if cell.done):
        print(f"pcaps:   {path / PCAPS}/*.pcap")
    if any(cell.programs for cell in content.whole.manifest.cells if cell.done):
        print(f"printed: {path / PROGRAMS}/*.out, *.err, *.json")
    if any(cell.trace for cell in content.whole.manifest.cells if cell.done):
        print(f"traces:  {path / TRACES}/*{TRACE_SUFFIX}")
    print(f"report:  {report}")
