# SPDX-License-Identifier: GPL-2.0-or-later
"""The list of papers: what it says, and that the tree agrees with it."""

from pathlib import Path

import pytest

from tsqlab.errors import FileError
from tsqlab.experiment.bundled import bundled_experiments
from tsqlab.experiment.load import load
from tsqlab.experiment.papers import papers, read_papers
from tsqlab.paths import ROOT


def test_the_papers_come_in_the_order_of_their_pages() -> None:
    assert list(papers()) == ["cotsq", "lwn", "tp-tsq", "aggregating", "wqm", "tsqlab"]
    assert papers()["tp-tsq"].doi == "10.1109/ACCESS.2021.3113891"


@pytest.mark.parametrize("name", bundled_experiments())
def test_an_experiment_lies_in_its_papers_folder(name: str) -> None:
    paper = load(name).spec.paper
    assert paper in papers()
    assert bundled_experiments()[name].parent.name == paper


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
