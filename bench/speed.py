# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast the lab is: simulated seconds per wall-clock second, and the cost of a frame.

    python bench/speed.py [REPEATS]

(a) one CUBIC upload on L100M; (b) one on a 1 Gbit/s wireline without TSO; (c) from the boot
to the first packet in a testbed of three nodes. The fastest of REPEATS runs (3). A guest stays
on one CPU and never sleeps, so on a quiet machine its wall-clock time is its CPU time; what the
boot takes is left out of a frame's cost. A frame is counted once, where its sender put it on
the first wire.
"""

from __future__ import annotations

import sys

from cost import Run, run_cell

from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.kernels import Kernel, Recipe, build
from tsqlab.results.measurement import Measurement


def best(kernel: Kernel, repeats: int, **tables: dict[str, str]) -> Run[Measurement]:
    """The cheapest of several runs."""
    spec = Spec.model_validate({"title": "speed", **tables})
    profile = load_profile(spec.testbed.device)
    return min((run_cell(kernel, spec, profile) for _ in range(repeats)), key=lambda one: one.cpu_s)


def main() -> None:
    """Print the three figures."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    kernel = build(Recipe())
    boot = best(kernel, repeats, flows={"test": "ping", "length": "100 ms", "delay": "0 s"})
    for title, bottleneck, aim in (
        ("(a) CUBIC upload, L100M", "L100M", 30),
        ("(b) CUBIC upload, 1 Gbit/s wireline, no TSO", "LR1000M", 3),
    ):
        flows = {"length": "60 s", "delay": "0 s"}
        result = best(kernel, repeats, testbed={"bottleneck": bottleneck}, flows=flows)
        cost_us = (result.wall_s - boot.wall_s) / result.frames * 1e6
        print(
            f"{title}: {result.simulated_s / result.wall_s:.1f} simulated s/s (aim {aim}), "
            f"{cost_us:.2f} us of CPU per data frame, "
            f"{result.frames} frames in {result.wall_s:.2f} s"
        )
    print(f"(c) boot to first packet, three nodes: {boot.wall_s:.2f} s (aim 1)")
    print(f"Linux {kernel.release}, {kernel.hz} Hz")


if __name__ == "__main__":
    main()
