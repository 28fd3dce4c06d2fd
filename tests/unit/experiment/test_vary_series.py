# SPDX-License-Identifier: GPL-2.0-or-later
"""What [[vary]] comes to over time, for the plot: steps, periods and deliveries."""

import numpy as np
import pytest

from tsqlab.experiment.spec import Spec
from tsqlab.experiment.vary_series import varied

FLOWS = {"length": "4 s", "delay": "1 s"}


def series(**table):
    testbed = {"layout": "wifi"} if "snr" in table else {}
    spec = {"title": "x", "testbed": testbed, "flows": FLOWS, "vary": [table]}
    return varied(Spec.model_validate(spec))


def test_a_rate_that_repeats_has_all_its_instants():
    (one,) = series(link="R>S", rate=[["0 s", "8 Mbit/s"], ["1 s", "2500 kbit/s"]], repeat="2 s")
    assert (one.link, one.what) == ("R>S", "capacity_mbps")
    assert one.t_s.tolist() == [0, 1, 2, 3, 4]
    assert one.value.tolist() == [8, 2.5, 8, 2.5, 8]


def test_deliveries_are_the_mean_of_a_tenth_of_a_second():
    (one,) = series(link="R>S", deliveries=[10, 20, 150, 200])
    assert one.t_s[:3].tolist() == pytest.approx([0, 0.1, 0.2])
    # The last one is where the trace begins again, at 0 ms of its next time.
    assert one.value[:4].tolist() == pytest.approx([0.24, 0.12, 0.36, 0.12])
    assert one.value.sum() * 0.1 == pytest.approx(5 * 5 * 4 * 0.012 - 0.012 * 1, rel=0.05)


def test_the_snr_of_a_radio_link_is_in_db():
    (one,) = series(link="C-AP", snr=[["500 ms", "25.5 dB"]])
    assert (one.what, one.t_s.tolist(), one.value.tolist()) == ("snr_db", [0.5], [25.5])


def test_what_is_no_capacity_has_none():
    assert series(link="R>S", delay=[["0 s", "3 ms"]]) == []
    assert np.size(series(link="R>S", rate=[["1400 min", "3 Mbit/s"]])) == 0
