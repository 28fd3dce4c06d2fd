# SPDX-License-Identifier: GPL-2.0-or-later
"""The list of papers: what it says, and that the tree agrees with it."""

from pathlib import Path

import pytest

from tsqlab import __version__
from tsqlab.cli import main
from tsqlab.errors import FileError
from tsqlab.experiment.bundled import bundled_experiments
from tsqlab.experiment.load import load
from tsqlab.experiment.papers import cited, papers, read_papers
from tsqlab.paths import ROOT


def test_the_papers_come_in_the_order_of_their_pages() -> None:
    own = ["tsqlab", "gallery", "stock-knobs"]
    assert list(papers()) == ["cotsq", "lwn", "tp-tsq", "aggregating", "wqm", *own]
    assert list(cited()) == list(papers())[: -len(own)]
    assert papers()["tp-tsq"].doi == "10.1109/ACCESS.2021.3113891"


@pytest.mark.parametrize("name", bundled_experiments())
def test_an_experiment_lies_in_its_papers_folder(name: str) -> None:
    paper = load(name).spec.paper
    assert paper in papers()
    assert bundled_experiments()[name].parent.name == paper


def test_a_paper_can_be_cited() -> None:
    paper = papers()["tp-tsq"]
    assert paper.citation == (
        "Carlo Augusto Grazia, Martin Klapez, Maurizio Casoni. New TCP Modules on the Block: A "
        "Performance Evaluation of TCP Pacing and TCP Small Queues. IEEE Access, vol. 9, "
        "pp. 129329-129336, 2021, doi:10.1109/ACCESS.2021.3113891."
    )
    entry = paper.bibtex("tp-tsq").splitlines()
    assert entry[0] == "@article{tp-tsq,"
    assert "  author = {Carlo Augusto Grazia and Martin Klapez and Maurizio Casoni}," in entry
    assert "  pages = {129329--129336}," in entry
    assert papers()["aggregating"].bibtex("aggregating").count("=") == 1, "nothing is made up"


def test_the_list_has_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    assert papers()["lwn"].title in capsys.readouterr().out
    assert main(["list", "--bibtex"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("\n@") == len(cited()), "and tsqlab itself"
    assert f"version = {{{__version__}}}" in printed


def test_the_citation_has_the_version() -> None:
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_the_docs_cite_all_of_them() -> None:
    text = " ".join((ROOT / "docs" / "claims.md").read_text().split())
    assert [name for name, paper in cited().items() if paper.citation not in text] == []


def test_the_docs_name_all_of_them() -> None:
    (line,) = (line for line in (ROOT / "docs" / "experiments.md").read_text().splitlines()
               if line.startswith("| `paper`, `figure`"))  # fmt: skip
    assert all(f"`{name}`" in line for name in papers())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a]\nb = ?\n", r"papers\.toml:2: not TOML"),
        ('[a]\nvenue = "x"', r"a\.title: field required"),
        ('[a]\ntitle = "x"\nwriters = ["y"]', r"a\.writers: extra inputs"),
    ],
)
def test_a_mistake_in_the_list_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "papers.toml"
    path.write_text(text)
    with pytest.raises(FileError, match=message):
        read_papers(path)
    with pytest.raises(FileError, match="cannot be read"):
        read_papers(tmp_path / "nowhere.toml")
