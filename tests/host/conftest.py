# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine for each of Debian's kernels, booted once; the tests judge what it said."""

import shutil
import subprocess

import pytest

import debian
import machine
from tsqlab.paths import ROOT


class Said:
    """What a machine said, by part and name."""

    def __init__(self, rows, console):
        self.console = console
        self._rows = {(row["part"], row["name"]): row["value"] for row in rows}

    def __call__(self, part, name):
        failed = self._rows.get((part, "failed"))
        assert (part, name) in self._rows, (
            failed or f"nothing said; its console:\n{self.console[-3000:]}"
        )
        return self._rows[part, name]


@pytest.fixture(scope="session", autouse=True)
def objects():
    """tsq's BPF objects, built."""
    for program in ("clang", "make"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program} here; make test-host installs it")
    subprocess.run(["make", "-s", "-C", ROOT / "tsq"], check=True)


@pytest.fixture(scope="session", params=debian.KERNELS)
def said(request):
    if missing := debian.missing():
        pytest.skip(f"no {', '.join(missing)} here; make test-host installs them")
    return Said(*machine.boot(request.param))


@pytest.fixture
def version(request):
    return request.node.callspec.params["said"]
