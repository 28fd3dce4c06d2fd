# SPDX-License-Identifier: GPL-2.0-or-later
"""A cell's plan with somebody who looks around."""

from pathlib import Path

import pytest

from tsqlab.guest.plan import Plan
from tsqlab.guest.shell import Visit, visited

S = 10**9
PLAN = Plan(
    (["run", "-", "true"],),
    (["clock", str(10 * S), "1", str(12 * S)], ["tcp", "C", "x"], ["end"]),
    {"links.ip": "x"},
    {"/there": Path("/here")},
)
ADDRESSES = {"C": "10.0.0.1", "S": "10.0.0.2"}


def of(visit, terminal="xterm"):
    return visited(PLAN, visit, ADDRESSES, terminal)


def test_without_an_instant_no_flow_runs():
    plan = of(Visit("C", 10 * S, script="true\n"))
    assert plan.set_up == PLAN.set_up
    assert [line[0] for line in plan.measurement] == ["clock", "script", "end"]
    assert plan.measurement[0] == ["clock", str(10 * S), str(S // 10)], "it has no end"
    assert plan.measurement[1][1:4] == ["C", "shell", str(10 * S)]


def test_at_an_instant_the_flows_run_and_the_guest_outlives_them():
    plan = of(Visit("C", 10 * S, after_ns=2 * S, script="true\n"))
    assert plan.measurement[:2] == PLAN.measurement[:2]
    assert [line[0] for line in plan.measurement[2:]] == ["clock", "script", "end"]
    assert plan.measurement[3][1:4] == ["C", "shell", str(12 * S)]


def test_a_script_is_a_file_and_no_word():
    plan = of(Visit("C", 10 * S, script="a\tb\nend\n"))
    assert plan.batches["script"] == "a\tb\nend\n"
    assert plan.files()["plan"].count("\n") == 4


def test_every_node_has_its_name():
    plan = of(Visit("C", 10 * S))
    names = plan.batches[plan.placed["/etc/hosts"]]
    assert names == "127.0.0.1\tlocalhost\n10.0.0.1\tC\n10.0.0.2\tS\n"
    assert plan.batches["links.ip"] == "x"


def test_a_shell_says_where_and_when_it_is():
    line = of(Visit("C", 10 * S)).measurement[1]
    assert line[:4] == ["shell", "C", "shell", str(10 * S)]
    assert "TERM=xterm" in line
    (prompt,) = [word for word in line if word.startswith("PS1=")]
    assert " C:" in prompt


@pytest.mark.parametrize("visit", [Visit("C", S), Visit("C", S, 0), Visit("C", S, 0, "x")])
def test_what_a_guest_sees_stays(visit):
    assert of(visit).shown == PLAN.shown
