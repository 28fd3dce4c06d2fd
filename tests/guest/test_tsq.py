# SPDX-License-Identifier: GPL-2.0-or-later
"""tsq as a program of a node: what it says on a kernel with CoTSQ is what the lab counts itself."""

import re
import shutil
import subprocess

import pytest

from tsqlab.cli import main
from tsqlab.paths import ROOT
from tsqlab.results.flent import read_flent

FILE = """
title = "tsq measure in a node"
testbed = { layout = "wired", base_rtt = "5 ms", egress."C>R".rate = "60 Mbit/s" }
flows = { length = "4 s", delay = "1 s" }
sender = { offloads = "off" }

[[program]]
name = "tsq"
node = "C"
command = "/usr/bin/python3 /opt/tsq measure -t 2"
start = "1 s"
see."/opt/tsq" = "TSQ"
"""


def _has_pyroute2():
    if shutil.which("python3", path="/usr/bin") is None:
        return False
    return subprocess.run(["/usr/bin/python3", "-c", "import pyroute2"], stderr=-3).returncode == 0


needs_pyroute2 = pytest.mark.skipif(
    not _has_pyroute2(), reason="no pyroute2 for /usr/bin/python3: apt-get install python3-pyroute2"
)


@needs_pyroute2
def test_measure_counts_what_the_lab_counts(kernel, tmp_path):
    """It looks from the third second to the fourth; the lab's samples are 100 ms apart."""
    assert kernel, "a run would build it"
    (tmp_path / "x.toml").write_text(FILE.replace("TSQ", str(ROOT / "tsq" / "tsq")))
    out = tmp_path / "out"
    assert main(["run", str(tmp_path / "x.toml"), "--jobs", "1", "--out", str(out)]) == 0
    (printed,) = (out / "programs").glob("*.out")
    said = printed.read_text()
    told = re.search(
        r"FLOW 10\.0\.2\.1:5001 cubic .* waited for TSQ (\d+) times, .*, counted", said
    )
    assert told, said
    (result,) = out.glob("*.flent.gz")
    samples = read_flent(result)["raw_values"]["TCP upload::1"]
    begin = samples[0]["t"] - samples[0]["dur"]
    first, last = (
        next(one for one in samples if one["t"] - begin >= after_s)["tcp_tsq_throttled"]
        for after_s in (1, 3)
    )
    assert int(told[1]) == pytest.approx(last - first, rel=0.05)
