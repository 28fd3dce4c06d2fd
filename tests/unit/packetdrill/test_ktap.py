# SPDX-License-Identifier: GPL-2.0-or-later
"""KTAP: each verdict's line, and packetdrill says nothing that looks like a result."""

import pytest

from tsqlab.packetdrill import ktap
from tsqlab.packetdrill.script import Outcome, Verdict

OUTPUT = ("close.pkt:7: error handling packet:", "\tsequence\x1b[31m")


@pytest.mark.parametrize(
    ("outcome", "lines"),
    [
        (Outcome(Verdict.OK), ["ok 3 a.pkt (ipv4)"]),
        (
            Outcome(Verdict.FAILED, "", OUTPUT),
            [
                "# close.pkt:7: error handling packet:",
                "#     sequence\\x1b[31m",
                "not ok 3 a.pkt (ipv4)",
            ],
        ),
        (
            Outcome(Verdict.TIMEOUT, "not done after 180 s"),
            ["not ok 3 a.pkt (ipv4) # TIMEOUT not done after 180 s"],
        ),
        (
            Outcome(Verdict.ERROR, "the guest ended"),
            ["not ok 3 a.pkt (ipv4) # ERROR the guest ended"],
        ),
    ],
)
def test_each_verdict_has_its_line(outcome, lines):
    assert list(ktap.result(3, "a.pkt (ipv4)", outcome)) == lines


def test_what_a_script_says_that_passes_is_shown_on_request_only():
    outcome = Outcome(Verdict.OK, "", ("hello",))
    assert list(ktap.result(1, "a", outcome)) == ["ok 1 a"]
    assert list(ktap.result(1, "a", outcome, shows_all=True)) == ["# hello", "ok 1 a"]


def test_a_name_cannot_end_in_a_directive():
    assert ktap.plain_result(1, "a.pkt # SKIP", False) == "not ok 1 a.pkt _ SKIP"


def test_long_output_loses_its_beginning():
    output = tuple(f"line {number}" for number in range(ktap.LINES_MAX + 5))
    first, second, *_, last, _ = ktap.result(1, "a", Outcome(Verdict.FAILED, "", output))
    assert first == "# (5 lines before these; --out DIR keeps them)"
    assert (second, last) == ("# line 5", f"# line {ktap.LINES_MAX + 4}")


def test_the_totals_are_those_of_the_kernels_selftests():
    verdicts = [Verdict.OK, Verdict.OK, Verdict.FAILED, Verdict.TIMEOUT, Verdict.ERROR]
    assert ktap.totals(verdicts) == "# Totals: pass:2 fail:2 xfail:0 xpass:0 skip:0 error:1"


def test_a_subtest_has_its_name():
    assert list(ktap.opening(2, "6.12")) == ["KTAP version 1", "# Subtest: 6.12", "1..2"]
