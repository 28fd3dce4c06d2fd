# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab packetdrill``: packetdrill's scripts in virtual time, and where kernels differ."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from tsqlab.cli.kernels import build_shown
from tsqlab.cli.options.packetdrill import ALL
from tsqlab.errors import TsqlabError, UsageError
from tsqlab.guest.sandbox import NO_FOREIGN_CODE, confines_files, program_in_guests
from tsqlab.kernels import Kernel
from tsqlab.kernels.names import recipe_of
from tsqlab.kernels.source import versions
from tsqlab.packetdrill import ktap
from tsqlab.packetdrill.run import outcomes
from tsqlab.packetdrill.script import Job, Outcome, Verdict
from tsqlab.packetdrill.suite import Suite, find_suite
from tsqlab.packetdrill.version import Version
from tsqlab.report.table import aligned

# What packetdrill and its scripts call, and the Debian package that has it.
_CALLED = {"sysctl": "procps", "ip": "iproute2", "tc": "iproute2", "python3": "python3"}
_CALLED_FOR_IPV6 = {"ifconfig": "net-tools"}

Results = Mapping[str, Sequence[Outcome]]
"""The outcomes of all scripts, by the kernel's name."""


def execute(options: argparse.Namespace) -> None:
    """Run the scripts over each kernel, and say what became of them."""
    if not confines_files():
        raise UsageError(f"scripts run any program: {NO_FOREIGN_CODE}")
    suite = find_suite(options.path, _versions(options.ip), options.root, options.packetdrill)
    if options.out and options.out.exists() and any(options.out.iterdir()):
        raise UsageError(f"--out {options.out}: not empty")
    names = dict.fromkeys(options.kernels or versions()[:1])
    recipes = {name: recipe_of(name) for name in names}
    _warn(suite)
    kernels = {name: build_shown(recipe) for name, recipe in recipes.items()}
    with TemporaryDirectory(prefix="tsqlab-", ignore_cleanup_errors=True) as scratch:
        guests = options.out or Path(scratch)
        todo = {name: _jobs(options, suite, kernel, guests / name)
                for name, kernel in kernels.items()}  # fmt: skip
        with closing(outcomes([job for own in todo.values() for job in own], options.jobs)) as each:
            results = _report(todo, each)
    verdicts = [outcome.verdict for own in results.values() for outcome in own]
    if wrong := len(verdicts) - verdicts.count(Verdict.OK):
        raise TsqlabError(f"{wrong} of {len(verdicts)} scripts did not pass")


def _versions(names: Sequence[str] | None) -> list[Version]:
    if not names:
        return [Version.IPV4]
    return [version for version in Version if version.value in names or ALL in names]


def _warn(suite: Suite) -> None:
    """Say what is missing that scripts may call."""
    over_ipv6 = any(script.version is Version.IPV6 for script in suite.scripts)
    for program, package in (_CALLED | (_CALLED_FOR_IPV6 if over_ipv6 else {})).items():
        if not program_in_guests(program):
            print(
                f"tsqlab: guests have no {program}, which packetdrill or its scripts call; "
                f"try: sudo apt-get install {package}",
                file=sys.stderr,
            )


def _jobs(options: argparse.Namespace, suite: Suite, kernel: Kernel, guests: Path) -> list[Job]:
    return [
        Job(
            suite=suite,
            script=script,
            kernel=kernel,
            sysctls=dict(options.sysctl),
            limit_ns=options.timeout * 10**9,
            seed=options.seed,
            verbose=options.verbose,
            folder=guests / script.version.value / script.path,
            kept=options.out is not None,
        )
        for script in suite.scripts
    ]


def _report(todo: Mapping[str, Sequence[Job]], stream: Iterator[Outcome]) -> Results:
    """Print the outcomes as they come: a list of tests, or one within another for each kernel."""
    if len(todo) == 1:
        return {name: _report_one(own, stream) for name, own in todo.items()}
    results = {}
    _print(ktap.opening(len(todo)))
    for number, (name, own) in enumerate(todo.items(), 1):
        results[name] = _report_one(own, stream, name)
        _print([ktap.plain_result(number, name, _all_ok(results[name]))])
    scripts = [job.script for job in next(iter(todo.values()))]
    _print(ktap.comment(_differences(scripts, results)))
    return results


def _report_one(
    own: Sequence[Job], stream: Iterator[Outcome], subtest: str | None = None
) -> list[Outcome]:
    indent = "" if subtest is None else ktap.INDENT
    _print(ktap.opening(len(own), subtest), indent)
    seen = []
    for number, job in enumerate(own, 1):
        seen.append(next(stream))
        _print(ktap.result(number, job.script, seen[-1], shows_all=job.verbose), indent)
    _print([ktap.totals(outcome.verdict for outcome in seen)], indent)
    return seen


def _differences(scripts: Sequence[object], results: Results) -> Iterator[str]:
    """The scripts that end differently over some of the kernels, as a table."""
    outcomes_of = zip(scripts, zip(*results.values(), strict=True), strict=True)
    verdicts = [(str(script), [each.verdict for each in own]) for script, own in outcomes_of]
    differing = [[name, *(each.value for each in own)] for name, own in verdicts
                 if len(set(own)) > 1]  # fmt: skip
    yield f"{len(differing)} of {len(scripts)} scripts end differently"
    if differing:
        yield from aligned([["script", *results], *differing], left=1 + len(results))


def _all_ok(seen: Sequence[Outcome]) -> bool:
    return all(outcome.verdict is Verdict.OK for outcome in seen)


def _print(lines: Iterator[str] | Sequence[str], indent: str = "") -> None:
    for line in lines:
        print(f"{indent}{line}", flush=True)
