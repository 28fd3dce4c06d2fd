# SPDX-License-Identifier: GPL-2.0-or-later
"""Where ``tsqlab run`` puts its results, and which cells its options add."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tsqlab.cli import main, run
from tsqlab.experiment.load import load
from tsqlab.runner.batch import Account


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ([], "tptsq-4"),
        (["--kernel", "mine"], "tptsq-4,kernel=mine"),  # as docs/results.md has it
        (["--set", 'kernel="mine"'], "tptsq-4,kernel=mine"),
        (["--set", 'kernel=["6.12", "mine"]', "--seed", "7"], "tptsq-4,kernel=_6.12,_mine_,seed=7"),
        (["--capture", "C>R,S>R"], "tptsq-4,capture=C_R,S_R"),
        (["--today"], "tptsq-4"),  # beside its own cells
    ],
)
def test_a_changed_run_has_a_folder_that_says_so(monkeypatch, options, name):
    asked = SimpleNamespace(out=None)
    monkeypatch.setattr(run, "run_shown", lambda _, out, *__: setattr(asked, "out", out))
    assert main(["run", "tptsq-4", *options]) == 0
    assert asked.out == run.RESULTS / name


class Ran:
    """Runs that leave nothing, and how many own, further and today's cells each had."""

    def __init__(self, monkeypatch):
        self.cells = []
        monkeypatch.setattr(run, "_run_cells", self)
        monkeypatch.setattr(run, "show", lambda _: None)
        monkeypatch.setattr(run, "read_folder", lambda _: None)
        monkeypatch.setattr(run, "unsettled", lambda *_: {})

    def __call__(self, experiment, *_):
        today = sum(cell.today for cell in experiment.cells)
        further = sum(cell.further for cell in experiment.cells)
        self.cells.append((len(experiment.cells) - today, further, today))


def test_today_adds_every_cell_once_more(monkeypatch, tmp_path):
    ran = Ran(monkeypatch)
    out = ["--out", str(tmp_path)]
    own = len(load("cotsq-4").cells)
    assert main(["run", "cotsq-4", "--today", *out]) == 0
    assert ran.cells == [(own, 0, own)], "in one go"


def test_today_comes_after_the_seeds_that_are_added(monkeypatch, tmp_path):
    ran = Ran(monkeypatch)
    out = ["--out", str(tmp_path)]
    own = len(load("cotsq-4").cells)
    assert main(["run", "cotsq-4", "--today", "--more-seeds", "4", *out]) == 0
    assert ran.cells == [(own, 0, 0), (own, 0, own)], "the verdicts are asked before"
    monkeypatch.setattr(run, "unsettled", lambda *_: {(("tsq", "TSQ"),): 2})
    assert main(["run", "cotsq-4", "--today", "--more-seeds", "4", *out]) == 0
    assert ran.cells[2:] == [(own, 0, 0), (own + 2, 4, own + 2)]


@pytest.mark.parametrize("more", [[], ["--more-seeds", "2"]])
def test_where_today_adds_nothing_it_says_so(monkeypatch, tmp_path, capsys, more):
    ran = Ran(monkeypatch)
    assert main(["run", "hosts", "--today", "--out", str(tmp_path), *more]) == 0
    assert ran.cells == [(len(load("hosts").cells), 0, 0)]
    said = "hosts: nothing to add for --today: its matrix has eras: 4.13, today\n"
    assert capsys.readouterr().out == said


@pytest.mark.parametrize(
    ("options", "stages"),
    [([], [0]), (["--today"], [1]), (["--more-seeds", "2"], [0, 0]),
     (["--today", "--more-seeds", "2"], [0, 1])],
)  # fmt: skip
def test_all_experiments_have_them_too(monkeypatch, tmp_path, options, stages):
    Ran(monkeypatch)
    asked = []

    def run_each(experiments, *_):
        experiments = [(name, read()) for name, read in experiments]
        asked.append({name: sum(cell.today for cell in one.cells) for name, one in experiments})
        return {name: Account(name, 0, 0, 0, 0, 0) for name, _ in experiments}

    monkeypatch.setattr(run, "_run_each", run_each)
    monkeypatch.setattr(run, "bundled_experiments", lambda: ["cotsq-4", "hosts"])
    monkeypatch.setattr(run, "show_all", lambda *_, **__: None)
    assert main(["run", "--all", "--out", str(tmp_path), *options]) == 0
    own = len(load("cotsq-4").cells)
    assert [one.get("cotsq-4", 0) for one in asked] == [own * stage for stage in stages]
    assert [one.get("hosts", 0) for one in asked] == [0] * len(stages)
    assert len(asked) < 2 or "hosts" not in asked[1], "it has nothing further to run"
