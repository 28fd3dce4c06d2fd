# SPDX-License-Identifier: GPL-2.0-or-later
"""One cell's guest by hand: its plan to read and edit, its console, gdb.

    .venv/bin/python tools/guest.py FOLDER EXPERIMENT [KEY=VALUE ...] [--plan | --gdb]

The first cell of the experiment, with keys changed as by ``tsqlab run --set``. Its plan is
written to FOLDER/plan if there is none, so an edited one stays. Then the guest is run: its
console is FOLDER/console, what it leaves is in FOLDER/out. With --plan it is not run; with --gdb
it is run in gdb, inside its sandbox, over a kernel with debug information, which is built once
(it needs 10 minutes of CPU time and 0.6 GB). CONTRIBUTING.md shows a session.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from tsqlab.cli.kernels import recipe_for
from tsqlab.errors import TsqlabError
from tsqlab.experiment.load import load
from tsqlab.experiment.spec import Spec
from tsqlab.guest.boot import Machine, boot_arguments, run_guest
from tsqlab.guest.own_modules import shown
from tsqlab.guest.places import MODULE_DIR, OUT_DIR, PLAN_NAME
from tsqlab.guest.plan import make_plan
from tsqlab.guest.run import mounts_of, write_plan
from tsqlab.guest.sandbox import Mounts, sandboxed
from tsqlab.kernels import Kernel, against, build
from tsqlab.kernels.own_modules import own_module
from tsqlab.kernels.progress import Unwatched
from tsqlab.paths import ROOT, cache
from tsqlab.runner.programs import seen_by

SCRIPT = ROOT / "tools" / "guest_gdb.py"


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        _run(options)
    except (TsqlabError, OSError) as error:
        print(f"guest.py: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("experiment")
    parser.add_argument("keys", nargs="*", metavar="KEY=VALUE")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--plan", action="store_true", help="write the plan, and boot nothing")
    how.add_argument("--gdb", action="store_true", help="run it in gdb")
    return parser


def _run(options: argparse.Namespace) -> None:
    experiment = load(options.experiment, options.keys)
    cell = experiment.cells[0]
    folder = options.folder.resolve()
    plan = make_plan(cell.spec, experiment.profiles()[0], experiment.others()[0])
    plan = dataclasses.replace(plan, shown=seen_by(experiment, cell, {}).shown)
    mounts = mounts_of(plan, folder)
    if not (mounts.plan / PLAN_NAME).exists():
        write_plan(plan, mounts.plan)
    print(f"cell {cell.id}; its plan: {mounts.plan / PLAN_NAME}")
    if options.plan:
        return
    shutil.rmtree(mounts.out, ignore_errors=True)
    mounts.out.mkdir(parents=True)
    recipe = recipe_for(cell)
    if options.gdb:
        recipe = dataclasses.replace(recipe, extra=("debug",))
    kernel = build(recipe)
    modules = [own_module(source, kernel.linux.parent, against(recipe, kernel), Unwatched())
               for source in experiment.modules()[0]]  # fmt: skip
    mounts = dataclasses.replace(mounts, shown=shown(modules))
    if options.gdb:
        _debug(_machine(cell.spec, kernel), mounts)
    else:
        run_guest(_machine(cell.spec, kernel), mounts, folder / "console")
        print(f"its console: {folder / 'console'}; its results: {mounts.out}")


def _machine(spec: Spec, kernel: Kernel) -> Machine:
    return Machine(kernel, spec.lab.memory, spec.lab.seed)


def _debug(machine: Machine, mounts: Mounts) -> None:
    """Become a gdb that runs the guest, in the guest's sandbox.

    gdb looks into /proc, reads the sources of the kernel where they were compiled, and needs the
    terminal, which a sandbox otherwise has not. The console would stand between gdb's lines, so it
    is FOLDER/out/console.
    """
    arguments = boot_arguments(machine)
    command = sandboxed(machine.kernel, mounts, machine.memory_bytes, arguments)
    sandbox, program = command[: -len(arguments) - 1], command[-len(arguments) - 1]
    sandbox.remove("--new-session")
    # The guest runs as nobody, who could not enter folders that bubblewrap makes on the way to a
    # bind.
    ways = [folder for path in (cache(), SCRIPT) for folder in reversed(path.parents)]
    more = [
        *(word for folder in dict.fromkeys(ways) for word in ("--dir", str(folder))),
        *("--proc", "/proc", "--ro-bind", str(cache()), str(cache())),
        *("--ro-bind", str(SCRIPT), str(SCRIPT), "--setenv", "MODULE_DIR", MODULE_DIR),
    ]
    at = sandbox.index("--remount-ro")
    args = f"set args {shlex.join(arguments)} >{OUT_DIR}/console 2>&1"
    gdb = ["gdb", "-q", "-nx", "-x", str(SCRIPT), "-ex", args, program]
    os.execvp(sandbox[0], [*sandbox[:at], *more, *sandbox[at:], *gdb])


if __name__ == "__main__":
    sys.exit(main())
