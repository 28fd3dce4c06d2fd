# SPDX-License-Identifier: GPL-2.0-or-later
"""What the commands take that load the whole lab, apart from what they do.

So their --help, and a mistake in what is given, wait for nothing: pydantic, numpy and our own
schemas take half a second.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module


def later(module: str) -> Callable[[argparse.Namespace], None]:
    """The command of that module of tsqlab.cli, which is loaded when the command is run."""

    def command(options: argparse.Namespace) -> None:
        import_module(f"tsqlab.cli.{module}").execute(options)

    return command
