# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab shell`` and ``tsqlab debug``: what they refuse, before anything is built or booted."""

import io
import os
import sys
from types import SimpleNamespace

import pytest

from tsqlab.cli import cells, main
from tsqlab.cli import debug as debug_command
from tsqlab.cli.cells import debug_command as as_command
from tsqlab.cli.run import _hint
from tsqlab.errors import TsqlabError
from tsqlab.experiment.load import load
from tsqlab.runner.cell import CellError

FILE = """\
title = "Two cells"
[flows]
length = "2 s"
delay = "1 s"
[matrix]
seed = [1, 2]
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "two.toml"
    path.write_text(FILE)
    return path


@pytest.fixture(autouse=True)
def nothing_is_built(monkeypatch):
    def refuse(*_):
        raise AssertionError("it would have booted a guest")

    monkeypatch.setattr("tsqlab.cli.shell.guest_of", refuse)
    monkeypatch.setattr(debug_command, "guest_of", refuse)


@pytest.fixture
def says(capsys):
    def of(*arguments, status=2):
        try:
            assert main([str(argument) for argument in arguments]) == status
        except SystemExit as ended:  # what argparse refuses
            assert ended.code == status
        return capsys.readouterr().err

    return of


def test_a_node_that_is_not_there(says, file):
    assert 'no node "X"; there are C, R, S' in says("shell", file, "X", "-c", "true")


@pytest.mark.parametrize("node", ["../C", "C\tx", "C\n", "", "C" * 5000])
def test_a_node_is_one_of_the_testbed_s(says, file, node):
    said = says("shell", file, node, "-c", "true")
    assert "no node " in said
    assert len(said) < 400


def test_a_node_may_be_named_after_options(says, file):
    assert 'no node "X"' in says("shell", file, "--set", "qdisc=fq", "X", "-c", "true")
    assert "unrecognized arguments: Y" in says("shell", file, "X", "--set", "qdisc=fq", "Y")
    assert "unrecognized arguments: --no" in says("shell", file, "--set", "qdisc=fq", "--no")


@pytest.mark.parametrize("command", ["shell", "debug"])
def test_a_cell_that_is_not_there(says, file, command):
    for name in ("3", "0", "seed=3", "x" * 5000, "²"):
        said = says(command, file, "--cell", name)
        assert f"{file.stem}: no cell " in said
        assert "there are 1 to 2, and by name " in said
        assert len(said) < 400


@pytest.mark.parametrize(("name", "id"), [("2", "seed=2"), ("seed=2", "seed=2"), (None, "seed=1")])
def test_a_cell_has_a_number_and_a_name(file, name, id):
    options = SimpleNamespace(experiment=str(file), set=[], cell=name)
    (cell,) = cells.chosen(options).cells
    assert cell.id == id


@pytest.mark.parametrize("command", ["shell", "debug"])
def test_an_instant_after_the_cell(says, file, command):
    assert "--at 100 s: the cell is over by then; it is 4 s long" in says(
        command, file, "--at", "100 s"
    )


@pytest.mark.parametrize("at", ["1", "-1 s", "1 h", "soon", "9" * 30 + " s"])
def test_an_instant_that_is_none(says, file, at):
    assert "expected a number with a unit" in says("debug", file, f"--at={at}")


@pytest.mark.parametrize("speed", ["0", "0.001", "101", "nan", "-1", "1_0", "fast"])
def test_a_speed_that_is_none(says, file, speed):
    assert "expected 0.01 to 100, or max" in says("shell", file, f"--speed={speed}")


@pytest.mark.parametrize("symbol", ["-x", "a b", "$(id)", "a;b", "x" * 500, "", "shell id"])
def test_a_place_that_is_none(says, file, symbol):
    assert "expected a function, or FILE:LINE" in says("debug", file, f"--break={symbol}")


def test_a_shell_without_a_terminal_to_write_to(says, file, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    assert "-c COMMAND runs a command without one" in says("shell", file)


@pytest.mark.parametrize("command", ["shell", "debug"])
def test_an_input_without_an_end(says, file, monkeypatch, command):
    endless = io.BytesIO(b"x" * (2 << 20))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: False, buffer=endless))
    monkeypatch.setattr(debug_command, "program_in_guests", lambda _: True)
    assert "has more than 1 MiB" in says(command, file)


def test_without_gdb_nothing_is_built(says, file, monkeypatch):
    monkeypatch.setattr(debug_command, "program_in_guests", lambda _: False)
    assert "no gdb; try: sudo apt-get install gdb" in says("debug", file, status=1)


def test_a_terminal_of_a_strange_kind_is_a_dumb_one(monkeypatch):
    for kind in ("", "x\ty", "../x", "x" * 100, "$(id)"):
        monkeypatch.setenv("TERM", kind)
        assert cells.terminal_kind() == "dumb"
    monkeypatch.setenv("TERM", "xterm-256color")
    assert cells.terminal_kind() == "xterm-256color"


def test_a_cell_that_has_died_names_the_command_that_shows_it(file):
    experiment = load(str(file), ["qdisc=fq", "delay=0.5 s"])
    command = f"tsqlab debug {file} --set qdisc=fq --set 'delay=0.5 s' --cell seed=2"
    assert as_command(experiment, "seed=2") == command
    died = CellError("cell seed=2", "why", "why", died=True)
    assert _hint(experiment, "seed=2", died).endswith(command)
    assert _hint(experiment, "seed=2", CellError("cell seed=2", "why", "why")) is None
    assert _hint(experiment, "seed=2", TsqlabError("why")) is None
    assert _hint(experiment, "seed=7", died) is None, "a further seed, which the file has not"


def test_a_bundled_experiment_is_named_by_its_name():
    experiment = load("cotsq-3")
    assert as_command(experiment, "x") == "tsqlab debug cotsq-3 --cell x"
    assert os.sep not in as_command(experiment, "x")
