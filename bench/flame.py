# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the time of a cell goes: flame graphs of rows (a), (c) and (d) of speed.py.

    python bench/flame.py [FOLDER] [--rows acd] [--length SECONDS] [--frequency HZ]

Each cell is run once under perf record, which samples its guest's processes by the CPU clock, so
that it needs no hardware counters. Writes flame-NAME.svg into FOLDER (docs) for each, and prints
what share each part of the system has. docs/speed.md reads them.

The kernel is that of `tsqlab kernel build --debug`: its code is the usual one but for frame
pointers, which are how perf finds who called whom. It is built first if it is not in the cache (10
minutes of CPU time). So the graphs show shares; what a frame costs, speed.py measures.

Needs Debian's package linux-perf, and root, or kernel.perf_event_paranoid = 1 at most; with 2,
what is inside the host's kernel is not seen. The names of the host's functions are root's to see.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from flame_svg import draw
from perfdata import PerfDataError, read_samples
from rows import LENGTH_S, Row, rows
from stacks import Node, Resolver, fold, pruned, shares
from symbols import HOST, Symbols, rooms_of_build
from tsqlab.errors import TsqlabError
from tsqlab.guest.boot import Machine, boot_arguments
from tsqlab.guest.places import DONE_NAME, OUT_DIR
from tsqlab.guest.plan import make_plan
from tsqlab.guest.run import write_plan
from tsqlab.guest.sandbox import Mounts, sandboxed
from tsqlab.kernels import Kernel, Recipe, build
from tsqlab.paths import ROOT

NAMES = {"a": "l100m", "b": "lr1000m", "c": "ath9k_htc", "d": "ath9k"}
SHARE_MIN = 0.001
"""What has a smaller share of the samples has no box."""

_PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")
_PARANOID_MAX = 2
_KALLSYMS = "kallsyms"


def check_perf() -> None:
    """Raise TsqlabError, with what would do, where perf cannot sample."""
    if shutil.which("perf") is None:
        raise TsqlabError("no perf; sudo apt-get install linux-perf (Debian's package) has it")
    if os.geteuid() and int(_PARANOID.read_text("utf-8")) > _PARANOID_MAX:
        raise TsqlabError(
            "this machine lets nobody but root sample processes; "
            "sudo sysctl kernel.perf_event_paranoid=1 allows it until the next boot"
        )


def record(kernel: Kernel, row: Row, frequency_hz: int, folder: Path) -> Path:
    """Run a cell under perf in *folder*; returns what the guest wrote."""
    mounts = Mounts(folder / "plan", folder / "out")
    plan = make_plan(row.spec, row.profile).before_set_up(*row.first)
    # All modules are loaded by then.
    copied = ["run", "-", "cp", f"/proc/{_KALLSYMS}", f"{OUT_DIR}/{_KALLSYMS}"]
    write_plan(plan.after_set_up(copied), mounts.plan)
    mounts.out.mkdir()
    machine = Machine(kernel, row.spec.lab.memory, row.spec.lab.seed)
    guest = sandboxed(kernel, mounts, machine.memory_bytes, boot_arguments(machine))
    perf = ["perf", "record", "--quiet", "--event", "cpu-clock", "--freq", str(frequency_hz)]
    perf += ["--call-graph", "fp", "--output", str(folder / "perf.data"), "--"]
    pinned = ["taskset", "-c", str(max(os.sched_getaffinity(0)))]
    with (folder / "console").open("wb") as console:
        subprocess.run(
            [*perf, *pinned, *guest], stdout=console, stderr=subprocess.STDOUT, check=False
        )
    if not (mounts.out / DONE_NAME).exists():
        last = (folder / "console").read_text("utf-8", "replace").splitlines()[-10:]
        raise TsqlabError("\n  ".join(["the guest did not end its work under perf:", *last]))
    return mounts.out


def profile(kernel: Kernel, row: Row, frequency_hz: int, rooms: dict[str, str]) -> Node:
    """Run a cell, and fold its samples."""
    agent = subprocess.run(["nm", kernel.agent], capture_output=True, text=True, check=True)
    with tempfile.TemporaryDirectory() as name:
        out = record(kernel, row, frequency_hz, Path(name))
        resolver = Resolver(
            guest=Symbols((out / _KALLSYMS).read_text("utf-8"), rooms),
            host=Symbols(Path("/proc/kallsyms").read_text("utf-8"), {}, HOST),
            agent=Symbols(agent.stdout, {}),
        )
        samples = read_samples(Path(name) / "perf.data")
    return fold(resolver.stacks(samples), "all")


def print_table(columns: dict[str, dict[str, float]]) -> None:
    """The share that each part of the system has of each cell, in percent."""
    parts = {part: max(own.get(part, 0) for own in columns.values())
             for column in columns.values() for part in column}  # fmt: skip
    print(f"\n| part | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for part in sorted(parts, key=lambda each: -parts[each]):
        words = (f"{100 * own.get(part, 0):.1f}" for own in columns.values())
        print(f"| {part} | {' | '.join(words)} |")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the graphs, and print the shares of their parts."""
    options = _parser().parse_args(arguments)
    try:
        check_perf()
        kernel = build(Recipe(extra=("debug",)))
        rooms = rooms_of_build(kernel.linux.parent)
        known, columns = rows(options.length), {}
        for letter in options.rows:
            row = known[letter]
            root = profile(kernel, row, options.frequency, rooms)
            title = (
                f"{row.title}, {row.simulated_s:g} s: {root.samples} samples of CPU time at "
                f"{options.frequency} Hz; Linux {kernel.release} with frame pointers"
            )
            file = options.folder / f"flame-{NAMES[letter]}.svg"
            file.write_text(draw(pruned(root, round(root.samples * SHARE_MIN)), title), "utf-8")
            print(f"{file}: {title}", flush=True)
            columns[row.title] = dict(shares(root))
        print_table(columns)
    except (TsqlabError, PerfDataError, OSError) as error:
        print(f"flame.py: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "docs")
    parser.add_argument("--rows", default="acd", choices=["acd", "abcd", *NAMES])
    parser.add_argument("--length", default=LENGTH_S, type=float, metavar="SECONDS")
    parser.add_argument("--frequency", default=4000, type=int, metavar="HZ")
    return parser


if __name__ == "__main__":
    sys.exit(main())
