# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab show``: the testbed of an experiment, in words and as a picture; nothing is run."""

from __future__ import annotations

import argparse

from tsqlab.experiment.load import load
from tsqlab.guest.testbed import wiring
from tsqlab.report.picture import testbed_svg
from tsqlab.report.picture.alone import alone
from tsqlab.report.testbed import testbed_lines
from tsqlab.results.files import write_whole


def execute(options: argparse.Namespace) -> None:
    """Print the first cell's testbed, and draw it into a file if one is named."""
    experiment = load(options.experiment, options.set)
    cell, count = experiment.cells[0], len(experiment.cells)
    wired = wiring(cell.spec, experiment.profiles()[0], experiment.others()[0])
    print(experiment.spec.title)
    if count > 1:
        print(f"{cell.title}, the first of {count}")
    for line in testbed_lines(cell.spec, wired):
        print(line)
    if options.svg is not None:
        write_whole(options.svg, alone(testbed_svg(cell.spec, wired)).encode())
