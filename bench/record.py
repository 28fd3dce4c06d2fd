# SPDX-License-Identifier: GPL-2.0-or-later
"""What a frame and a set-up cost, commit by commit: one line, and how it compares with the last.

    python bench/record.py              # measure, print, compare with bench/record.csv: CI does it
    python bench/record.py --append     # the same, and add the line: make bench-record
    python bench/record.py --spread 10  # measure ten times, and print how far the numbers lie apart

Two cells are run (one CUBIC upload over L100M and one over ath9k_htc, 10 s each) and both once
more for their set-up alone. A number is their CPU time over that of a fixed piece of work
(calibration.c) in the same minute on the same machine, so that neither how fast the machine is nor
how fast it is today matters:

    frame    the CPU time of 100,000 data frames without boot and set-up / that of calibration.c
    set-up   the CPU time of boot and set-up / that of calibration.c

Both take turns, and the cheapest of ROUNDS counts of each. Processors and compilers differ in what
they are good at, so a line is compared with lines of the same ones only: with the median of the
last LAST of these. Above it by more than SPREAD is called slower. That is a warning and never a
failure: whatever else the machine does costs a guest its caches. How far the rounds lie apart shows
it, and is said. If it stays, ask pairs.py, which runs both commits by turns.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import machine
from cost import run_row
from rows import sent_frames, set_up, upload
from tsqlab.errors import TsqlabError
from tsqlab.kernels import Kernel, Recipe, build
from tsqlab.paths import ROOT

HERE = Path(__file__).resolve().parent
RECORD = HERE / "record.csv"
CELLS = {"L100M": "a", "ath9k_htc": "c"}
LENGTH_S = 10.0
ROUNDS = 3
FRAMES = 100_000
LAST = 5
SPREAD = 0.1
"""How far above the last lines a number may be before it is called slower: chosen; on the machine
in question --spread says what it has to be."""
QUIET = 0.1
"""How far the usual round may be above the cheapest on a quiet machine: chosen."""

ABOUT = ("date", "commit", "processor", "compiler")
"""The columns before the numbers."""

DIRTY = "-dirty"
"""What stands behind a commit when the checkout has changes."""

Numbers = dict[str, float]
Costs = dict[str, list[float]]
"""The CPU time of each round, in seconds, by what was run."""


@dataclass(frozen=True)
class Line:
    """A line of the record."""

    date: str  # of the commit
    commit: str
    processor: str
    compiler: str
    numbers: Mapping[str, float]

    def comparable(self, other: Line) -> bool:
        """Whether both were measured by the same processor, with the same compiler."""
        return (self.processor, self.compiler) == (other.processor, other.compiler)

    def words(self) -> list[str]:
        """The cells of the table."""
        numbers = (f"{number:.3f}" for number in self.numbers.values())
        return [self.date, self.commit, self.processor, self.compiler, *numbers]


def read_record(text: str) -> list[Line]:
    """The lines of a record, the oldest first."""
    lines = []
    for row in csv.DictReader(text.splitlines()):
        date, commit, processor, compiler = (row.pop(name) for name in ABOUT)
        numbers = {name: float(number) for name, number in row.items()}
        lines.append(Line(date, commit, processor, compiler, numbers))
    return lines


def compared(line: Line, before: Sequence[Line]) -> list[str]:
    """What is to be said of a line after those *before*, a sentence for each thing."""
    others = [other for other in before if other.comparable(line)][-LAST:]
    if not others:
        return [
            f"bench/record.csv has no line of {line.processor} with {line.compiler} yet, to "
            "compare with: make bench-record adds one"
        ]
    said = []
    for name, number in line.numbers.items():
        usual = median(other.numbers[name] for other in others)
        change = number / usual - 1
        if abs(change) > SPREAD:
            word = "SLOWER" if change > 0 else "faster"
            said.append(f"{word}: {name} {number:.3f}, {change:+.0%} to the last {len(others)} "
                        f"lines' {usual:.3f}")  # fmt: skip
    return said or [f"as the last {len(others)} lines, within {SPREAD:.0%}"]


def unrest(costs: Costs) -> float:
    """How far the usual round is above the cheapest, of what that differs most of."""
    return max(median(each) / min(each) - 1 for each in costs.values())


def calibrate(program: Path) -> float:
    """The CPU time of the fixed piece of work, in seconds."""
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[0]) / 1e9


def measure(kernel: Kernel, program: Path) -> tuple[Numbers, Costs]:
    """Run all in turn, and make the numbers of the cheapest rounds."""
    costs: Costs = {}
    frames: dict[str, int] = {}
    for _ in range(ROUNDS):
        costs.setdefault("calibration", []).append(calibrate(program))
        for name, letter in CELLS.items():
            run = run_row(kernel, upload(letter, LENGTH_S))
            frames[name] = sent_frames(run.result)
            costs.setdefault(name, []).append(run.cpu_s)
            costs.setdefault(f"{name} set-up", []).append(run_row(kernel, set_up(letter)).cpu_s)
    return numbers_of(costs, frames), costs


def numbers_of(costs: Costs, frames: Mapping[str, int]) -> Numbers:
    """The numbers of the cheapest rounds."""
    best = {name: min(each) for name, each in costs.items()}
    numbers = {}
    for name, sent in frames.items():
        own_s = best[name] - best[f"{name} set-up"]
        numbers[f"{name} frame"] = own_s / sent * FRAMES / best["calibration"]
        numbers[f"{name} set-up"] = best[f"{name} set-up"] / best["calibration"]
    return numbers


def git(*words: str) -> str:
    """What git says of the checkout that is measured."""
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def measured_line(numbers: Numbers) -> Line:
    """The line of what was measured here."""
    changed = DIRTY if git("status", "--porcelain", "--", ":!bench/record.csv") else ""
    date, _, commit = git("log", "-1", "--format=%cs %h", "--abbrev=12").partition(" ")
    return Line(date, commit + changed, machine.processor(), machine.compiler(), numbers)


def spread(kernel: Kernel, program: Path, times: int) -> None:
    """Print how far the numbers of several measurements lie apart."""
    found = [measure(kernel, program)[0] for _ in range(times)]
    for name in found[0]:
        each = [numbers[name] for numbers in found]
        usual = median(each)
        print(f"{name}: median {usual:.3f}, from {min(each) / usual - 1:+.1%} to "
              f"{max(each) / usual - 1:+.1%} of it")  # fmt: skip


def report(line: Line, costs: Costs, record: str) -> str:
    """What is printed: the line below its columns' names, and how it compares."""
    said = compared(line, read_record(record))
    if any(words.startswith("SLOWER") for words in said):
        said = ["!" * 72, *said, "pairs.py says whether it is this commit: docs/speed.md", "!" * 72]
    if (above := unrest(costs)) > QUIET:
        said.append(
            f"the machine was busy: the same guests cost {above:.0%} more in other rounds, so "
            "these numbers mean little; run it again when it is quiet"
        )
    return "\n".join([record.splitlines()[0], ",".join(line.words()), *said])


def append(line: Line) -> None:
    """Add the line to the record. Raises TsqlabError where it would be of no commit."""
    if line.commit.endswith(DIRTY):
        raise TsqlabError("a line of the record is of a commit: commit first what has changed")
    with RECORD.open("a", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerow(line.words())


def run(options: argparse.Namespace) -> None:
    """Do what the command line says."""
    kernel = build(Recipe())
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "calibration"
        command = ["gcc", "-O2", "-o", str(program), str(HERE / "calibration.c")]
        subprocess.run(command, check=True)
        if options.spread:
            spread(kernel, program, options.spread)
            return
        numbers, costs = measure(kernel, program)
    line = measured_line(numbers)
    print(report(line, costs, RECORD.read_text("utf-8")), flush=True)
    if options.append:
        append(line)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and compare; the exit status says only whether that could be done."""
    options = _parser().parse_args(arguments)
    try:
        run(options)
    except TsqlabError as error:
        print(f"record.py: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--append", action="store_true", help="add the line to bench/record.csv")
    how.add_argument("--spread", type=int, metavar="N", help="measure N times, and compare those")
    return parser


if __name__ == "__main__":
    sys.exit(main())
