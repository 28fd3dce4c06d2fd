# SPDX-License-Identifier: GPL-2.0-or-later
"""tsq's methods on Debian's kernels beside CoTSQ's patches in the lab, over such a bottleneck each.

How many bytes a time is follows from the pacing rate, and this from the cwnd at which HyStart ended
slow start. So what is below TCP is held against the rate of the same flow.
"""

from pathlib import Path
from statistics import median

import pytest

from below import ms_below
from tsqlab.cli import main
from tsqlab.results.flent import read_flent

HERE = Path(__file__).parent
SETTLED = 15  # samples of 100 ms, after slow start


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """What was below TCP, in ms at the pacing rate, by the setting of TSQ: medians."""
    out = tmp_path_factory.mktemp("lab") / "below"
    assert main(["run", str(HERE / "below.toml"), "--jobs", "1", "--out", str(out)]) == 0
    return {tsq: _ms_below(out / f"tsq={tsq}.flent.gz") for tsq in ("TSQ", "6TSQ")}


def _ms_below(path):
    samples = read_flent(path)["raw_values"]["TCP upload::1"][SETTLED:]
    return median(
        sample["tcp_wmem_alloc_bytes"] / (sample["tcp_pacing_rate"] * 1e6 / 8) * 1000
        for sample in samples
    )


@pytest.mark.parametrize("method", ["sysctl", "bpf"])
def test_six_ms_are_as_much_as_in_the_lab(said, lab, version, method):
    told = said("limits", method)
    if told["status"]:
        assert (method, version) == ("bpf", "6.1"), told["err"]
        pytest.skip(told["err"])
    assert ms_below(told["flow"]) == pytest.approx(lab["6TSQ"], rel=0.1)
    assert lab["6TSQ"] > 3 * lab["TSQ"], "it makes a difference at all"
