# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: arguments in, exit status out.

Status 0: done. 1: the work failed. 2: bad usage or a bad file. 130: interrupted. A command that
runs something of the user's may end with the status of that.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from tsqlab import __version__
from tsqlab.errors import TsqlabError, UsageError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Every failure is a line on stderr, never a traceback."""
    _print_anything()
    if arguments is None and os.environ.keys() >= COMPLETING:
        # argcomplete is not needed otherwise, and its process ends there.
        from tsqlab.cli.completion import complete, words_typed  # noqa: PLC0415

        complete(_parser(words_typed()))
    try:
        given = sys.argv[1:] if arguments is None else list(arguments)
        options = _parser(given).parse_args(given)
        status: int = options.command(options) or 0
        sys.stdout.flush()
    except UsageError as error:
        print(f"tsqlab: {error}", file=sys.stderr)
        return 2
    except TsqlabError as error:
        print(f"tsqlab: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("tsqlab: interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader has seen enough
        _print_no_more()
    except OSError as error:
        print(f"tsqlab: {error}", file=sys.stderr)
        _print_no_more()
        return 1
    else:
        return status
    return 0


def _print_anything() -> None:
    """Print letters that the locale does not have as \\u2026, as Python does on stderr."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _print_no_more() -> None:
    """What could not be written would fail again at exit, with a traceback."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


COMPLETING = {"_ARGCOMPLETE", "COMP_LINE", "COMP_POINT"}
"""The variables by which a shell says that it wants words and no work (docs/command-line.md)."""

LATE = "late"
"""The default of a command's parser that names an argument which may be missing, and which may
stand behind options: argparse takes it as missing where the first of them is."""


class _Parser(argparse.ArgumentParser):
    """A parser that says itself what it does not know.

    argparse leaves that to the parser at the top, whose usage has none of a command's options.
    """

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        options, rest = super().parse_known_args(args, namespace)
        late = self.get_default(LATE)
        is_late = late is not None and len(rest) == 1 and not rest[0].startswith("-")
        if is_late and getattr(options, late) is None:
            setattr(options, late, rest.pop())
        if rest:
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        return options, rest


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """The parser, with the options of the command that *arguments* begin with.

    A command's module is loaded when it is asked for, since some of them take half a second.
    """
    parser = _Parser(
        prog="tsqlab",
        description="The real Linux TCP stack in virtual time over modelled links.",
    )
    parser.add_argument("--version", action="version", version=f"tsqlab {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, (module, text) in COMMANDS.items():
        command = commands.add_parser(name, help=text)
        if arguments[:1] == [name]:
            import_module(f"tsqlab.cli.{module}").add_to(command)
    return parser


COMMANDS = {
    "run": ("options.run", "run an experiment"),
    "merge": ("options.merge", "put the results of shards together"),
    "new": ("options.new", "write an experiment file to begin with"),
    "list": ("listing", "experiments, device profiles, kernels"),
    "show": ("options.show", "the testbed of an experiment: nodes, wires, radios, addresses"),
    "explain": ("options.explain", "a paper's claim: the lab's number, and why it differs"),
    "shell": ("options.shell", "look around in a node of an experiment's testbed"),
    "debug": ("options.debug", "run a cell in gdb, and stop at an instant or a symbol"),
    "report": ("options.report", "make report.html again, print the summary"),
    "tune": ("options.tune", "the ms of TSQ that a radio needs"),
    "model": ("model", "closed forms of the radio and of the papers"),
    "packetdrill": ("options.packetdrill", "packetdrill's scripts, over one kernel or several"),
    "kernel": ("kernel", "build kernels, list what is built"),
    "completion": ("shells", "have bash, zsh or fish complete names and options"),
    "doctor": ("doctor", "say what is missing on this machine"),
}
"""The module of each command's options, and what it is for."""


def count_to(most: int) -> Callable[[str], int]:
    """An argument that counts something, from 1 to *most*."""

    def convert(text: str) -> int:
        if not re.fullmatch("[0-9]{1,18}", text) or not 1 <= int(text) <= most:
            given = repr(text) if len(text) <= 20 else f"{text[:20]!r}..."
            raise argparse.ArgumentTypeError(f"expected a number from 1 to {most}, not {given}")
        return int(text)

    return convert


def jobs(text: str) -> int:
    """How many things run at a time. More than a few for each CPU only cost memory."""
    return count_to(max(_JOBS_LEAST, _JOBS_OF_A_CPU * len(os.sched_getaffinity(0))))(text)


_JOBS_OF_A_CPU, _JOBS_LEAST = 4, 16


def folder(text: str) -> Path:
    """An argument that names a folder."""
    return Path(text)
