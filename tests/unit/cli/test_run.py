# SPDX-License-Identifier: GPL-2.0-or-later
"""Where ``tsqlab run`` puts its results."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tsqlab.cli import main, run


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ([], "tptsq-4"),
        (["--kernel", "mine"], "tptsq-4,kernel=mine"),  # as docs/results.md has it
        (["--set", 'kernel="mine"'], "tptsq-4,kernel=mine"),
        (["--set", 'kernel=["6.12", "mine"]', "--seed", "7"], "tptsq-4,kernel=_6.12,_mine_,seed=7"),
        (["--capture", "C>R,S>R"], "tptsq-4,capture=C_R,S_R"),
    ],
)
def test_a_changed_run_has_a_folder_that_says_so(monkeypatch, options, name):
    asked = SimpleNamespace(out=None)
    monkeypatch.setattr(run, "run_shown", lambda _, out, *__: setattr(asked, "out", out))
    assert main(["run", "tptsq-4", *options]) == 0
    assert asked.out == run.RESULTS / name
