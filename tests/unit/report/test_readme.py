# SPDX-License-Identifier: GPL-2.0-or-later
"""What the README has of the results."""

from pathlib import Path

import pytest

from folders import results
from tsqlab.cli import main
from tsqlab.experiment.load import load
from tsqlab.paths import ROOT
from tsqlab.report.pages.overview import read_overview
from tsqlab.report.plots import headline
from tsqlab.report.readme import update_readme
from tsqlab.report.totals import totals_markdown

NAME = "cotsq-3"

README = """# x

<!-- results: made by `make readme` -->
old
<!-- end of results -->

the rest
"""


def test_the_readme_is_made_between_its_marks(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    readme = tmp_path / "README.md"
    readme.write_text(README)
    overview = read_overview(results(results(tmp_path / "results"), "hosts"))
    figure = update_readme(readme, overview)
    text = readme.read_text()
    assert text.startswith("# x\n\n<!-- results: made by")
    assert text.endswith("<!-- end of results -->\n\nthe rest\n")
    assert "\nold\n" not in text
    assert "(docs/headline.svg)" in text
    assert totals_markdown(overview) in text
    head = "| TSQ | papers' host: Mbit/s | ping, ms | frames in an aggregate | today's host: Mbit/s"
    assert head in text
    assert "| `{ shift = 7 }`: what mac80211 sets today |" in text
    svg = figure.read_text()
    assert svg.startswith("<svg")
    assert "var(" not in svg, "nothing there governs its colours"
    for words in ("TSQ", "CoTSQ", "NoTSQ", "the paper", "the lab", "90-95"):
        assert f">{words}</text>" in svg
    before = readme.read_text(), svg
    update_readme(readme, overview)
    assert (readme.read_text(), figure.read_text()) == before, "the same again"


def test_a_readme_without_a_place_or_a_result_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("# x\n")
    arguments = ["report", "--all", str(tmp_path), "--readme", str(readme)]
    assert main(arguments) == 2
    assert "no place for the results" in capsys.readouterr().err
    readme.write_text(README)
    assert main(arguments) == 1
    assert f"no results of {NAME} for the figure" in capsys.readouterr().err
    assert main(["report", "--all", str(results(tmp_path)), "--readme", str(readme)]) == 1
    assert "no results of hosts for the table; tsqlab run hosts" in capsys.readouterr().err
    assert readme.read_text() == README


def test_our_readme_has_the_place() -> None:
    text = (ROOT / "README.md").read_text()
    assert "<!-- results: made by `make readme` -->\n" in text
    assert "<!-- end of results -->" in text
    assert (ROOT / "docs" / "headline.svg").exists()


def test_the_figures_paper_is_what_the_claims_say() -> None:
    paper = headline.paper()
    assert paper.device == "ath9k_htc"
    assert {tsq: number.text for tsq, number in paper.goodput_mbps.items()} == {
        "TSQ": "44", "CoTSQ": "90-95", "NoTSQ": "90-95",
    }  # fmt: skip
    assert {tsq: number.text for tsq, number in paper.ping_ms.items()} == {
        "TSQ": "1-4", "CoTSQ": "3-6", "NoTSQ": "35",
    }  # fmt: skip


def test_the_caption_is_what_the_experiment_runs() -> None:
    cells = [cell.spec for cell in load(headline.EXPERIMENT).cells]
    assert headline.caption().startswith(
        "One CUBIC upload over the papers' USB radio (`ath9k_htc`)"
    )
    assert {(spec.flows.test, spec.flows.streams) for spec in cells} == {("tcp_nup", 1)}
    assert {spec.sender.congestion_control for spec in cells} == {"cubic"}
    assert headline.paper().device in {spec.testbed.device for spec in cells}
