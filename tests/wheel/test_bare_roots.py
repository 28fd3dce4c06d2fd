# SPDX-License-Identifier: GPL-2.0-or-later
"""The first result on bare roots: `make test-wheel`, ten minutes with the roots, not in CI.

What took how long is printed, and nothing is held to it: the goal is a minute.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import time

import pytest

import roots
from tsqlab.paths import ROOT

RUN = ("run", "cotsq-3", "--set", "seed=1", "--set", 'device=["ath9k_htc", "ath9k"]')
"""Six cells of a paper's figure, over a radio without and one below mac80211."""


@pytest.fixture(scope="session", autouse=True)
def needed():
    if os.geteuid() != 0:
        pytest.skip("only root makes roots")
    if missing := roots.missing():
        pytest.skip(f"no {', '.join(missing)} here; make test-wheel installs them")


@pytest.fixture(scope="session")
def wheels():
    """What `make wheels` has made."""
    found = sorted((ROOT / "dist").glob("*.whl"))
    assert len(found) == 2, "make wheels makes two"
    return found


@pytest.fixture(scope="session")
def expected(tmp_path_factory):
    """What the checkout makes of the same cells."""
    out = tmp_path_factory.mktemp("own") / "results"
    subprocess.run([sys.executable, "-m", "tsqlab.cli", *RUN, "--out", out], check=True)
    return {path.name: path.read_bytes() for path in sorted(out.glob("*.flent.gz"))}


@pytest.fixture(scope="session", params=roots.SUITES)
def root(request, wheels):
    """A bare root with the wheels and all that they depend on in its folder /wheels."""
    made = roots.root(request.param)
    shutil.rmtree(made / "wheels", ignore_errors=True)
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:"]
    version = ["--python-version", roots.SUITES[request.param], "--dest", made / "wheels"]
    subprocess.run([*download, *version, *wheels], check=True)
    roots.home(made)
    return made


@pytest.fixture(scope="session")
def installed(root):
    """tsqlab there, in an environment of an ordinary user."""
    begun = time.monotonic()
    roots.as_user(root, "python3 -m venv venv")
    roots.as_user(
        root, "venv/bin/pip install --quiet --no-index --find-links /wheels tsqlab[kernels]"
    )
    print(f"\n{root.name}: venv and pip install: {time.monotonic() - begun:.1f} s")
    return root


def test_nothing_that_builds_or_makes_testbeds_is_there(root):
    for program in ("gcc", "make", "ip", "tc", "iw", "hostapd"):
        for folder in ("usr/bin", "usr/sbin", "bin", "sbin"):
            assert not (root / folder / program).exists()


def test_the_doctor_finds_all(installed):
    said = roots.as_user(installed, "venv/bin/tsqlab doctor")
    assert "its kernels are used\nall is there\n" in said


def test_the_first_result_is_the_checkout_s_to_the_byte(installed, expected):
    begun = time.monotonic()
    said = roots.as_user(
        installed, f"mkdir elsewhere; cd elsewhere; ../venv/bin/tsqlab {shlex.join(RUN)} --out out"
    )
    print(f"\n{installed.name}: {len(expected)} cells: {time.monotonic() - begun:.1f} s")
    first = re.search(r"^\[1/.*", said, re.MULTILINE)
    assert first, said
    print(f"{installed.name}: {first[0]}")
    out = installed / "home" / "somebody" / "elsewhere" / "out"
    assert {path.name: path.read_bytes() for path in out.glob("*.flent.gz")} == expected
    assert (out / "report.html").is_file()
