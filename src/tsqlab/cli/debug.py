# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab debug``: a cell in gdb, which stops at a virtual instant, at a symbol, or at a panic."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tsqlab.bubblewrap import NONE, VARIABLE, wanted
from tsqlab.cli.cells import after_ns, chosen, guest_of, terminal_kind
from tsqlab.cli.kernels import build_shown, module_of, recipe_for
from tsqlab.errors import TsqlabError, UsageError
from tsqlab.experiment.matrix import Cell
from tsqlab.guest.debug import Stop, run_in_gdb
from tsqlab.guest.sandbox import program_in_guests
from tsqlab.kernels import Kernel, Recipe
from tsqlab.kernels.own_modules import OwnModule
from tsqlab.kernels.own_source import Source

COMMANDS_BYTES_MAX = 1 << 20


def execute(options: argparse.Namespace) -> int:
    """Run the cell in gdb; returns what gdb does."""
    if wanted() == NONE:
        raise UsageError(
            f"{VARIABLE}={NONE}: gdb is run in bubblewrap's sandbox, beside the guest; there is no "
            "debugging without"
        )
    if not program_in_guests("gdb"):
        raise TsqlabError("no gdb; try: sudo apt-get install gdb")
    experiment = chosen(options)
    spec = experiment.spec
    at = after_ns(spec, options.at)
    is_batch = options.batch or not (sys.stdin.isatty() and sys.stdout.isatty())
    commands = (*options.commands, *([] if sys.stdin.isatty() else [_input()]))
    guest = guest_of(experiment, _kernel_for, _module_for)
    stop = Stop(
        guest.begin_ns,
        None if at is None else guest.begin_ns + at,
        tuple(options.symbols),
        commands,
        is_batch,
        {port.device: port.node for port in guest.wired.ports},
    )
    with TemporaryDirectory(prefix="tsqlab-", ignore_cleanup_errors=True) as folder:
        return run_in_gdb(guest.machine, guest.plan, stop, Path(folder), terminal_kind())


def _input() -> str:
    text = sys.stdin.buffer.read(COMMANDS_BYTES_MAX + 1).decode("utf-8", "surrogateescape")
    if len(text) > COMMANDS_BYTES_MAX:
        raise UsageError(f"the input has more than {COMMANDS_BYTES_MAX >> 20} MiB")
    return text


def _recipe_for(cell: Cell) -> Recipe:
    """The cell's kernel with debug information."""
    recipe = recipe_for(cell)
    return dataclasses.replace(recipe, extra=tuple(dict.fromkeys([*recipe.extra, "debug"])))


def _kernel_for(cell: Cell) -> Kernel:
    return build_shown(_recipe_for(cell))


def _module_for(cell: Cell, kernel: Kernel, source: Source) -> OwnModule:
    return module_of(_recipe_for(cell), kernel, source)
