# SPDX-License-Identifier: GPL-2.0-or-later
"""The module bbrs in a guest: its core is mainline's BBR to the bit, and what its controls change.

What holds the core is the kernel's own `bbr` beside it: the same cell, sample by sample.
"""

import numpy as np
import pytest

from tsqlab.experiment.era import ERAS
from tsqlab.experiment.matrix import Cell
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.kernels import Recipe, build
from tsqlab.results.flent import read_flent
from tsqlab.runner.cell import Job, run_cell

TODAY = {"era": "today"}
PATH = {"bottleneck": "R100M", "base_rtt": "20 ms"}
LONG = {"length": "13 s", "delay": "1 s"}  # PROBE_RTT is after 10 s
SHORT = {"length": "4 s", "delay": "1 s"}
HOST = {"offloads": "on", "truesize": "kernel"}

SAME = {
    "wire": {"testbed": PATH, "flows": LONG},
    # A fifth of the packets lost is what the search for a policer begins at.
    "loss": {"testbed": {**PATH, "egress": {"C>R": {"loss": "3 %"}}}, "flows": LONG},
    "policer": {"testbed": {**PATH, "egress": {"C>R": {"loss": "22 %"}}}, "flows": SHORT},
    "idle": {"testbed": PATH, "flows": {**SHORT, "test": "rrul_be"}},
    "ath9k": {"testbed": {"layout": "wifi", "device": "ath9k"}, "flows": LONG},
}


def spec_of(control, spec, **sender):
    return {
        "lab": TODAY,
        **spec,
        "sender": {**HOST, "congestion_control": control, **sender},
    }


def rows(document):
    return document["raw_values"]["TCP upload::1"]


def steady(document, key):
    """The samples of the second half of the flow."""
    values = [row[key] for row in rows(document)]
    return np.array(values[len(values) // 2 :])


@pytest.mark.parametrize("control", ["bbrplus", "bbr_cycle"])
@pytest.mark.parametrize("path", SAME)
def test_at_stock_settings_it_is_mainline_s_bbr_to_the_bit(cell, control, path):
    own, mainline = (cell(spec_of(name, SAME[path])) for name in (control, "bbr"))
    assert own["raw_values"] == mainline["raw_values"]


@pytest.mark.parametrize("era", [era for era in ERAS if era != "today"])
def test_in_an_era_it_is_as_old_as_the_kernel_s_own(era, tmp_path, cpu):
    kernel = build(Recipe(version="6.12", without=ERAS[era].patches))
    values = []
    for control in ("bbr", "bbrplus"):
        lab = {"era": era}
        data = {"title": "", **spec_of(control, {"testbed": PATH, "flows": SHORT, "lab": lab})}
        spec = Spec.model_validate(data)
        job = Job(Cell({}, spec), "key", load_profile("gigabit"), kernel, tmp_path / control)
        run_cell(job, cpu)
        values.append(read_flent(job.file)["raw_values"])
    assert values[0] == values[1]


def test_bbrplus_paces_by_the_ratios(cell):
    """What it may have in flight is the same, so on an idle link only the pace tells."""
    spec = {"testbed": {**PATH, "bottleneck": "L100M"}, "flows": SHORT}
    rates = []
    for pacing in ("2.0/1.2", "4.0/2.4", "6.0/3.6"):
        document = cell(spec_of("bbrplus", spec, pacing=pacing))
        rates.append(np.median(steady(document, "tcp_pacing_rate")))
    # The phase at the estimate is the median: 99 % of what the link carries.
    assert np.array(rates) == pytest.approx(np.array([1, 2, 3]) * rates[0], rel=0.02)


def test_bbrdev_leaves_no_queue_where_v1_does(cell):
    """Its DOWN lasts until the queue of UP is gone; v1's is over after an RTT."""
    rtts = {
        control: np.mean(steady(cell(spec_of(control, SAME["wire"])), "tcp_rtt"))
        for control in ("bbr", "bbrdev")
    }
    assert rtts["bbrdev"] - 20 < (rtts["bbr"] - 20) / 1.5


def test_bbr_cycle_has_the_gains_that_it_is_given(guest):
    """Its parameters are bounded, and read back as written."""
    parameters = "/sys/module/bbrs/parameters"
    script = (
        f"cd {parameters}; echo 150 >cycle_up; echo 90 >cycle_down; echo 3 >cycle_cruise; "
        "echo 391 >cycle_up; echo 0 >cycle_cruise; echo 9 >cycle_down; "
        "cat cycle_up cycle_down cycle_cruise cycle_drain >/tsqlab/out/parameters"
    )
    out = guest("module\t/tsqlab/modules/bbrs.ko", f"run\t-\tsh\t-c\t{script}", "end")
    assert (out / "parameters").read_text().split() == ["150", "90", "3", "N"]
