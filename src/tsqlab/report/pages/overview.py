# SPDX-License-Identifier: GPL-2.0-or-later
"""index.html: all bundled experiments on one page.

The folder has one of each experiment's results, as ``tsqlab run --all`` leaves them. What has
not been run is there too, its claims "not run"; other folders beside them are linked only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from urllib.parse import quote

from tsqlab.errors import FileError, TsqlabError
from tsqlab.experiment.bundled import bundled_experiments
from tsqlab.experiment.causes import causes
from tsqlab.experiment.load import load
from tsqlab.experiment.papers import papers
from tsqlab.experiment.stored import Folder, read_folder
from tsqlab.report import hosts
from tsqlab.report.claims import RARE, ClaimRow, claim_rows, totals, totals_today
from tsqlab.report.pages.experiment import REPORT, fill, write_report
from tsqlab.report.plots import headline
from tsqlab.report.since import changed, holds_today, judged
from tsqlab.report.table import distinct
from tsqlab.report.verdicts import OUTCOMES, Outcome
from tsqlab.results.files import write_whole
from tsqlab.results.folder import MANIFEST, Manifest, ManifestCell, read_manifest
from tsqlab.results.plots import Format
from tsqlab.results.repetitions import SEED

INDEX = "index.html"


@dataclass(frozen=True)
class Entry:
    """An experiment on the page."""

    name: str
    title: str
    paper: str
    figure: str
    link: str  # the link to its report; empty while there is none
    cells: int
    done: int
    simulated_s: float
    claims: Sequence[ClaimRow]
    run: Mapping[str, str] = field(default_factory=dict)  # what was run, as text for each column
    error: str = ""

    @property
    def source(self) -> str:
        """The paper and its figure."""
        return f"{self.paper}, {self.figure}" if self.figure else self.paper


@dataclass(frozen=True)
class Overview:
    """All experiments, and what is taken out of their results on the way."""

    path: Path
    entries: list[Entry]
    headline: str | None  # the README's figure
    headline_text: str  # the figure's numbers, for those who do not see the figure
    hosts: str  # the README's table of hosts; empty without results
    others: list[tuple[str, str]]  # the name and the link of each further folder

    @property
    def rows(self) -> list[ClaimRow]:
        """Every claim, those among them that are not counted."""
        return [row for entry in self.entries for row in entry.claims]

    def count(self, paper: str | None = None) -> Counter[Outcome]:
        """How many claims hold, differ and were not run, of one paper or of all."""
        return Counter(row.outcome for row in self._of(paper) if not row.apart)

    @property
    def has_today(self) -> bool:
        """Whether any claim has a verdict of today's hosts beside its own."""
        return any(row.today for row in self.rows)

    def holds_today(self, paper: str | None = None) -> str:
        """How many claims hold over hosts of today, of one paper or of all."""
        return holds_today(self._of(paper))

    @property
    def judged(self) -> list[ClaimRow]:
        """The claims that have a verdict in both eras."""
        return judged(self.rows)

    @property
    def changed(self) -> list[Entry]:
        """The experiments some of whose verdicts have changed, each with these claims only."""
        found = (replace(entry, claims=changed(entry.claims)) for entry in self.entries)
        return [entry for entry in found if entry.claims]

    def _of(self, paper: str | None) -> list[ClaimRow]:
        return [row for entry in self.entries for row in entry.claims
                if paper in (None, entry.paper)]  # fmt: skip

    @property
    def left_out(self) -> str:
        """How many claims are not counted, and why, as a sentence; empty if none."""
        fitted = sum(row.fitted for row in self.rows)
        copies = sum(bool(row.apart) for row in self.rows) - fitted
        of_fits = f"{fitted} that values were fitted to" if fitted else ""
        of_copies = f"{copies} that another one has said of the same cells" if copies else ""
        why = " and ".join(filter(None, [of_fits, of_copies]))
        return f"Of {len(self.rows)} claims {why} are not counted." if why else ""

    @property
    def causes(self) -> list[tuple[str, str, int]]:
        """How many claims differ by each cause that any does: its name, what it is, how many.

        The last is of those that name none, where there are any.
        """
        count = Counter(row.cause for row in self.rows
                        if row.outcome == "differs" and not row.apart)  # fmt: skip
        named = [(name, cause.title, count[name]) for name, cause in causes().items()]
        return [one for one in [*named, ("", "no cause is named", count[""])] if one[2]]

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What to count. That a run is not the paper's is a column only where there is one."""
        count = self.count()
        return tuple(one for one in OUTCOMES if count[one] or one not in RARE)

    @property
    def papers(self) -> list[str]:
        """The papers that have a claim, in the order of papers()."""
        found = dict.fromkeys(entry.paper for entry in self.entries if entry.claims)
        return sorted(found, key=[*papers(), *found].index)

    @property
    def errors(self) -> list[Entry]:
        """The experiments whose results cannot be read."""
        return [entry for entry in self.entries if entry.error]


