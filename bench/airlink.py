# SPDX-License-Identifier: GPL-2.0-or-later
"""What a frame costs as a cell grows: saturated UDP from 1, 8 and 64 stations to a fullmac AP.

    python bench/airlink.py [REPEATS]

HT40 MCS7 SGI, single frames and aggregates of 32. Each row is two guests, which run for
different times. Both have the cost of the boot, of the set-up and of the stations' sockets, so
it cancels out. "A frame" is one that was acknowledged; "an exchange" is one PPDU on the air,
answered or not. The cheapest of REPEATS (3) counts, in CPU time.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cost import run_measured
from tsqlab.kernels import Kernel, Recipe, build
from tsqlab.model.phy import Rate

sys.path.append(str(Path(__file__).parent.parent / "tests" / "support"))
from bss import Bss, counts, plan

HT150 = Rate("HT", 40, 1, 7, 400)
STATIONS = (1, 8, 64)
AGGREGATES = (1, 32)
SHORT_S, LONG_S = 1, 6
STEP_NS = 10**9  # the sampling period; every radio and every flow has a process that samples


def measure(kernel: Kernel, bss: Bss, seconds: int, repeats: int) -> tuple[float, int, int]:
    """The CPU time of the cheapest guest, and the frames and the exchanges in it."""
    cell = plan([bss], [seconds], STEP_NS)
    runs = [
        run_measured(kernel, cell, lambda out: counts(out, [bss], [seconds])[0])
        for _ in range(repeats)
    ]
    best = min(runs, key=lambda one: one.cpu_s)
    frames = sum(station["frames_acked"] for station in best.result)
    return best.cpu_s, frames, sum(station["ppdus"] for station in best.result)


def main() -> None:
    """Print the table, a row as it is measured."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    kernel = build(Recipe())
    print("| frames in an aggregate | stations | ns/frame | ns/exchange | simulated s/s |")
    print("|---|---|---|---|---|")
    for size in AGGREGATES:
        for stations in STATIONS:
            bss = Bss(HT150, size, stations)
            short_s, few, few_ppdus = measure(kernel, bss, SHORT_S, repeats)
            long_s, many, many_ppdus = measure(kernel, bss, LONG_S, repeats)
            cost_s = long_s - short_s
            words = [
                size,
                stations,
                f"{cost_s * 1e9 / (many - few):.0f}",
                f"{cost_s * 1e9 / (many_ppdus - few_ppdus):.0f}",
                f"{(LONG_S - SHORT_S) / cost_s:.1f}",
            ]
            print(f"| {' | '.join(map(str, words))} |", flush=True)
    print(f"\nLinux {kernel.release}, {kernel.hz} Hz")


if __name__ == "__main__":
    main()
