# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab completion``: the lines by which a shell completes tsqlab's commands."""

from __future__ import annotations

import argparse

SHELLS = ("bash", "zsh", "fish")


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("shell", choices=SHELLS, help="the shell that is to complete")
    parser.set_defaults(command=_print)


def _print(options: argparse.Namespace) -> None:
    # Every --help would wait for it.
    from argcomplete.shell_integration import shellcode  # noqa: PLC0415

    print(shellcode(["tsqlab"], shell=options.shell))
