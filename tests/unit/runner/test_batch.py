# SPDX-License-Identifier: GPL-2.0-or-later
"""Many experiments in one command: their order, what a failure stops, and the account."""

import json
from functools import partial

import pytest

from tsqlab.cli import main
from tsqlab.cli.run import accounts_table
from tsqlab.errors import TsqlabError, UsageError
from tsqlab.experiment.load import load
from tsqlab.runner import batch
from tsqlab.runner.batch import Account, prepare, run_batch


@pytest.fixture
def experiments(tmp_path, monkeypatch):
    """Three: of 12 s, of 4 s, and one whose file is bad."""
    monkeypatch.setattr(batch, "jobs_of", jobs_of)
    for name, length in (("long", 10), ("short", 2), ("bad", 0)):
        (tmp_path / f"{name}.toml").write_text(
            f'title = "x"\n[flows]\nlength = "{length} s"\ndelay = "1 s"\n'
        )
    return [
        (name, partial(load, str(tmp_path / f"{name}.toml"))) for name in ("long", "short", "bad")
    ]


class Job:
    """A cell to run, as far as a batch looks at it."""

    def __init__(self, cell, folder):
        self.cell, self.key = cell, "0123"
        self.file = folder / f"{cell.id}.flent.gz"
        self.pcaps = {}
        self.outputs = {}
        self.traced = None
        self.beside = ()


def jobs_of(experiment, folder, *_):
    return tuple(Job(cell, folder) for cell in experiment.cells)


def pretend(experiment, jobs, folder, workers, watcher):
    """Leave the folder of a run."""
    del workers, watcher
    folder.mkdir(parents=True, exist_ok=True)
    for job in jobs:
        job.file.touch()
    cells = [{"id": job.cell.id, "key": job.key, "state": "done", "wall_s": 0.5} for job in jobs]
    manifest = {"experiment": experiment.name, "title": "", "cells": cells}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_short_ones_come_first_and_a_bad_one_is_kept(experiments, tmp_path):
    prepared = prepare(experiments, lambda name: tmp_path / name, None)
    assert [(one.name, one.left_s) for one in prepared] == [("bad", 0), ("short", 4), ("long", 12)]
    assert "length must be more than nothing" in prepared[0].error


def test_what_is_done_does_not_count(experiments, tmp_path):
    for one in prepare(experiments, lambda name: tmp_path / name, None):
        if one.name == "long":
            pretend(one.experiment, one.jobs, one.folder, 1, None)
    prepared = prepare(experiments, lambda name: tmp_path / name, None)
    assert [(one.name, one.left_s) for one in prepared] == [("long", 0), ("bad", 0), ("short", 4)]


def test_a_failure_stops_nothing_else(experiments, tmp_path, monkeypatch):
    def run(experiment, *rest):
        if experiment.name == "short":
            raise TsqlabError("1 of 1 cells failed")
        pretend(experiment, *rest)

    monkeypatch.setattr(batch, "run", run)
    reported = []
    prepared = prepare(experiments, lambda name: tmp_path / name, None)
    accounts = {one.name: one for one in run_batch(prepared, 1, lambda _: None, reported.append)}
    assert "length must be" in accounts["bad"].error
    assert accounts["short"].error == "1 of 1 cells failed"
    assert accounts["long"].error == ""
    assert (accounts["long"].done, accounts["long"].simulated_s) == (1, 12)
    assert accounts["long"].speed == pytest.approx(24)
    assert reported == [tmp_path / "short", tmp_path / "long"]


def test_a_report_that_fails_is_a_failure(experiments, tmp_path, monkeypatch):
    monkeypatch.setattr(batch, "run", pretend)

    def after(_):
        raise UsageError("damaged")

    prepared = prepare(experiments[:1], lambda name: tmp_path / name, None)
    (account,) = run_batch(prepared, 1, lambda _: None, after)
    assert account.error == "no report: damaged"


def test_the_account_adds_up():
    table = accounts_table([
        Account("one", 10, 10, 700.0, 70.0, 40.0),
        Account("other", 20, 5, 100.0, 50.0, 30.0, "boom"),
        Account("none", 0, 0, 0.0, 0.0, 0.0, "bad file"),
    ]).splitlines()  # fmt: skip
    assert [line.split() for line in table[2:]] == [
        ["one", "10", "700", "70", "10.0", "40"],
        ["other", "(failed)", "5", "of", "20", "100", "50", "2.0", "30"],
        ["none", "(failed)", "0", "0", "0", "-", "0"],
        ["all", "15", "of", "30", "800", "120", "6.7", "70"],
    ]


def test_the_exit_status_says_that_one_failed(experiments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    paths = {name: tmp_path / f"{name}.toml" for name, _ in experiments}
    monkeypatch.setattr("tsqlab.cli.run.bundled_experiments", lambda: paths)
    monkeypatch.setattr(
        "tsqlab.cli.run.load", lambda name, overrides: load(str(paths[name]), overrides)
    )
    monkeypatch.setattr("tsqlab.cli.run.make_report", lambda _: None)
    monkeypatch.setattr(batch, "run", pretend)
    assert main(["run", "--all"]) == 1
    printed = capsys.readouterr()
    assert "1 of 3 experiments failed: bad; the same command goes on" in printed.err
    assert "[1/3] bad: failed: " in printed.out
    assert (tmp_path / "results" / "long" / "manifest.json").exists()


@pytest.mark.parametrize("arguments", [["run"], ["run", "demo", "--all"]])
def test_either_one_or_all(arguments, capsys):
    assert main(arguments) == 2
    assert "give an experiment, or --all" in capsys.readouterr().err