def read_overview(path: Path, each: Callable[[Folder], object] = lambda _: None) -> Overview:
    """Read a folder of results, one experiment at a time; *each* is given what was read.

    Raises FileError when there is no such folder. What is wrong with one experiment's results
    is said in its entry.
    """
    if not path.is_dir():
        raise FileError(path, "no such folder; give the one that tsqlab run --all wrote")
    entries, figure, numbers, table = [], None, "", ""
    for name in sorted(bundled_experiments(), key=_place):
        folder, error = _folder(path / name, name)
        if folder.results and not error:
            try:
                each(folder)
            except TsqlabError as wrong:
                error = str(wrong)
        if name == headline.EXPERIMENT:
            figure = headline.headline(folder.results)
            numbers = headline.description(folder.results)
        if name == hosts.EXPERIMENT:
            table = hosts.hosts_markdown(folder.results)
        entries.append(_entry(folder, name, error))
    return Overview(path, entries, figure, numbers, table, list(_others(path)))


def _place(name: str) -> tuple[int, list[tuple[int, str]]]:
    """Where an experiment stands on the page: by paper, and agg-10 after agg-9."""
    paper = bundled_experiments()[name].parent.name
    order = [*papers(), paper].index(paper)
    return order, [(int(part or 0), text) for text, part in re.findall(r"(\D+)(\d*)", name)]


def _folder(path: Path, name: str) -> tuple[Folder, str]:
    """The experiment's folder, or one in which nothing has been run, and what is wrong."""
    error = ""
    if (path / MANIFEST).exists():
        try:
            return read_folder(path), ""
        except TsqlabError as wrong:
            error = str(wrong)
    try:
        experiment = load(name)
    except TsqlabError as wrong:
        return Folder(path, Manifest(experiment=name, title=name, cells=[]), ()), str(wrong)
    spec = experiment.spec
    manifest = Manifest(
        experiment=name, title=spec.title, paper=spec.paper, figure=spec.figure,
        cells=[ManifestCell(id=cell.id, factors=dict(cell.factors), state="waiting")
               for cell in experiment.cells],
    )  # fmt: skip
    return Folder(path, manifest, ()), error


def _entry(folder: Folder, name: str, error: str) -> Entry:
    manifest, results = folder.whole.manifest, folder.whole.results
    columns: Mapping[str, Sequence[object]] = {
        "Linux": [result.release for result in results],
        "patches of": [kernel.version for kernel in manifest.kernels if results],
        "profiles": [result.spec.testbed.device for result in results if result.spec],
        "seeds": [result.factors.get(SEED, "") for result in results],
    }
    try:
        claims = claim_rows(folder)
    except TsqlabError as wrong:
        claims, error = (), error or str(wrong)
    return Entry(
        name=name,
        title=manifest.title,
        paper=manifest.paper,
        figure=manifest.figure,
        link=f"./{quote(name)}/{REPORT}" if (folder.path / REPORT).exists() else "",
        cells=len(manifest.cells),
        done=len(results),
        simulated_s=sum(result.trace.total_s for result in results),
        claims=claims,
        run={column: distinct(values) for column, values in columns.items()},
        error=error,
    )


def _others(path: Path) -> Iterator[tuple[str, str]]:
    known = bundled_experiments()
    for folder in sorted(path.iterdir()):
        if folder.name not in known and (folder / REPORT).exists():
            try:
                title = read_manifest(folder).title
            except TsqlabError:
                continue
            yield f"{folder.name}: {title}", f"./{quote(folder.name)}/{REPORT}"


def make_overview(
    path: Path, *, reports: bool = True, formats: Collection[Format] = ()
) -> Overview:
    """Make index.html, and every experiment's report anew unless told not to. Raises FileError.

    The plots of reports are made in SVG and *formats*.
    """
    write = partial(write_report, formats=formats)
    overview = read_overview(path, write) if reports else read_overview(path)
    write_whole(path / INDEX, render(overview).encode())
    return overview


def render(overview: Overview) -> str:
    """The page as text."""
    return fill(
        "overview.html",
        overview=overview,
        papers=papers(),
        outcomes=overview.outcomes,
        totals=totals(overview.rows),
        totals_today=totals_today(overview.rows) if overview.has_today else "",
        run=[entry for entry in overview.entries if entry.done],
        waiting=[entry for entry in overview.entries if not entry.done],
        simulated_h=sum(entry.simulated_s for entry in overview.entries) / 3600,
        cells=sum(entry.done for entry in overview.entries),
    )
