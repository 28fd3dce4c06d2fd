# SPDX-License-Identifier: GPL-2.0-or-later
"""Where perf cannot sample, it is said what would do; shares stand side by side."""

import os

import pytest

import flame
from tsqlab.errors import TsqlabError


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with perf, for an ordinary user."""
    (tmp_path / "perf").write_text("#!/bin/sh\n")
    (tmp_path / "perf").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(flame, "_PARANOID", tmp_path / "perf_event_paranoid")
    (tmp_path / "perf_event_paranoid").write_text("2\n")
    return tmp_path


@pytest.mark.usefixtures("machine")
def test_a_machine_that_lets_its_users_sample_will_do():
    flame.check_perf()


def test_a_missing_perf_is_named_with_its_package(machine, capsys):
    (machine / "perf").unlink()
    assert flame.main([]) == 1
    assert capsys.readouterr().err == (
        "flame.py: no perf; sudo apt-get install linux-perf (Debian's package) has it\n"
    )


def test_a_machine_that_forbids_it_is_named_with_its_sysctl(machine, monkeypatch):
    (machine / "perf_event_paranoid").write_text("3\n")
    with pytest.raises(TsqlabError, match=r"sudo sysctl kernel\.perf_event_paranoid=1"):
        flame.check_perf()
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    flame.check_perf()


def test_shares_are_a_column_for_each_cell_the_largest_first(capsys):
    flame.print_table({"a": {"host": 0.25, "TCP": 0.5}, "c": {"host": 0.3, "airlink": 0.6}})
    assert capsys.readouterr().out.splitlines()[1:] == [
        "| part | a | c |",
        "|---|---|---|",
        "| airlink | 0.0 | 60.0 |",
        "| TCP | 50.0 | 0.0 |",
        "| host | 25.0 | 30.0 |",
    ]
