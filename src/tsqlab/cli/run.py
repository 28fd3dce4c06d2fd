# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab run``: an experiment's cells, then its table and report."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tsqlab.cli import folder, positive
from tsqlab.cli.kernels import kernel_for
from tsqlab.cli.progress import SweepProgress
from tsqlab.cli.report import show
from tsqlab.experiment import load
from tsqlab.runner.sweep import jobs_of, run


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("run", help="run an experiment")
    parser.add_argument("experiment", help="a file, or the name of a bundled one (tsqlab list)")
    parser.add_argument(
        "--jobs", type=positive, default=len(os.sched_getaffinity(0)), metavar="N",
        help="cells at a time (default: one a CPU)",
    )  # fmt: skip
    parser.add_argument(
        "--out",
        type=folder,
        metavar="DIR",
        help="the results' folder (default: results/NAME, and what was changed)",
    )
    parser.add_argument("--seed", metavar="N", help="one seed in place of the file's")
    parser.add_argument("--kernel", metavar="NAME", help="one kernel in place of the file's")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="overrides",
        help="change a key of the file; a list makes it vary",
    )  # fmt: skip
    parser.set_defaults(command=_run)


def _own_folder(name: str, overrides: Sequence[str]) -> Path:
    """Where results go by themselves: what was changed for one run does not replace the rest."""
    return Path("results") / re.sub(r"[^\w.,=+-]+", "_", ",".join([name, *overrides]))[:200]


def _run(options: argparse.Namespace) -> None:
    overrides = list(options.overrides)
    overrides += [f"seed={options.seed}"] if options.seed is not None else []
    overrides += [f'kernel="{options.kernel}"'] if options.kernel is not None else []
    experiment = load(options.experiment, overrides)
    out: Path = options.out or _own_folder(experiment.name, overrides)
    jobs = jobs_of(experiment, out, kernel_for)
    with closing(SweepProgress()) as progress:
        run(experiment, jobs, out, options.jobs, progress)
    show(out)
