# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast the lab is: simulated seconds per second of CPU time, and the cost of a frame.

    python bench/speed.py [REPEATS]

(a) one CUBIC upload on L100M; (b) one on a 1 Gbit/s wireline without TSO; (c) one from an
ath9k_htc, which is fullmac, and (d) from an ath9k, below mac80211; (e) from the boot to the first
packet in a testbed of three nodes. The cheapest of REPEATS runs (3). What the boot takes is left
out of a frame's cost. A frame is counted once, where its sender put it on the first link.
"""

from __future__ import annotations

import sys

from cost import Run, run_cell

from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.kernels import Kernel, Recipe, build
from tsqlab.results.measurement import Measurement

LENGTH_S = 60

# A frame is an skb, as the figures count them.
SINGLE = {"sender": {"offloads": "off", "truesize": "kernel"}, "lab": {"era": "4.13"}}


def best(kernel: Kernel, repeats: int, **tables: dict[str, str]) -> Run[Measurement]:
    """The cheapest of several runs."""
    spec = Spec.model_validate({"title": "speed", **SINGLE, **tables})
    profile = load_profile(spec.testbed.device)
    return min((run_cell(kernel, spec, profile) for _ in range(repeats)), key=lambda one: one.cpu_s)


def main() -> None:
    """Print the three figures."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    kernel = build(Recipe())
    boot = best(kernel, repeats, flows={"test": "ping", "length": "100 ms", "delay": "0 s"})
    for title, testbed, aim in (
        ("(a) CUBIC upload, L100M", {"bottleneck": "L100M"}, 30),
        ("(b) CUBIC upload, 1 Gbit/s wireline, no TSO", {"bottleneck": "LR1000M"}, 3),
        ("(c) CUBIC upload, ath9k_htc", {"layout": "wifi", "device": "ath9k_htc"}, 10),
        ("(d) CUBIC upload, ath9k", {"layout": "wifi", "device": "ath9k"}, 6),
    ):
        flows = {"length": f"{LENGTH_S} s", "delay": "0 s"}
        result = best(kernel, repeats, testbed=testbed, flows=flows)
        frames = sent_frames(result.result)
        cost_us = (result.cpu_s - boot.cpu_s) / frames * 1e6
        print(
            f"{title}: {LENGTH_S / result.cpu_s:.1f} simulated s/s (aim {aim}), "
            f"{cost_us:.2f} us of CPU per data frame, "
            f"{frames} frames in {result.cpu_s:.2f} s",
            flush=True,
        )
    print(f"(e) boot to first packet, three nodes: {boot.cpu_s:.2f} s (aim 1)")
    print(f"Linux {kernel.release}, {kernel.hz} Hz")


def sent_frames(measured: Measurement) -> int:
    """What the client has put on its link; of a radio, what was acknowledged."""
    if measured.radios:
        return int(measured.radios["C"].counters["frames_acked"][-1])
    return int(measured.qdiscs["C>R"]["sent_packets"][-1])


if __name__ == "__main__":
    main()
