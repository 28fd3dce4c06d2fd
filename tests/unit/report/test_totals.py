# SPDX-License-Identifier: GPL-2.0-or-later
"""How many claims hold, as tables."""

import re
from pathlib import Path

import pytest

from folders import results
from tsqlab.cli import main
from tsqlab.report.pages.overview import read_overview
from tsqlab.report.totals import totals_markdown, totals_text


def test_totals_add_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    overview = read_overview(results(tmp_path))
    head, *rows = (re.split(r"  +", line.strip()) for line in totals_text(overview).splitlines())
    assert head == ["paper", "claims", "holds", "differs", "not run"]
    assert rows[-1][0] == "all"
    for column in range(1, 5):
        assert sum(int(row[column]) for row in rows[:-1]) == int(rows[-1][column])
    for row in rows:
        assert int(row[1]) == sum(map(int, row[2:]))
    assert main(["report", "--all", str(tmp_path), "--summary", "markdown"]) == 0
    printed = capsys.readouterr().out
    assert printed == totals_markdown(overview) + "\n"
    assert "| `cotsq`: Adapting TCP Small Queues" in printed
    assert not (tmp_path / "index.html").exists(), "it makes nothing"
