# SPDX-License-Identifier: GPL-2.0-or-later
"""[[program]] in a plan, and what becomes of one: failures, numbers, and who stops time."""

import re

import pytest

from tsqlab.errors import TsqlabError
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.boot import STOOD_STILL, GuestError
from tsqlab.guest.plan import make_plan
from tsqlab.guest.program import Ended
from tsqlab.guest.programs import Outcome, executable, outcomes
from tsqlab.guest.suspects import with_suspects

S = 10**9
SERVER = {"node": "S", "command": ["web", "-x"], "stop": "end", "folder": "/srv"}
CLIENT = {
    "name": "get",
    "node": "C",
    "command": "curl http://S/",
    "start": "1 s",
    "environment": {"LANG": "C", "NONE": ""},
    "preload": ["patience"],
}


def spec_of(*programs, **flows):
    tables = {"length": "4 s", "delay": "1 s", **flows}
    return Spec.model_validate({"title": "x", "flows": tables, "program": list(programs)})


def plan_of(spec):
    return make_plan(spec, load_profile("gigabit"))


def test_lines_of_a_plan():
    lines = [line for line in plan_of(spec_of(SERVER, CLIENT)).measurement if line[0] == "program"]
    assert lines == [
        ["program", "S", "program-1", f"{9 * S}", f"{16 * S}", "1048576", "/srv", "web", "-x"],
        ["program", "C", "program-2", f"{12 * S}", f"{16 * S}", "1048576", "/tmp", "env",
         "LD_PRELOAD=/tsqlab/preload/patience.so", "LANG=C", "NONE=", "curl", "http://S/"],
    ]  # fmt: skip


def test_the_longest_command_fits_a_line():
    environment = {f"V{number}": "x" for number in range(15)}
    longest = CLIENT | {"command": ["true", *["x"] * 39], "environment": environment}
    (line,) = (line for line in plan_of(spec_of(longest)).measurement if line[0] == "program")
    assert len(line) == 64, "as many as agent.h allows"


def test_nodes_have_names_where_there_are_programs():
    plan = plan_of(spec_of(CLIENT))
    assert plan.placed == {"/etc/hosts": "hosts", "/etc/nsswitch.conf": "nsswitch.conf"}
    assert plan.files()["hosts"] == (
        "127.0.0.1\tlocalhost\n10.0.1.1\tC\n10.0.1.2\tR\n10.0.2.1\tS\n"
    )
    without = plan_of(spec_of())
    assert (without.placed, "hosts" in without.files()) == ({}, False)


def test_all_else_of_a_plan_is_as_without():
    with_one, without = plan_of(spec_of(CLIENT)), plan_of(spec_of())
    rest = tuple(line for line in with_one.measurement if line[0] != "program")
    assert (with_one.set_up, rest) == (without.set_up, without.measurement)
    assert without.batches.items() < with_one.batches.items()


def test_the_file_that_a_command_runs(tmp_path):
    (tmp_path / "tool").write_text("x")
    shown = {"/opt/mine": tmp_path}

    def found(command, folder="/tmp"):
        table = spec_of(CLIENT | {"command": [command], "folder": folder}).program[0]
        return executable(table, shown)

    assert found("/opt/mine/tool") == tmp_path / "tool"
    assert found("./tool", "/opt/mine") == tmp_path / "tool"
    assert found("/opt/mine/none") is None
    assert found(f"/opt/mine/../../{tmp_path}/tool") is None
    assert found("../../opt/mine/tool", "/usr/bin") == tmp_path / "tool"
    assert str(found("sh")).endswith("bin/sh")
    assert found("/usr/bin/env").name == "env"
    assert found("no-such-program") is None
    assert found(str(tmp_path / "tool")) is None, "which guests do not see"


def ended(**changes):
    usual = {"at_ns": 3 * S, "status": 0, "signal": None, "stopped": False, "out": "", "err": ""}
    return Ended(**(usual | changes), lost_bytes=0)


def outcome(how, **keys):
    table = spec_of(CLIENT | keys).program[0]
    return Outcome(table, "get", how, table.begin_ns(spec_of().flows.delay))


KILLED = {"status": None, "signal": 9}
SAID = "".join(f"line {number}\n\n" for number in range(9))


