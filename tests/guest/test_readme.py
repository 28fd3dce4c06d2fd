# SPDX-License-Identifier: GPL-2.0-or-later
"""The README's example of two BSSs: what it has, and what an exact simulation says of it."""

import re

import pytest

from tsqlab.cli import main
from tsqlab.experiment.stored import read_folder
from tsqlab.model.contention import Contender, simulate
from tsqlab.model.exchange import exchange
from tsqlab.model.mac import mpdu_bytes
from tsqlab.model.phy import Rate
from tsqlab.paths import ROOT

SECONDS = 10


def test_two_bsss_have_what_the_readme_and_the_exact_simulation_say(kernel, tmp_path):
    """Frames of 1500 bytes of IP, 1472 of payload, one at a time at 54 Mbit/s, from two stations.

    The simulation is of that by itself (tsqlab.model.contention), and within 2 %.
    """
    assert kernel, "a run would build it"
    text = (ROOT / "README.md").read_text()
    example = next(toml for toml in re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
                   if "[[medium]]" in toml)  # fmt: skip
    (said,) = re.findall(r"two BSSs share a channel: ([0-9.]+) Mbit/s", text)
    file = tmp_path / "two.toml"
    file.write_text(example)
    out = tmp_path / "results"
    short = ["--set", f"length={SECONDS} s", "--set", "delay=0 s"]
    assert main(["run", str(file), "--jobs", "1", "--out", str(out), *short]) == 0
    (cell,) = read_folder(out).results
    goodput_mbps = cell.metrics["goodput_mbps"]
    assert f"{goodput_mbps:.3g}" == said
    cycle = exchange(Rate.legacy(54), mpdu_bytes(1500), 1)
    one = Contender(cycle.ppdu_ns, cycle.sifs_ns + cycle.response_ns, 1472 * 8, attempts=7)
    model = simulate([one] * 2, 40_000)
    assert goodput_mbps * 1e6 == pytest.approx(model.goodput_bit_per_s.value, rel=0.02)
    assert cell.metrics["fairness"] > 0.999
