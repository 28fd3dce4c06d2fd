# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab packetdrill``: packetdrill's scripts in virtual time, and where kernels differ."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from tsqlab.cli import count_to, folder, jobs
from tsqlab.cli.kernels import build_shown
from tsqlab.errors import TsqlabError, UsageError
from tsqlab.guest.sandbox import program_in_guests
from tsqlab.kernels import Kernel
from tsqlab.kernels.names import recipe_of
from tsqlab.kernels.source import versions
from tsqlab.packetdrill import ktap
from tsqlab.packetdrill.run import outcomes
from tsqlab.packetdrill.script import Job, Outcome, Verdict
from tsqlab.packetdrill.suite import Suite, find_suite
from tsqlab.packetdrill.version import Version
from tsqlab.report.table import aligned

_LIMIT_S, _LIMIT_MAX_S = 180, 100_000  # the first is run_all.py's
_SEED_MAX = (1 << 63) - 1
_VALUE_MAX = 200
_ALL = "all"

# What packetdrill and its scripts call, and the Debian package that has it.
_CALLED = {"sysctl": "procps", "ip": "iproute2", "tc": "iproute2", "python3": "python3"}
_CALLED_FOR_IPV6 = {"ifconfig": "net-tools"}

Results = Mapping[str, Sequence[Outcome]]
"""The outcomes of all scripts, by the kernel's name."""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "path", type=folder, metavar="DIR|FILE", help="scripts (*.pkt), such as gtests/net/tcp"
    )
    parser.add_argument(
        "--kernel", action="append", metavar="NAME", dest="kernels",
        help="the kernel under test (default: the newest); with several, a table of the scripts "
        "that end differently comes last",
    )  # fmt: skip
    parser.add_argument(
        "--ip", action="append", choices=(*(version.value for version in Version), _ALL),
        help="the version of IP; may be repeated (default: ipv4)",
    )  # fmt: skip
    parser.add_argument(
        "--sysctl", action="append", type=_sysctl, default=[], metavar="NAME=VALUE",
        help="set before each script, which may set it otherwise",
    )  # fmt: skip
    parser.add_argument(
        "--jobs", type=jobs, default=len(os.sched_getaffinity(0)), metavar="N",
        help="scripts at a time (default: one a CPU)",
    )  # fmt: skip
    parser.add_argument(
        "--timeout", type=count_to(_LIMIT_MAX_S), default=_LIMIT_S, metavar="S",
        help=f"how much virtual time a script may take (default: {_LIMIT_S} s)",
    )  # fmt: skip
    parser.add_argument(
        "--packetdrill", type=Path, metavar="FILE",
        help="the program (default: the checkout's own, then the one in PATH)",
    )  # fmt: skip
    parser.add_argument(
        "--root", type=folder, metavar="DIR",
        help="the folder that scripts can read (default: the checkout's gtests/net, or else "
        "that of the scripts)",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=folder, metavar="DIR", help="keep each guest's console and output in it"
    )
    parser.add_argument(
        "--seed", type=count_to(_SEED_MAX), default=1, metavar="N",
        help="of the guests' random numbers (default: 1)",
    )  # fmt: skip
    parser.add_argument(
        "-v", "--verbose", action="store_true",
        help="packetdrill -v, which tells each packet; and what is said by scripts that pass",
    )  # fmt: skip
    parser.set_defaults(command=_packetdrill)


def _sysctl(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    named = re.fullmatch(r"[a-z0-9_]+([./][\w-]+)+", name, re.ASCII)
    if not named or not 0 < len(value) <= _VALUE_MAX or not value.isprintable():
        message = f"expected NAME=VALUE, as net.ipv4.tcp_sack=0, not {text[:100]!r}"
        raise argparse.ArgumentTypeError(message)
    return name, value


def _packetdrill(options: argparse.Namespace) -> None:
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
    return [version for version in Version if version.value in names or _ALL in names]


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
