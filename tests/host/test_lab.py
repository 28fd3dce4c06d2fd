# SPDX-License-Identifier: GPL-2.0-or-later
"""tsq's methods on Debian's kernels beside CoTSQ's patches in the lab, over such a bottleneck each.

How many bytes a time is follows from the pacing rate, and this from the cwnd at which slow start
ended. HyStart would end it where ACKs begin to come late, and what comes late differs: Debian's
kernel takes time to compute, and the lab's takes none. So both end it at the same cwnd.
"""

from pathlib import Path
from statistics import median

import pytest

import debian
from below import ms_below
from tsqlab.cli import main
from tsqlab.results.flent import read_flent

HERE = Path(__file__).parent
SETTLED = 15  # samples of 100 ms, after slow start


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """What was below TCP, as (bytes, ms at the pacing rate), by the setting of TSQ: medians."""
    out = tmp_path_factory.mktemp("lab") / "below"
    assert main(["run", str(HERE / "below.toml"), "--jobs", "1", "--out", str(out)]) == 0
    return {tsq: _below(out / f"tsq={tsq}.flent.gz") for tsq in ("TSQ", "6TSQ")}


def _below(path):
    samples = read_flent(path)["raw_values"]["TCP upload::1"][SETTLED:]
    below = [sample["tcp_wmem_alloc_bytes"] for sample in samples]
    rates = [sample["tcp_pacing_rate"] * 1e6 / 8 for sample in samples]
    times = [1000 * each / rate for each, rate in zip(below, rates, strict=True)]
    return median(below), median(times)


@pytest.mark.parametrize("method", ["sysctl", "bpf"])
def test_six_ms_are_as_much_as_in_the_lab(said, lab, version, method):
    told = said("limits", method)
    if told["status"]:
        assert (method, version) == ("bpf", "6.1"), told["err"]
        pytest.skip(told["err"])
    stock, six = lab["TSQ"], lab["6TSQ"]
    assert told["flow"]["below_bytes"] == pytest.approx(six[0], rel=0.1)
    assert ms_below(told["flow"]) == pytest.approx(six[1], rel=0.1)
    assert six[0] > 3 * stock[0], "it makes a difference at all"
    assert six[1] > 3 * stock[1]


def test_stock_is_as_much_as_in_the_lab(said, lab):
    flow = said("limits", "stock")
    assert flow["below_bytes"] == pytest.approx(lab["TSQ"][0], rel=0.1)


def test_cotsq_is_for_a_kernel_with_its_patches(said, lab, version):
    told = said("limits", "cotsq")
    if version in debian.DEBIANS:
        assert told["status"]
        assert "this kernel does not have CoTSQ's patches" in told["err"]
    else:
        assert told["flow"]["below_bytes"] == pytest.approx(lab["6TSQ"][0], rel=0.1)
