# SPDX-License-Identifier: GPL-2.0-or-later
"""How many claims hold, as tables."""

import re
from dataclasses import fields, replace
from pathlib import Path

import pytest

from folders import results
from tsqlab.cli import main
from tsqlab.report.claims import ClaimRow
from tsqlab.report.pages.overview import read_overview
from tsqlab.report.totals import totals_markdown, totals_text


def row(**changes: object) -> ClaimRow:
    texts = dict.fromkeys((one.name for one in fields(ClaimRow)), "")
    return ClaimRow(**texts | {"outcome": "differs", "fitted": False} | changes)  # type: ignore[arg-type]


def test_totals_by_cause_are_of_what_is_counted(tmp_path: Path) -> None:
    overview = read_overview(tmp_path)
    claims = [
        row(cause="no-loss"), row(cause="bbr-age"), row(cause="bbr-age"), row(),
        row(cause="bbr-age", apart="the same as x"), row(apart="y fitted to it", fitted=True),
        row(outcome="holds", cause=""),
    ]  # fmt: skip
    made = replace(overview, entries=[replace(overview.entries[0], claims=claims)])
    assert [(name, number) for name, _, number in made.causes] == [
        ("bbr-age", 2), ("no-loss", 1), ("", 1),
    ]  # fmt: skip
    assert made.count() == {"differs": 4, "holds": 1}
    assert made.left_out.startswith("Of 7 claims 1 that values were fitted to and 1 that another")


def test_totals_add_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    overview = read_overview(results(tmp_path))
    table, causes = (
        [re.split(r"  +", line.strip()) for line in part.splitlines()]
        for part in totals_text(overview).split("\n\n")
    )
    head, *rows, (left_out,) = table
    assert head == ["paper", "claims", "holds", "differs", "not run"]
    assert rows[-1][0] == "all"
    for column in range(1, 5):
        assert sum(int(row[column]) for row in rows[:-1]) == int(rows[-1][column])
    for row in rows:
        assert int(row[1]) == sum(map(int, row[2:]))
    count = len(overview.rows)
    assert left_out == (
        f"Of {count} claims 1 that values were fitted to and 1 that another one has said of "
        "the same cells are not counted."
    )
    assert int(rows[-1][1]) == count - 2
    assert causes[0] == ["differs by", "claims"]
    assert sum(int(row[-1]) for row in causes[1:]) == int(rows[-1][3]), "each that differs once"
    assert main(["report", "--all", str(tmp_path), "--summary", "markdown"]) == 0
    printed = capsys.readouterr().out
    assert printed == totals_markdown(overview) + "\n"
    assert "| `cotsq`: Adapting TCP Small Queues" in printed
    assert not (tmp_path / "index.html").exists(), "it makes nothing"
