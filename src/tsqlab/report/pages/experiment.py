# SPDX-License-Identifier: GPL-2.0-or-later
"""report.html: an experiment on one page.

The page holds all it needs, its style and its plots, and asks no network for anything; the
result files beside it are linked. What comes from data is escaped by the template engine,
and the plots' texts by matplotlib.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from tsqlab.errors import FileError
from tsqlab.experiment.claims import claims_of
from tsqlab.experiment.papers import cited
from tsqlab.experiment.stored import Folder, releases
from tsqlab.report.against import level_text
from tsqlab.report.claims import ClaimRow, claim_rows, totals, totals_today
from tsqlab.report.colours import plain
from tsqlab.report.flows import flow_lines
from tsqlab.report.identical import identical
from tsqlab.report.limits import COLUMN, limit_rows, limited_by
from tsqlab.report.pages.testbed import Picture, picture_of
from tsqlab.report.plots.figure import drawn_in
from tsqlab.report.plots.kinds import KINDS, Section, draw
from tsqlab.report.ran import what_ran
from tsqlab.report.shown import beside_of, columns_of
from tsqlab.report.since import changed, judged
from tsqlab.report.table import (
    LOST_NOTE,
    MANY_MARK,
    factor_names,
    heading,
    known,
    summary_lines,
    usual_columns,
)
from tsqlab.results.files import make_folder, write_whole
from tsqlab.results.folder import MANIFEST, PCAPS, PROGRAMS, TRACES, ManifestCell
from tsqlab.results.means import MEANS, write_means
from tsqlab.results.plots import PLOTS, Format, formats_of
from tsqlab.results.repetitions import by_setting
from tsqlab.results.summary import format_number, write_summary

REPORT = "report.html"
SUMMARY = "summary.csv"
TESTBED = "testbed.svg"
"""The testbed's picture, among the plots."""

_KERNEL = "Linux"
"""The heading of the column that says which kernel a number is of."""

# A page with hundreds of cells is to stay below 5 MB. Its plots may take this much of that.
_PLOTS_MAX_BYTES = 4_000_000
_TEMPLATES = Path(__file__).parent


def write_report(content: Folder, formats: Collection[Format] = ()) -> Path:
    """Make an experiment's page, and its plots beside it, in SVG and in *formats* as well.

    Raises FileError.
    """
    folder, whole = content.path, content.whole
    manifest = whole.manifest
    _check_plots(folder, manifest.plots)
    make_folder(folder)  # results of several folders have paths that start there
    claims = claim_rows(content)
    with drawn_in(formats_of(folder, formats)):
        sections = _sections(content, claims)
    picture = picture_of(whole)
    page = _render(content, claims, fitting(sections), picture)
    factors = list(dict.fromkeys(name for cell in manifest.cells for name in cell.factors))
    write_summary(folder / SUMMARY, factors, [result.row() for result in whole.results])
    write_means(folder / MEANS, whole.results, manifest.against)
    plots = folder / PLOTS
    make_folder(plots)
    if picture:
        write_whole(plots / TESTBED, picture.file.encode())
    for section in sections:
        for number, plot in enumerate(section.plots, 1):
            for suffix, data in (("svg", plain(plot.svg).encode()), *plot.files.items()):
                write_whole(plots / f"{section.name}-{number}.{suffix}", data)
    write_whole(folder / REPORT, page.encode())
    return folder / REPORT


def fitting(sections: Sequence[Section]) -> list[Section]:
    """The sections with no more plots than a page has room for.

    Each section may use an equal part of what the sections before it have left; the first plot
    of each is always there.
    """
    left, kept = _PLOTS_MAX_BYTES, []
    for number, section in enumerate(sections):
        share = left // (len(sections) - number)
        sizes = list(accumulate(len(plot.svg.encode()) for plot in section.plots))
        fit = max(1, sum(size <= share for size in sizes))
        left -= sizes[:fit][-1] if sizes else 0
        left_out = section.left_out + len(section.plots) - len(section.plots[:fit])
        kept.append(replace(section, plots=section.plots[:fit], left_out=left_out))
    return kept


def _check_plots(folder: Path, names: Sequence[str]) -> None:
    for name in names:
        if name not in KINDS:
            message = f'no plot "{name}"; there are {", ".join(KINDS)}'
            raise FileError(folder / MANIFEST, message, key="plots")


