# SPDX-License-Identifier: GPL-2.0-or-later
"""The same lab over Linux 6.1: its series, its guest, and what it measures."""

import pytest

from tsqlab.experiment.matrix import Cell
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.kernels import Recipe, build
from tsqlab.metrics import summarise
from tsqlab.results.flent import read_flent
from tsqlab.runner.cell import Job, run_cell

pytestmark = pytest.mark.kernels

SKB = 2728  # truesize of a full-sized packet alone in its skb, on 6.1


@pytest.mark.parametrize("tsq", ["TSQ", "CoTSQ", "NoTSQ"])
def test_an_upload_over_6_1(tsq, tmp_path, cpu):
    kernel = build(Recipe(version="6.1"))
    assert kernel.cotsq
    spec = Spec.model_validate(
        {
            "title": "6.1",
            "testbed": {"bottleneck": "L100M"},
            "flows": {"length": "5 s", "delay": "1 s"},
            "sender": {"tsq": tsq, "offloads": "off"},
            "lab": {"kernel": "6.1"},
        }
    )
    job = Job(Cell({}, spec), "key", load_profile("gigabit"), kernel, tmp_path)
    run_cell(job, cpu)
    document = read_flent(job.file)
    assert document["metadata"]["TSQLAB"]["kernel"]["release"].startswith("6.1.")
    metrics = summarise(document)
    assert metrics["goodput_mbps"] == pytest.approx(95.6, rel=0.01)
    rows = document["raw_values"]["TCP upload::1"][20:40]
    bounded = [row for row in rows if "tcp_tsq_limit_bytes" in row]
    if tsq == "NoTSQ":
        assert not bounded
        assert metrics["tcp_rtt_ms_p50"] > 50
    else:
        assert all(row["tcp_wmem_alloc_bytes"] <= row["tcp_tsq_limit_bytes"] + SKB for row in rows)
        assert metrics["tcp_rtt_ms_p50"] < 15
