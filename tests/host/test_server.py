# SPDX-License-Identifier: GPL-2.0-or-later
"""tsq verify with flent and netperf against a server, on this kernel, in namespaces of its own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tsqlab.cli import main
from tsqlab.paths import ROOT

HERE = Path(__file__).parent
_ALONE = 'mount -t tmpfs run /run && mount -t sysfs sys /sys && exec "$@"'
"""Its own /run, where tsq and ip keep what they know, and its own devices in /sys."""


@pytest.fixture(scope="module")
def verified(tmp_path_factory):
    """The folder of tsq verify, and what it said."""
    path = f"{Path(sys.executable).parent}:/usr/sbin:/sbin:{os.environ['PATH']}"
    for program in ("flent", "netperf", "netserver", "unshare"):
        if shutil.which(program, path=path) is None:
            pytest.skip(f"no {program} here; netperf is in Debian's non-free")
    if os.geteuid() != 0:
        pytest.skip("only root has namespaces of its own")
    folder = tmp_path_factory.mktemp("verify") / "out"
    words = ["unshare", "--net", "--mount", "sh", "-c", _ALONE, "sh", sys.executable,
             str(HERE / "inside/server.py"), str(folder)]  # fmt: skip
    own = os.environ | {"PYTHONPATH": str(ROOT / "tsq")}
    done = subprocess.run(words, capture_output=True, text=True, env=own)
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout.splitlines()[-1])


def test_it_measures_by_turns_and_leaves_all_as_it_was(verified):
    folder, said = verified
    assert (said["status"], said["err"], said["left"]) == (0, "", [])
    *_, first, second, unknown, page = said["out"].splitlines()
    assert first.startswith("as it is")
    assert second.startswith("6 ms")
    assert second.count("[") == 2, "an interval of the goodput, and one of the ping"
    assert unknown.startswith("not known:")
    assert page.endswith(f"tsqlab report {folder}")
    assert len(list(folder.glob("round-*.flent.gz"))) == 6


def test_the_lab_makes_its_page(verified):
    folder, _ = verified
    assert main(["report", str(folder)]) == 0
    page = (folder / "report.html").read_text()
    assert "tsq verify: an upload to 10.9.0.2" in page
    assert "<svg" in page
