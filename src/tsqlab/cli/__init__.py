# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: arguments in, exit status out.

Status 0: done. 1: the work failed. 2: bad usage or a bad file. 130: interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from tsqlab import __version__
from tsqlab.errors import TsqlabError, UsageError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Every failure is a line on stderr, never a traceback."""
    try:
        given = sys.argv[1:] if arguments is None else list(arguments)
        options = _parser(given).parse_args(given)
        options.command(options)
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
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print(f"tsqlab: {error}", file=sys.stderr)
        return 1
    return 0


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """The parser, with the options of the command that *arguments* begin with.

    A command's module is loaded when it is asked for, since some of them take half a second.
    """
    parser = argparse.ArgumentParser(
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
    "run": ("run", "run an experiment"),
    "list": ("listing", "experiments, device profiles, kernels"),
    "report": ("report", "make report.html again, print the summary"),
    "tune": ("tune", "the ms of TSQ that a radio needs"),
    "model": ("model", "closed forms of the radio and of the papers"),
    "kernel": ("kernel", "build kernels, list what is built"),
    "doctor": ("doctor", "say what is missing on this machine"),
}
"""Each command's module, and what it is for."""


def positive(text: str) -> int:
    """An argument that counts something."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number from 1 on, not {text!r}")
    return int(text)


def folder(text: str) -> Path:
    """An argument that names a folder."""
    return Path(text)
