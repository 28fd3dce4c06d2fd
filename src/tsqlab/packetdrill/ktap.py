# SPDX-License-Identifier: GPL-2.0-or-later
"""KTAP, the kernel's format for the results of tests (Documentation/dev-tools/ktap.rst)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from tsqlab.packetdrill.script import Outcome, Verdict

INDENT = "  "
"""What the lines of a subtest begin with."""

LINES_MAX = 100
"""How many lines of a script's output are shown. Its end says why it failed."""


def opening(tests: int, subtest: str | None = None) -> Iterator[str]:
    """What stands before the results of so many tests."""
    yield "KTAP version 1"
    if subtest is not None:
        yield f"# Subtest: {subtest}"
    yield f"1..{tests}"


def result(number: int, name: object, outcome: Outcome, shows_all: bool = False) -> Iterator[str]:
    """The result of a test, after what it said, if it failed or if all are shown."""
    passed = outcome.verdict is Verdict.OK
    if not passed or shows_all:
        yield from comment(_shortened(outcome.output))
    directive = _DIRECTIVES[outcome.verdict].format(outcome.words)
    yield plain_result(number, name, passed) + (f" # {directive}" if directive else "")


def plain_result(number: int, name: object, passed: bool) -> str:
    """The result of a test of which no more is said. A "#" would end its name."""
    return f"{'ok' if passed else 'not ok'} {number} {str(name).replace('#', '_')}"


_DIRECTIVES = {
    Verdict.OK: "",
    Verdict.FAILED: "",
    Verdict.TIMEOUT: "TIMEOUT {}",
    Verdict.ERROR: "ERROR {}",
}


def totals(verdicts: Iterable[Verdict]) -> str:
    """The sums, as the kernel's selftests print them."""
    count = Counter(verdicts)
    failed = count[Verdict.FAILED] + count[Verdict.TIMEOUT]
    return (
        f"# Totals: pass:{count[Verdict.OK]} fail:{failed} xfail:0 xpass:0 skip:0 "
        f"error:{count[Verdict.ERROR]}"
    )


def comment(lines: Iterable[str]) -> Iterator[str]:
    """Lines for people."""
    for line in lines:
        text = "".join(sign if sign.isprintable() else _escaped(sign) for sign in line)
        yield f"# {text}".rstrip()


def _escaped(sign: str) -> str:
    return "    " if sign == "\t" else f"\\x{ord(sign):02x}"


def _shortened(lines: tuple[str, ...]) -> Iterator[str]:
    left_out = len(lines) - LINES_MAX
    if left_out > 0:
        yield f"({left_out} lines before these; --out DIR keeps them)"
    yield from lines[-LINES_MAX:]
