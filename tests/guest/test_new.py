# SPDX-License-Identifier: GPL-2.0-or-later
"""Each file of ``tsqlab new`` runs as it is; here for as long as it takes to see that."""

import pytest

from tsqlab.cli import main
from tsqlab.experiment.starters import starters
from tsqlab.experiment.stored import read_folder

SHORT = {"flows": ["--set", 'flow.page.start="1 s"']}


@pytest.mark.parametrize("kind", starters())
def test_a_starter_runs(kind, kernel, tmp_path, monkeypatch):
    assert kernel, "a run would build it"
    monkeypatch.chdir(tmp_path)
    assert main(["new", "--like", kind]) == 0
    short = ["--set", 'length="4 s"', *SHORT.get(kind, ())]
    assert main(["run", "mine.toml", "--jobs", "1", *short, "--out", "out"]) == 0
    folder = read_folder(tmp_path / "out")
    assert folder.results
    assert not folder.unfinished
    columns = folder.manifest.columns or ["goodput_mbps", "ping_ms_p50"]
    assert [name for name in columns if all(one.metrics.get(name) is None for one in folder.results)
            ] == []  # fmt: skip
