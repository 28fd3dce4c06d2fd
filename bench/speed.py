# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast the lab is: simulated seconds per second of CPU time, and the cost of a frame.

    python bench/speed.py [REPEATS]

(a) one CUBIC upload on L100M; (b) one on a 1 Gbit/s wireline without TSO; (c) one from an
ath9k_htc, which is fullmac, and (d) from an ath9k, below mac80211; (e) from the boot to the first
packet in a testbed of three nodes, (f) in (d)'s. The cheapest of REPEATS runs (3). What the boot
takes and building the same testbed is left out of a frame's cost. pairs.py has the same rows for
two checkouts.
"""

from __future__ import annotations

import sys

from cost import Run, run_row
from rows import Row, rows, sent_frames, set_up
from tsqlab.kernels import Kernel, Recipe, build
from tsqlab.results.measurement import Measurement

AIMS = {"a": 30, "b": 3, "c": 10, "d": 6}
"""How many simulated seconds a second of CPU time is to take."""
SET_UP_AIM_S = 1


def best(kernel: Kernel, row: Row, repeats: int) -> Run[Measurement]:
    """The cheapest of several runs."""
    return min((run_row(kernel, row) for _ in range(repeats)), key=lambda run: run.cpu_s)


def main() -> None:
    """Print a line for each row."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    kernel = build(Recipe())
    known = rows()
    for letter, aim in AIMS.items():
        row = known[letter]
        run, begun = best(kernel, row, repeats), best(kernel, set_up(letter), repeats)
        frames = sent_frames(run.result)
        cost_us = (run.cpu_s - begun.cpu_s) / frames * 1e6
        print(
            f"({letter}) {row.title}: {row.simulated_s / run.cpu_s:.1f} simulated s/s (aim {aim}), "
            f"{cost_us:.2f} us of CPU per data frame, "
            f"{frames} frames in {run.cpu_s:.2f} s",
            flush=True,
        )
    for letter in "ef":
        run = best(kernel, known[letter], repeats)
        print(f"({letter}) {known[letter].title}: {run.cpu_s:.2f} s (aim {SET_UP_AIM_S})")
    print(f"Linux {kernel.release}, {kernel.hz} Hz")


if __name__ == "__main__":
    main()
