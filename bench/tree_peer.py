# SPDX-License-Identifier: GPL-2.0-or-later
"""A checkout as a process: a line of JSON in, what to run; a line out, what it cost.

Runs with a PYTHONPATH that has the checkout's own ``src``, so that its code plans the cells, runs
them over its own kernel and makes their results. trees.py starts it, and has the messages. The
rows are of the checkout in which this file is, so that both of a pair run the same.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

import ns3
import rows
import tsqlab.runner.cell as cells
from cost import run_row
from tsqlab.errors import TsqlabError
from tsqlab.experiment.matrix import Cell
from tsqlab.kernels import Kernel, Recipe, build
from tsqlab.paths import ROOT
from tsqlab.results.flent import to_flent


def run(kernel: Kernel, row: rows.Row, result: Path) -> dict[str, Any]:
    """Run one row, write its result's document, and say what it cost."""
    done = run_row(kernel, row)
    # What a cell of `tsqlab run` writes, but for the key, by which such a run finds its results.
    job = cells.Job(Cell({}, row.spec), "", row.profile, kernel, result.parent)
    document = to_flent(cells._record(job, done.result))
    result.write_text(json.dumps(document, sort_keys=True), "utf-8")
    return {"cpu_s": done.cpu_s}


def answer(kernel: Kernel, asked: dict[str, Any]) -> dict[str, Any]:
    """Do what one line asks for."""
    known = rows.rows(asked["length_s"]) | ns3.rows()
    try:
        return run(kernel, known[asked["row"]], Path(asked["result"]))
    except TsqlabError as error:
        return {"error": str(error)}


def main() -> None:
    """Say which kernel it is, then answer one line after the other."""
    answers = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        kernel = build(Recipe())
        about = {"root": str(ROOT), "release": kernel.release, "kernel": kernel.id}
        print(json.dumps(about), file=answers, flush=True)
        for line in sys.stdin:
            print(json.dumps(answer(kernel, json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
