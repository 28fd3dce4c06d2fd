# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that know nothing of the lab: when they run, what they leave, and how they end."""

import subprocess

import pytest

from tsqlab.errors import TsqlabError
from tsqlab.guest.boot import GuestError
from tsqlab.guest.places import PROGRAM
from tsqlab.guest.plan import Plan
from tsqlab.guest.program import OUTPUT_BYTES, Program, read_ended

S = 10**9
CLOCK = ["clock", str(10 * S), str(S)]
TOUCHED = "/tsqlab/out/touched"


@pytest.fixture
def run(guest):
    """Run one program; how it ended, and the folder that the guest wrote to."""

    def one(*command, limit_s=100, set_up=(), **options):
        program = Program("-", "x", command, limit_ns=int(limit_s * S), **options)
        out = guest(plan=Plan(tuple(set_up), (CLOCK, program.line(), ["end"])))
        return read_ended(out, "x"), out

    return one


def sh(script):
    return "sh", "-c", script


def test_what_a_program_says_and_returns(run):
    ended, _ = run(*sh("pwd; echo wrong >&2; sleep 1.5; exit 3"), folder="/usr/bin", start_ns=S)
    assert (ended.out, ended.err) == ("/usr/bin\n", "wrong\n")
    assert (ended.status, ended.signal, ended.stopped) == (3, None, False)
    assert not ended.succeeded
    # Starting programs takes no time, but for the looks at a clock that the kernel has in it.
    assert 2.5 * S <= ended.at_ns < 2.5001 * S


def test_the_guest_ends_with_its_programs(run):
    _, out = run("true")
    assert "t 50 ms" not in (out.parent / "console").read_text()


def test_programs_run_side_by_side_in_nodes(guest):
    shows = ("sh", "-c", "ip -br link; sleep 1")
    programs = [Program(node, f"in{node}", shows, 5 * S) for node in ("-", "A")]
    set_up = (["run", "-", "ip", "netns", "add", "A"], ["run", "-", "ip", "link", "add", "x0",
              "type", "dummy"])  # fmt: skip
    out = guest(plan=Plan(set_up, (CLOCK, *(each.line() for each in programs), ["end"])))
    here, there = (read_ended(out, each.id) for each in programs)
    assert "x0" in here.out
    assert "x0" not in there.out
    assert max(here.at_ns, there.at_ns) < 1.001 * S


def test_a_program_that_is_not_there(run):
    ended, _ = run("no-such-program")
    assert ended.status == 127
    assert ended.err == "cannot run no-such-program: No such file or directory\n"


def test_a_program_in_a_folder_that_is_not_there(run):
    ended, _ = run("true", folder="/nowhere")
    assert (ended.status, ended.err) == (
        127, "cannot enter /nowhere: No such file or directory\n",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("script", "signal", "after_s"),
    [("sleep 100", 15, 0), ("trap '' TERM; sleep 50; sleep 50", 9, 0.1)],
)
def test_a_program_is_ended_at_its_limit(run, script, signal, after_s):
    """One that does not listen to SIGTERM is killed 100 ms later."""
    ended, _ = run(*sh(f"echo begun; {script}"), limit_s=2.5)
    assert (ended.stopped, ended.signal, ended.status) == (True, signal, None)
    assert ended.out == "begun\n"
    assert (2.5 + after_s) * S <= ended.at_ns < (2.5001 + after_s) * S


def test_what_a_program_leaves_behind_is_ended(guest):
    """And does not hold up its end, though it has its output open."""
    leaves = Program("-", "x", sh(f"(sleep 2; touch {TOUCHED}) & exit 0"), 100 * S)
    waits = Program("-", "y", ("sleep", "5"), 100 * S)
    out = guest(plan=Plan((), (CLOCK, leaves.line(), waits.line(), ["end"])))
    assert read_ended(out, "x").at_ns < 0.1 * S
    assert not (out / "touched").exists()


def test_output_has_a_limit(run):
    ended, out = run(*sh("head -c 5000000 /dev/zero | tr '\\0' x; echo end >&2"))
    assert (ended.out, ended.err) == ("x" * OUTPUT_BYTES, "end\n")
    assert ended.lost_bytes == 5_000_000 - OUTPUT_BYTES
    assert (out / "x.out").stat().st_size == OUTPUT_BYTES


def test_output_that_is_no_text(run):
    assert run("printf", "a\\377b")[0].out == "a\ufffdb"


def test_timers_are_exact(guest, tmp_path):
    """A process of Linux is 50 us late, as a rule, so that wake-ups can be taken together."""
    source, program = tmp_path / "sleeps.c", tmp_path / "sleeps"
    source.write_text(
        "#include <stdio.h>\n#include <time.h>\n#include <unistd.h>\n"
        "static long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);"
        " return t.tv_nsec; }\n"
        'int main(void) { long then = now(); usleep(1000); printf("%ld\\n", now() - then); }\n'
    )
    subprocess.run(["gcc", "-o", str(program), str(source)], check=True)
    line = Program("-", "x", (PROGRAM,), S).line()
    out = guest(plan=Plan((), (CLOCK, line, ["end"]), shown={PROGRAM: program}))
    # A timer's slack is 1 ns at least, and each look at the clock takes 256 ns.
    assert int(read_ended(out, "x").out) == 1_000_000 + 1 + 256


def test_too_many_words_are_an_error(guest):
    line = Program("-", "x", ("echo", *["word"] * 60), S).line()
    with pytest.raises(GuestError, match="plan: 'program' has more than 64 words"):
        guest(plan=Plan((), (CLOCK, line, ["end"])))


def test_what_the_guest_says_of_a_program_is_checked(tmp_path):
    with pytest.raises(TsqlabError, match="not a series of the guest"):
        read_ended(tmp_path, "x")
    (tmp_path / "x.tsv").write_text("t_ns\tstatus\n1\t0\n")
    with pytest.raises(TsqlabError, match="not what the guest says of a program"):
        read_ended(tmp_path, "x")
