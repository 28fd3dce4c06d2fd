# SPDX-License-Identifier: GPL-2.0-or-later
"""Before and after: what a change costs or saves, and that it leaves each result as it was.

    python bench/pairs.py BEFORE [AFTER] [--rows abcdef] [--length SECONDS] [--repeats N]
                          [--ns3] [--json FILE]

BEFORE and AFTER are git revisions or folders of checkouts; AFTER is this checkout if it is not
given. Each is run by its own code over its own kernel, which is built first if it is not in the
cache. The rows are those of speed.py, from (a) to (f); --ns3 adds the uploads of ns3.py, in ns-3
and in both. --json writes all runs to a file.

Before and after take turns, and every other round after comes first, so that a machine whose
speed drifts favours neither. What counts is the CPU time of the guest's processes: the minima of
N runs (5) are compared, and the medians say how quiet the machine was. Only ratios within one run
of this program mean something.

"The same" says that the results of each round were the same document, but for the kernel's id,
which says what the kernel was built of. Otherwise the first difference follows the tables, and
the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

import machine
import ns3
import rows
from documents import difference
from trees import Tree, TreeError, checkout

SIDES = ("before", "after")

AIMS = {"CUBIC": 20.0, "UDP": 1.5}
"""How many times as fast as ns-3 an upload is to be."""

ROWS_HEAD = ("row", "before, CPU s: min / median", "after", "before, simulated s/s", "after",
             "times as fast", "results")  # fmt: skip
NS3_HEAD = ("upload", "ns-3, simulated s/s", "before", "after", "before, times as fast as ns-3",
            "after", "aim", "after as fast as before", "results")  # fmt: skip


@dataclass
class Pair:
    """A row, before and after."""

    name: str
    simulated_s: float
    # The CPU time of each run, in seconds.
    cpu_s: dict[str, list[float]] = field(default_factory=lambda: {side: [] for side in SIDES})
    differences: list[str] = field(default_factory=list)  # of each round whose results differ
    ns3_speeds: list[float] = field(default_factory=list)  # simulated s/s of the same in ns-3

    @property
    def times_as_fast(self) -> float:
        """How many times as fast it is after as before, of the cheapest runs."""
        return min(self.cpu_s["before"]) / min(self.cpu_s["after"])

    def speed(self, side: str) -> float:
        """Simulated seconds per second of CPU time, of the cheapest run."""
        return self.simulated_s / min(self.cpu_s[side])

    def times_ns3(self, side: str) -> float:
        """How many times as fast as ns-3 it is."""
        return self.speed(side) / max(self.ns3_speeds)

    @property
    def results(self) -> str:
        """Whether the results are the same, as the tables say it."""
        return "differ" if self.differences else "the same"


def order(round_number: int) -> Sequence[str]:
    """Who comes first in a round."""
    return SIDES if round_number % 2 == 0 else SIDES[::-1]


def run_round(pair: Pair, trees: Mapping[str, Tree], round_number: int, length_s: float) -> None:
    """Run a row once on each side, and compare the results."""
    documents = {}
    for side in order(round_number):
        outcome = trees[side].run(pair.name, length_s)
        pair.cpu_s[side].append(outcome.cpu_s)
        documents[side] = outcome.document
    if found := difference(documents["before"], documents["after"]):
        pair.differences.append(found)


def row_words(pair: Pair, title: str) -> list[str]:
    """A row of the first table."""
    costs = (f"{min(pair.cpu_s[side]):.3f} / {median(pair.cpu_s[side]):.3f}" for side in SIDES)
    # A set-up simulates nothing to speak of.
    measures = pair.simulated_s >= 1
    speeds = (f"{pair.speed(side):.2f}" if measures else "" for side in SIDES)
    return [f"({pair.name}) {title}", *costs, *speeds, f"{pair.times_as_fast:.3f}", pair.results]


def ns3_words(pair: Pair, flow: str) -> list[str]:
    """A row of the second table."""
    speeds = (f"{pair.speed(side):.2f}" for side in SIDES)
    times = [f"{pair.times_ns3(side):.1f}" for side in SIDES]
    aim = f"{AIMS[flow]:g}: {'met' if pair.times_ns3('after') >= AIMS[flow] else 'missed'}"
    fastest = f"{max(pair.ns3_speeds):.2f}"
    return [pair.name, fastest, *speeds, *times, aim, f"{pair.times_as_fast:.3f}", pair.results]


def print_row(words: Sequence[str]) -> None:
    """A row of a table, at once."""
    print(f"| {' | '.join(words)} |", flush=True)


def print_head(words: Sequence[str]) -> None:
    """The head of a table."""
    print_row(words)
    print(f"|{'---|' * len(words)}")


def compare_rows(trees: Mapping[str, Tree], options: argparse.Namespace) -> list[Pair]:
    """Run and print the first table."""
    known, pairs = rows.rows(options.length), []
    if options.rows:
        print_head(ROWS_HEAD)
    for name in options.rows:
        pair = Pair(name, known[name].simulated_s)
        for number in range(options.repeats):
            run_round(pair, trees, number, options.length)
        print_row(row_words(pair, known[name].title))
        pairs.append(pair)
    return pairs


def compare_ns3(
    peer: ns3.Peer, trees: Mapping[str, Tree], options: argparse.Namespace
) -> list[Pair]:
    """Run and print the second table: ns-3, and both sides with each radio, take turns."""
    known, found = ns3.rows(), []
    print_head(NS3_HEAD)
    for case in ns3.CASES:
        for flow in ns3.LENGTH_S:
            names = [ns3.name_of(case, radio, flow) for radio in case.radios]
            pairs = [Pair(name, known[name].simulated_s) for name in names]
            for number in range(options.repeats):
                speed = peer.run(case, flow).speed
                for pair in pairs:
                    pair.ns3_speeds.append(speed)
                    run_round(pair, trees, number, options.length)
            for pair in pairs:
                print_row(ns3_words(pair, flow))
            found += pairs
    return found


def run(options: argparse.Namespace, stack: ExitStack) -> int:
    """Do what the command line says."""
    trees, about = {}, {}
    for side in SIDES:
        name = getattr(options, side)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        tree = Tree(name, checkout(name, folder / "tree"), folder)
        trees[side] = stack.enter_context(tree)
        about[side] = {"name": name, **tree.about}
        print(f"{side}: {', '.join(about[side].values())}", flush=True)
    print()
    pairs = compare_rows(trees, options)
    if options.ns3:
        print()
        pairs += compare_ns3(stack.enter_context(ns3.Peer()), trees, options)
    print()
    for pair in pairs:
        for words in pair.differences[:1]:
            print(f"{pair.name}: {words}")
    print(f"{machine.processor()}, {machine.compiler()}; rounds: {options.repeats}")
    if options.json:
        runs = [asdict(pair) for pair in pairs]
        measured = {"processor": machine.processor(), "compiler": machine.compiler()}
        text = json.dumps({**measured, **about, "pairs": runs}, indent=1)
        options.json.write_text(f"{text}\n", "utf-8")
    return 1 if any(pair.differences for pair in pairs) else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; the exit status is 1 if a result differs."""
    options = parser().parse_args(arguments)
    try:
        with ExitStack() as stack:
            return run(options, stack)
    except TreeError as error:
        print(f"pairs.py: {error}", file=sys.stderr)
        return 2


def parser() -> argparse.ArgumentParser:
    """What the command line may say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("before", help="a git revision, or the folder of a checkout")
    parser.add_argument("after", nargs="?", default=str(ns3.HERE.parent), help="the same")
    parser.add_argument(
        "--rows", default="abcdef", type=_letters, help="which, as letters; none: ''"
    )
    parser.add_argument("--length", default=rows.LENGTH_S, type=float, metavar="SECONDS",
                        help="how much virtual time (a) to (d) measure")  # fmt: skip
    parser.add_argument("--repeats", default=5, type=int, metavar="N")
    parser.add_argument("--ns3", action="store_true", help="also the uploads of ns3.py")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser


def _letters(text: str) -> str:
    if wrong := set(text) - set(known := "".join(rows.rows())):
        raise argparse.ArgumentTypeError(f'no row "{min(wrong)}"; there are {known}')
    return text


if __name__ == "__main__":
    sys.exit(main())
