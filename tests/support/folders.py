# SPDX-License-Identifier: GPL-2.0-or-later
"""Results made up for tests: an experiment's folder as a run leaves it, and cells out of one."""

from __future__ import annotations

import gzip
import html.parser
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from synthetic import record
from tsqlab.experiment.load import Experiment, load
from tsqlab.experiment.profile import Airlink, load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.stored import Result, plain
from tsqlab.experiment.today import with_today
from tsqlab.report.plots.kinds import KINDS
from tsqlab.results.flent import Document, to_flent
from tsqlab.results.record import Level
from tsqlab.results.summary import SummaryRow, summary_row, write_summary

PAGE_MAX_BYTES = 5_000_000

Factors = Mapping[str, Level]

MATRIX: list[Factors] = [
    {"bottleneck": bottleneck, "tsq": tsq, "seed": seed}
    for bottleneck in ("L10M", "R100M")
    for tsq in ("TSQ", "NoTSQ")
    for seed in (1, 2, 3)
]


def written(
    folder: Path, matrix: Sequence[Factors] = MATRIX, test: str = "tcp_nup", **manifest: Any
) -> Path:
    """An experiment's folder as the runner leaves it, of cells that all measured the same."""
    packed, row = _packed(test), _row(test)
    cells, rows = [], []
    for factors in matrix:
        name = ",".join(f"{key}={level}" for key, level in factors.items())
        name = re.sub(r"[^\w.,=+-]+", "_", name) or "cell"
        (folder / f"{name}.flent.gz").write_bytes(packed)
        cells.append({"id": name, "key": "0123", "factors": dict(factors), "state": "done",
                      "file": f"{name}.flent.gz", "wall_s": 4.25})  # fmt: skip
        rows.append(replace(row, factors=factors))
    names = list(matrix[0])
    write_summary(folder / "summary.csv", names, rows)
    content = {
        "experiment": "made-up",
        "title": "A made-up experiment",
        "paper": "tp-tsq",
        "figure": "5a",
        "comment": "Expected: nothing at all.\nOn two lines.",
        "plots": list(KINDS),
        "latency": "tcp_rtt_ms",
        "factors": names,
        "kernels": [{"id": "0123abcd", "release": "6.12.48", "hz": 1000}],
        "cells": cells,
    }
    (folder / "manifest.json").write_text(json.dumps(content | manifest))
    return folder


@cache
def _document(test: str) -> Document:
    """What every made-up cell of a test measured. It is shared, and so nobody may change it."""
    return to_flent(record(test))


@cache
def _packed(test: str) -> bytes:
    return _pack(_document(test))


@cache
def _row(test: str) -> SummaryRow:
    return summary_row({}, _document(test), 4.25)


def _pack(document: Document) -> bytes:
    """A result file, quickly: as small as can be and safe on the disk is what write_flent() is for.

    Its keys are in the same order as there.
    """
    return gzip.compress(json.dumps(document, sort_keys=True).encode(), 1, mtime=0)


class Page(html.parser.HTMLParser):
    """What a page links to, and whether its tags match."""

    VOID = frozenset({"meta", "br", "use", "path", "rect"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "src", "xlink:href"):
                self.links.append(value or "")
            self.references += re.findall(r"url\(#([^)]*)\)", value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag


def results(
    folder: Path, name: str = "cotsq-3", overrides: Sequence[str] = (), *, today: bool = False
) -> Path:
    """Made-up results of an experiment, two seeds of it, in *folder*: all measured the same.

    *name* is that of a bundled experiment, or a file. With *today* its cells are there once more.
    """
    experiment = load(name, overrides)
    experiment = with_today(experiment) if today else experiment
    cells = [cell for cell in experiment.cells if cell.spec.lab.seed in (1, 2)]
    own = folder / experiment.name
    own.mkdir(parents=True)
    written(
        own, [cell.factors for cell in cells], experiment=experiment.name,
        title=experiment.spec.title, paper=experiment.spec.paper, figure=experiment.spec.figure,
        plots=["goodput-latency"],
        kernels=[{"id": "0123abcd", "release": "6.12.1", "hz": 1000, "version": "6.12"}],
    )  # fmt: skip
    document = _document("tcp_nup")
    metadata = document["metadata"]
    for cell, profile in zip(experiment.cells, experiment.profiles(), strict=True):
        if cell in cells:
            lab = metadata["TSQLAB"] | {"spec": plain(cell.spec), "device": plain(profile)}
            content = document | {"metadata": metadata | {"TSQLAB": lab}}
            (own / f"{cell.id}.flent.gz").write_bytes(_pack(content))
    if today:
        _mark_today(own / "manifest.json", experiment)
    return folder


def _mark_today(path: Path, experiment: Experiment) -> None:
    """Say in a manifest which of its cells are those of today, as a run does."""
    manifest = json.loads(path.read_text("utf-8"))
    marks = {cell.id: {"today": True} for cell in experiment.cells if cell.today}
    manifest["cells"] = [cell | marks.get(cell["id"], {}) for cell in manifest["cells"]]
    path.write_text(json.dumps(manifest | {"era": experiment.spec.lab.era}), "utf-8")


RADIO = Airlink.model_validate({
    "kind": "airlink", "title": "made up", "front": "fullmac", "band": "5 GHz",
    "rate": "HT40 MCS7 SGI", "aggregate_frames": 17, "ethernet": load_profile("gigabit"),
    "access_point": load_profile("ath9k_3x3").model_copy(update={"rate": "HT40 MCS23 SGI"}),
})  # fmt: skip


def spec_of(tsq: Any, testbed: Mapping[str, Any] | None = None, **sender: Any) -> Spec:
    """A cell's specification over RADIO, under a TSQ setting."""
    return Spec.model_validate({
        "title": "made up",
        "testbed": {"layout": "wifi", "base_rtt": "2.5 ms", **(testbed or {})},
        "sender": {"tsq": tsq, **sender},
    })  # fmt: skip


def cell(template: Result, tsq: Any, seed: int = 1, **metrics: float) -> Result:
    """A cell under a TSQ setting, with those metrics in place of its own."""
    name = tsq if isinstance(tsq, str) else str(tsq)
    factors = {"tsq": name, "seed": seed}
    return Result(
        name, factors, "", template.trace, {**template.metrics, **metrics}, "6.12.1",
        spec_of(tsq), RADIO,
    )  # fmt: skip
