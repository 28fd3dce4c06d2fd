# SPDX-License-Identifier: GPL-2.0-or-later
"""The bundled traces of links are what their generator makes of its formulas."""

import itertools
import math

import numpy as np
import pytest

from link_traces import CELLULAR_S, FOLDER, cellular, main, satellite
from tsqlab.experiment.load import load


def test_the_bundled_traces_are_what_the_generator_writes(tmp_path):
    main([str(tmp_path)])
    assert {path.name for path in FOLDER.iterdir()} == {"cellular.trace", "satellite.csv"}
    for path in FOLDER.iterdir():
        assert (tmp_path / path.name).read_text() == path.read_text()


def test_the_cellular_trace_has_its_mean_and_its_slow_sine():
    """Of the logarithm of the rate, half a second at a time, as far as fading lets it be seen."""
    at_ms = np.array([int(line) for line in cellular().split()])
    t_s = np.arange(0, CELLULAR_S, 0.5) + 0.25
    counts, _ = np.histogram(at_ms, np.arange(0, 1000 * CELLULAR_S + 1, 500))
    log_mbps = np.log(counts * 12_000 / 0.5 / 1e6)
    assert math.exp(log_mbps.mean()) == pytest.approx(12, rel=0.25)
    slow = np.sin(2 * np.pi * t_s / 8)
    assert 2 * (log_mbps * slow).mean() == pytest.approx(0.5, abs=0.25)
    assert counts.max() > 3 * counts.min()


def test_the_satellite_changes_every_15_s():
    rows = [[float(cell) for cell in line.split(",")] for line in satellite().split()[1:]]
    changes = [later[0] for row, later in itertools.pairwise(rows) if row[1] != later[1]]
    assert changes == [12, 27, 42, 57]
    lossy = [row[0] for row in rows if row[3]]
    assert lossy == [at - 0.15 for at in changes]


@pytest.mark.parametrize(
    ("name", "key"), [("cellular-queues", "deliveries"), ("satellite-controls", "rate")]
)
def test_the_experiments_of_the_gallery_have_them(name, key):
    (table,) = load(name).cells[0].spec.vary
    assert getattr(table, key)
