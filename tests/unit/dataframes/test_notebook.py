# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/notebook.ipynb: its cells run over results of the experiment that it names.

They run one after the other in one namespace, as in Jupyter; nothing of it is needed, so nothing
in them may be IPython's own. Outputs are not kept: they would be of the release that somebody ran
last, and nobody reads the difference of two pictures.
"""

import json

import pytest

from folders import results
from tsqlab.paths import ROOT

pytest.importorskip("pandas", reason="there is no pandas")

CELLS = json.loads((ROOT / "docs" / "notebook.ipynb").read_text())["cells"]


def code():
    return ["".join(cell["source"]) for cell in CELLS if cell["cell_type"] == "code"]


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """The names that the notebook's cells leave."""
    import matplotlib as mpl  # noqa: PLC0415

    mpl.use("agg")
    results(tmp_path / "results")
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path / "docs")
    names = {}
    for number, text in enumerate(code(), 1):
        exec(compile(text, f"notebook.ipynb, code cell {number}", "exec"), names)
    return names


def test_its_cells_run(ran):
    assert list(ran["means"].index) == ["TSQ", "CoTSQ", "NoTSQ"]
    assert ran["means"]["goodput_mbps", "mean"].to_numpy() == pytest.approx(30)
    assert ran["busy"]["t_s"].min() >= ran["begin"]
    assert [line.get_label() for line in ran["axes"].lines] == ["TSQ", "CoTSQ", "NoTSQ"]
    assert len(ran["claims"]) == 4


def test_no_output_is_kept():
    kept = [cell for cell in CELLS if cell.get("outputs") or cell.get("execution_count")]
    assert kept == []
    assert len({cell["id"] for cell in CELLS}) == len(CELLS)


def test_it_names_the_experiment_that_it_is_of():
    assert 'RESULTS = "../results/cotsq-3"' in code()[0]