@pytest.mark.parametrize(
    ("how", "keys", "message"),
    [
        ({"status": 22, "err": SAID + "curl: (22) \x1b[1m404\n", "out": "x"}, {},
         'program "get" in C returned 22\n  $ curl http://S/\n  line 5\n  line 6\n  line 7\n'
         "  line 8\n  curl: (22) \\x1b[1m404"),
        ({"status": 1, "out": "said\n"}, {},
         'program "get" in C returned 1\n  $ curl http://S/\n  said'),
        ({"status": None, "signal": 11}, {}, 'program "get" in C was ended by SIGSEGV\n'),
        ({**KILLED, "stopped": True}, {}, "still runs at the end, after 1 s; one that may has"),
        ({"status": 3}, {"stop": "4 s"}, "returned 3"),
    ],
)  # fmt: skip
def test_a_failure_has_its_last_words(how, keys, message):
    failed = outcome(ended(**how), **keys)
    with pytest.raises(TsqlabError, match=f"{re.escape(message)}"):
        failed.check()
    outcome(ended(**how), **keys, may_fail=True).check()


@pytest.mark.parametrize("how", [{}, {**KILLED, "stopped": True}])
def test_what_is_no_failure(how):
    outcome(ended(**how), stop="4 s").check()


TOOK = {"figure": [{"name": "took", "unit": "s", "regex": "took (.)"}]}
RATE = {"series": [{"name": "r", "regex": "(?P<time>[0-9.]+) (?P<value>.)"}]}


def test_numbers_and_how_long_it_ran():
    run = outcome(ended(out="took 7"), **TOOK).run(0.0)
    assert run.figures == {"ran_s": 1.0, "took_s": 7.0}
    assert (run.begin_ns, run.end_ns, run.node) == (2 * S, 3 * S, "C")
    stopped = outcome(ended(**KILLED, stopped=True, out="took 7"), **TOOK, stop="4 s").run(0.0)
    assert stopped.figures == {"took_s": 7.0}


def test_times_count_from_the_program_s_start_or_from_1970():
    assert outcome(ended(out="0.5 3\n1 4"), **RATE).run(100.0).series == {
        "r": [(2_500_000_000, 3.0), (3_000_000_000, 4.0)]
    }
    (table,) = RATE["series"]
    unix = {"series": [table | {"clock": "unix"}]}
    assert outcome(ended(out="102.5 3"), **unix).run(100.0).series == {"r": [(2_500_000_000, 3.0)]}


@pytest.mark.parametrize(
    ("how", "keys", "message"),
    [
        ({}, TOOK, 'program "get" in C: took_s: found nothing by'),
        ({"out": "1700000000 3"}, RATE, "r: 1700000000 s is no time at which it ran"),
    ],
)
def test_numbers_that_are_not_there_are_errors(how, keys, message):
    with pytest.raises(TsqlabError, match=re.escape(message)):
        outcome(ended(**how), **keys).run(0.0)


def test_one_that_may_fail_and_has_failed_has_no_numbers():
    failed = outcome(ended(status=1), **TOOK, may_fail=True)
    assert failed.run(0.0).figures == {"ran_s": 1.0}


def test_a_guest_s_folder_without_them_is_an_error(tmp_path):
    with pytest.raises(TsqlabError, match="not a series of the guest"):
        outcomes(tmp_path, spec_of(CLIENT))


STUCK = GuestError(f"{STOOD_STILL} for 60 s", ("a line",))


@pytest.mark.parametrize(
    ("tick_ms", "done", "message"),
    [
        (1950, (), "one of these programs runs and never waits (docs/programs.md): "
         '"1" in S (web -x), "get" in C (curl http://S/)'),
        (1900, (), 'this program runs and never waits (docs/programs.md): "1" in S (web -x)'),
        (1950, (1,), '"get" in C (curl http://S/)'),
    ],
)  # fmt: skip
def test_who_stopped_time_is_named(tmp_path, tick_ms, done, message):
    console = tmp_path / "console"
    console.write_text(f"tsqlab: measuring\r\ntsqlab: t 0 ms\r\ntsqlab: t {tick_ms} ms\r\n")
    for number in done:
        (tmp_path / f"program-{number}.tsv").touch()
    told = with_suspects(STUCK, tmp_path, spec_of(SERVER, CLIENT), console)
    assert message in told.why
    assert told.last_words == STUCK.last_words


def test_who_is_not_to_be_suspected(tmp_path):
    console = tmp_path / "console"
    console.write_text("tsqlab: t 0 ms\n")
    assert with_suspects(STUCK, tmp_path, spec_of(), console) is STUCK
    assert with_suspects(STUCK, tmp_path, spec_of(CLIENT), console) is STUCK, "it has not begun"
    died = GuestError("the guest ended", ())
    assert with_suspects(died, tmp_path, spec_of(SERVER), console) is died