def fill(template: str, **content: Any) -> str:
    """A page of one of the templates here, its style in it."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = Markup(
        (_TEMPLATES / "report.css").read_text("utf-8")
    )  # our own file, which needs no escaping
    return environment.get_template(template).render(style=style, **content)


def _render(
    folder: Folder,
    claims: Sequence[ClaimRow],
    sections: Sequence[Section],
    picture: Picture | None,
) -> str:
    """The page as text."""
    manifest, whole = folder.manifest, folder.whole
    return fill(
        "report.html",
        manifest=manifest,
        ran=what_ran(folder),
        testbed=picture,
        identical=identical(folder),
        claims=claims,
        totals=totals(claims),
        sections=sections,
        since=manifest.era,
        totals_today=totals_today(claims) if folder.today else "",
        judged=judged(claims),
        changed=changed(claims),
        summary=_summary(whole),
        flows=flow_lines(whole.results),
        limits=_limits(whole),
        cells=_cells(whole),
        citation=cited()[manifest.paper].citation if manifest.paper in cited() else "",
    )


def _sections(folder: Folder, rows: Sequence[ClaimRow]) -> list[Section]:
    manifest = folder.manifest
    outcomes = {row.id: row.outcome for row in rows}
    # A paper's numbers are drawn into its own run only, be it a part of it.
    own = ("holds", "differs", *(["not run"] if "not comparable" not in outcomes.values() else []))
    claims = [claim for claim in claims_of(manifest.experiment) if outcomes.get(claim.id) in own]
    return [draw(name, folder.results, manifest.latency, claims, manifest.look)
            for name in manifest.plots]  # fmt: skip


def _summary(folder: Folder) -> Mapping[str, Any]:
    """The table of settings."""
    rows = [result.row() for result in folder.results]
    head, units, *body = summary_lines(rows, columns_of(folder), beside_of(folder))
    factors = len(factor_names(rows))
    settings = by_setting(folder.results).values()
    kernels, limits = map(releases, settings), [limited_by(cells) for cells in settings]
    return {
        "factors": [*head[:factors], _KERNEL],
        "columns": [
            *zip(head[factors:], units[factors:], strict=True),
            *([(COLUMN, "")] if any(limits) else []),
        ],
        "in_words": any(limits),  # the last column
        "note": LOST_NOTE
        if any(text.endswith(MANY_MARK) for line in body for text in line)
        else "",
        "against": level_text(folder.manifest.against),
        "rows": [
            [*line[:factors], kernel, *line[factors:], *([limit] if any(limits) else [])]
            for line, kernel, limit in zip(body, kernels, limits, strict=True)
        ],
        "seeds": max((len(cells) for cells in by_setting(rows).values()), default=0),
    }


def _limits(folder: Folder) -> Mapping[str, Any]:
    """The table of what limited each flow."""
    rows = limit_rows(folder.results)
    factors = list(dict.fromkeys(name for row in rows for name, _ in row.setting))
    return {
        "factors": factors,
        "rows": [([str(dict(row.setting).get(name, "")) for name in factors], row) for row in rows],
    }


def _cells(folder: Folder) -> Mapping[str, Any]:
    """The table of cells, those that are not done among them."""
    manifest = folder.manifest
    results = {result.id: result for result in folder.results}
    factors = list(dict.fromkeys([*manifest.factors, *(name for cell in manifest.cells
                                                       for name in cell.factors)]))  # fmt: skip
    # There is no room for more; summary.csv has them all.
    columns = known(folder.results, [*usual_columns(folder.results), "retransmits"])
    rows = []
    for cell in manifest.cells:
        result = results.get(cell.id)
        rows.append({
            "id": cell.id,
            "state": cell.state,
            "link": f"./{quote(result.file)}" if result else "",
            "pcaps": _pcaps(cell) if result else [],
            "programs": _printed(cell) if result else [],
            "trace": f"./{TRACES}/{quote(cell.trace)}" if result and cell.trace else "",
            "factors": [
                *(str(cell.factors.get(name, "")) for name in factors),
                result.release if result else "",
            ],
            "numbers": [format_number(result.metrics.get(name)) for name in columns]
            if result else [],
        })  # fmt: skip
    return {
        "factors": [*factors, _KERNEL],
        "columns": [heading(name) for name in columns],
        "rows": rows,
        "captured": any(row["pcaps"] for row in rows),
        "printed": any(row["programs"] for row in rows),
        "traced": any(row["trace"] for row in rows),
    }


def _printed(cell: ManifestCell) -> list[tuple[str, str, str]]:
    """What the programs of a cell left: whose, which of its files, and where."""
    return [(name, Path(file).suffix, f"./{PROGRAMS}/{quote(file)}")
            for name, files in cell.programs.items() for file in files]  # fmt: skip


def _pcaps(cell: ManifestCell) -> list[tuple[str, str]]:
    """The captures beside a cell: of what, and where."""
    return [(name, f"./{PCAPS}/{quote(file)}") for name, file in cell.pcaps.items()]
