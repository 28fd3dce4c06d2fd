# SPDX-License-Identifier: GPL-2.0-or-later
"""One cell's guest by hand: its plan to read and edit, its console.

    .venv/bin/python tools/guest.py FOLDER EXPERIMENT [KEY=VALUE ...] [--plan]

The first cell of the experiment, with keys changed as by ``tsqlab run --set``. Its plan is
written to FOLDER/plan if there is none, so an edited one stays. Then the guest is run: its
console is FOLDER/console, what it leaves is in FOLDER/out. With --plan it is not run.
CONTRIBUTING.md shows a session; ``tsqlab shell`` and ``tsqlab debug`` look into a guest.
"""

from __future__ import annotations

import argparse
import dataclasses
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from tsqlab.cli.kernels import recipe_for
from tsqlab.errors import TsqlabError
from tsqlab.experiment.load import load
from tsqlab.guest.boot import Machine, run_guest
from tsqlab.guest.own_modules import shown
from tsqlab.guest.places import PLAN_NAME
from tsqlab.guest.plan import make_plan
from tsqlab.guest.run import mounts_of, write_plan
from tsqlab.kernels import against, build
from tsqlab.kernels.own_modules import own_module
from tsqlab.kernels.progress import Unwatched
from tsqlab.runner.programs import seen_by


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
    parser.add_argument("--plan", action="store_true", help="write the plan, and boot nothing")
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
    recipe, lab = recipe_for(cell), cell.spec.lab
    kernel = build(recipe)
    modules = [own_module(source, kernel.linux.parent, against(recipe, kernel), Unwatched())
               for source in experiment.modules()[0]]  # fmt: skip
    mounts = dataclasses.replace(mounts, shown={**mounts.shown, **shown(modules)})
    run_guest(Machine(kernel, lab.memory, lab.seed), mounts, folder / "console")
    print(f"its console: {folder / 'console'}; its results: {mounts.out}")


if __name__ == "__main__":
    sys.exit(main())
