# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast the lab is: simulated seconds per wall-clock second, and the cost of a frame.

    python bench/speed.py [REPEATS]

(a) one CUBIC upload on L100M; (b) one on a 1 Gbit/s wireline without TSO; (c) from the boot
to the first packet in a testbed of three nodes. The fastest of REPEATS runs (3), each on one
CPU. A frame is counted once, where its sender put it on the first wire.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.boot import Machine, run_guest
from tsqlab.guest.collect import collect
from tsqlab.guest.plan import make_plan
from tsqlab.guest.sandbox import Mounts
from tsqlab.kernels import Kernel, Recipe, build


@dataclass(frozen=True)
class Run:
    """One cell's cost."""

    simulated_s: float
    wall_s: float
    cpu_s: float
    frames: int


def run(kernel: Kernel, spec: Spec) -> Run:
    """Run a cell once and take its time."""
    with tempfile.TemporaryDirectory() as name:
        mounts = Mounts(Path(name) / "plan", Path(name) / "out")
        mounts.plan.mkdir()
        mounts.out.mkdir()
        for file, text in make_plan(spec, load_profile(spec.testbed.device)).files.items():
            (mounts.plan / file).write_text(text)
        before, begun = _children_cpu_s(), time.monotonic()
        run_guest(Machine(kernel, spec.lab.memory, 1, cpu=0), mounts, Path(name) / "console")
        wall_s, cpu_s = time.monotonic() - begun, _children_cpu_s() - before
        measured = collect(mounts.out, spec)
    frames = int(measured.qdiscs["C>R"]["sent_packets"][-1])
    return Run(spec.flows.total / 1e9, wall_s, cpu_s, frames)


def _children_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def best(kernel: Kernel, repeats: int, **tables: dict[str, str]) -> Run:
    """The fastest of several runs."""
    spec = Spec.model_validate({"title": "speed", **tables})
    return min((run(kernel, spec) for _ in range(repeats)), key=lambda one: one.wall_s)


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
        print(
            f"{title}: {result.simulated_s / result.wall_s:.1f} simulated s/s (aim {aim}), "
            f"{result.cpu_s / result.frames * 1e6:.2f} us of CPU per data frame "
            f"(boot included), {result.frames} frames in {result.wall_s:.2f} s"
        )
    print(f"(c) boot to first packet, three nodes: {boot.wall_s:.2f} s (aim 1)")
    print(f"Linux {kernel.release}, {kernel.hz} Hz")


if __name__ == "__main__":
    main()
