# SPDX-License-Identifier: GPL-2.0-or-later
"""What ``tsqlab run`` takes."""

from __future__ import annotations

import argparse

from tsqlab.cli import count_to, folder
from tsqlab.cli.options import add_jobs, add_sandbox, later
from tsqlab.experiment.shard import WHOLE, Shard, shard_of

MORE_MAX = 100  # further seeds of a cell; each costs as much as the cell


def shard(text: str) -> Shard:
    """An argument that is one shard of several."""
    try:
        return shard_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


LOCAL, DASK = "local", "dask:"
"""What --executor takes: this machine, or what the address of a Dask scheduler follows."""


def executor(text: str) -> str:
    """An argument that says where cells are run."""
    if text == LOCAL or (text.startswith(DASK) and text != DASK):
        return text
    raise argparse.ArgumentTypeError(
        f"expected {LOCAL}, or {DASK}ADDRESS as the scheduler prints it "
        f"({DASK}tcp://10.0.0.1:8786), not {text!r}"
    )


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "experiment", nargs="?", help="a file, or the name of a bundled one (tsqlab list)"
    )
    parser.add_argument(
        "--all", action="store_true", help="every bundled experiment, the shortest first"
    )
    add_jobs(parser, "cells")
    parser.add_argument(
        "--executor", type=executor, default=LOCAL, metavar="WHERE",
        help=f"where cells are run: {LOCAL}, or {DASK}ADDRESS, the workers of a Dask scheduler, "
        "whose threads then are the cells at a time",
    )  # fmt: skip
    parser.add_argument(
        "--out",
        type=folder,
        metavar="DIR",
        help="the results' folder (default: results/NAME, and what was changed); with --all, "
        "the folder of their folders",
    )
    parser.add_argument(
        "--more-seeds", type=count_to(MORE_MAX), default=0, metavar="N",
        help="up to N further seeds of the cells whose claims' verdicts the seeds leave open",
    )  # fmt: skip
    parser.add_argument(
        "--today", action="store_true",
        help="the same cells once more over hosts of today, beside those of the experiment's era",
    )  # fmt: skip
    parser.add_argument(
        "--shard", type=shard, metavar="K/N", default=WHOLE,
        help="only the K-th part of N of the cells; tsqlab merge puts the parts together",
    )  # fmt: skip
    parser.add_argument("--seed", metavar="N", help="one seed in place of the file's")
    parser.add_argument("--kernel", metavar="NAME", help="one kernel in place of the file's")
    parser.add_argument(
        "--capture", metavar="NAME,...",
        help="a pcap beside each cell, of egresses and of what is on the air: 'C>AP,air'",
    )  # fmt: skip
    parser.add_argument(
        "--trace", metavar="EVENT,...",
        help="the kernel's trace events beside each cell: 'tcp:*'; builds a kernel that has them",
    )  # fmt: skip
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="overrides",
        help="change a key of the file; a list makes it vary",
    )  # fmt: skip
    add_sandbox(parser)
    parser.set_defaults(command=later("run"))
