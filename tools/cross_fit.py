#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the numbers that no source says would be, fitted to all claims, and what a fit is worth.

    PYTHONPATH=src python3 tools/cross_fit.py results/fit

Two numbers of the profiles are not read anywhere: how long ath9k_htc's firmware takes from an
exchange to its next aggregate, and how long ath10k's takes to report one. No claim depends on
both. The experiments of such a card are run once for each value, and a value is as good as the
number of claims that hold with it.

More claims hold with a fitted number than with a guessed one whether it is true or not. So the
claims are divided in two, every other one of them in each half, in the order of their names: a
number that is fitted to one half is judged by the other, both ways. Where several values are as
good, the one in the middle of them is taken.

A seed is enough, since what is asked is which way the claims go: some 20 minutes on two cores. What
has been run is kept in the folder.
"""

import argparse
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tsqlab.experiment.claims import claims_of
from tsqlab.experiment.load import load
from tsqlab.experiment.profile import Airlink, load_profile
from tsqlab.experiment.reference import reference_of
from tsqlab.experiment.stored import read_folder
from tsqlab.report.table import markdown
from tsqlab.report.verdicts import check

Held = Mapping[str, bool]
"""Whether each claim holds, by its name."""


@dataclass(frozen=True)
class Unknown:
    """A number that no source says."""

    name: str
    values_us: Sequence[int]
    keys: Mapping[str, int]  # those that it decides: so many us more than it
    experiments: Sequence[str]  # those that have claims of the card
    device: str  # the card: the profile that has the number, which is among the values

    def options(self, value_us: int) -> list[str]:
        """What sets it to a value."""
        return [f'profile.{key}="{value_us + more} us"' for key, more in self.keys.items()]


UNKNOWNS = (
    Unknown(
        "ath9k_htc.refill_delay",
        (200, 250, 300, 350, 400, 450, 500),
        # Completions go up after the next aggregate was formed (docs/calibration.md).
        {"refill_delay": 0, "report_delay": 125},
        ("agg-4", "agg-6", "cotsq-3", "cotsq-4", "cotsq-5",
         "lwn-1", "lwn-2", "lwn-3", "lwn-4", "lwn-5"),
        "ath9k_htc",
    ),
    Unknown(
        "ath10k.report_delay",
        (0, 250, 500, 1000, 1500, 2000),
        {"report_delay": 0},
        ("agg-9", "agg-13", "cotsq-9", "lwn-4"),
        "ath10k_3x3",
    ),
)  # fmt: skip


def run(unknown: Unknown, value_us: int, folder: Path) -> Held:
    """Run the experiments with a value, and judge their claims."""
    held: dict[str, bool] = {}
    for experiment in unknown.experiments:
        out = folder / f"{unknown.name}-{value_us}us" / experiment
        options = unknown.options(value_us)
        if "device" in load(experiment).factors:
            options.append(f"device={unknown.device}")
        command = [sys.executable, "-m", "tsqlab.cli", "run", experiment, "--seed", "1"]
        command += ["--out", str(out), *(word for text in options for word in ("--set", text))]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        held |= judged(out, experiment)
    return held


def judged(out: Path, experiment: str) -> Held:
    """The claims of an experiment that have a number here, and are counted."""
    return {
        verdict.claim.id: verdict.claim.accepts(verdict.lab.mean)
        for verdict in check(
            read_folder(out).whole, claims_of(experiment), reference_of(experiment)
        )
        if verdict.lab and not verdict.claim.same_as
    }


def halves(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Every other name, in their order, and the rest."""
    ordered = sorted(names)
    return ordered[::2], ordered[1::2]


def best(tried: Mapping[int, Held], names: Sequence[str]) -> int:
    """The value with which most of the claims hold; of several, the one in the middle."""
    counts = {value: count(held, names) for value, held in tried.items()}
    good = [value for value in sorted(counts) if counts[value] == max(counts.values())]
    return good[(len(good) - 1) // 2]


def count(held: Held, names: Sequence[str]) -> int:
    """How many of the claims hold."""
    return sum(held.get(name, False) for name in names)


def bundled_us(unknown: Unknown) -> int:
    """What the profile has."""
    profile = load_profile(unknown.device)
    assert isinstance(profile, Airlink)
    return profile.number(unknown.name.partition(".")[2]) // 1000


def report(unknown: Unknown, tried: Mapping[int, Held], bundled: int) -> list[str]:
    """The table, as Markdown, and what either half says of the value that is *bundled*."""
    names = sorted({name for held in tried.values() for name in held})
    first, second = halves(names)
    rows = [
        [f"{value} us", *(str(count(held, part)) for part in (names, first, second))]
        for value, held in sorted(tried.items())
    ]
    sizes = [str(len(part)) for part in (names, first, second)]
    head = [f"`{unknown.name}`", "all", "one half", "the other"]
    lines = [markdown(head, [["of", *sizes], *rows]), ""]
    for name, fitted, other in (("one half", first, second), ("the other", second, first)):
        value = best(tried, fitted)
        lines.append(
            f"fitted to {name}: {value} us, with which {count(tried[value], other)} of the "
            f"{len(other)} others hold; with the profile's {bundled} us "
            f"{count(tried[bundled], other)}"
        )
    lines.append(f"fitted to all: {best(tried, names)} us")
    moved = [name for name in names if len({held.get(name) for held in tried.values()}) > 1]
    lines.append(f"claims that it moves: {', '.join(moved)}")
    return lines


def main() -> None:
    """Run and judge all."""
    parser = argparse.ArgumentParser(description="Fit what no source says, and judge the fit.")
    parser.add_argument("folder", type=Path, help="for the results")
    folder = parser.parse_args().folder
    for unknown in UNKNOWNS:
        tried = {value: run(unknown, value, folder) for value in unknown.values_us}
        print("\n".join(report(unknown, tried, bundled_us(unknown))), "\n", flush=True)


if __name__ == "__main__":
    main()
