# SPDX-License-Identifier: GPL-2.0-or-later
"""tools/packages.sh: what is missing is installed, and what a distribution lacks is named."""

import os
import subprocess

import pytest

from tsqlab.paths import ROOT

SCRIPT = ROOT / "tools" / "packages.sh"
LIST = """\
# the kernel's source
linux-source-6.12	# Debian's Linux
# the guest
gcc
hostapd
iw
"""
COMMANDS = {
    "dpkg-query": '[ "$3" != gcc ] || echo "install ok installed"',
    "apt-cache": 'case "$2" in linux-*|iw) echo "  Candidate: (none)";; '
    '*) echo "  Candidate: 1.0";; esac',
    "apt-get": 'echo "apt-get $*"',
    "sudo": '"$@"',
}


@pytest.fixture
def machine(tmp_path):
    """A folder of commands with a space in its name, and what the script says there."""
    bin_ = tmp_path / "a bin"
    bin_.mkdir()
    (tmp_path / "list").write_text(LIST)
    for name, body in COMMANDS.items():
        (bin_ / name).write_text(f"#!/bin/sh\n{body}\n")
        (bin_ / name).chmod(0o755)
    for name in ("sed", "awk", "grep", "id", "sh"):
        (bin_ / name).symlink_to(f"/usr/bin/{name}")

    def run():
        done = subprocess.run(
            ["/bin/sh", SCRIPT, tmp_path / "list"],
            env={**os.environ, "PATH": str(bin_)},
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout + done.stderr

    return bin_, run


def test_a_package_that_there_is_not_is_named_and_the_others_are_installed(machine):
    _, run = machine
    assert run() == (
        0,
        "== Debian packages: linux-source-6.12 hostapd iw\n"
        "apt-get update -qq\n"
        "== this distribution has no package linux-source-6.12 (Debian's Linux)\n"
        "== this distribution has no package iw (the guest)\n"
        "apt-get install -y -qq --no-install-recommends hostapd\n",
    )


def test_nothing_is_said_when_nothing_is_missing(machine):
    bin_, run = machine
    (bin_ / "dpkg-query").write_text('#!/bin/sh\necho "install ok installed"\n')
    assert run() == (0, "")


def test_where_there_is_no_apt_the_names_are_said(machine):
    bin_, run = machine
    (bin_ / "apt-get").unlink()
    status, words = run()
    assert status == 0
    assert "no apt-get here; these are Debian's names" in words
    assert words.endswith("linux-source-6.12 hostapd iw\n")


def test_what_fails_to_install_fails(machine):
    bin_, run = machine
    (bin_ / "apt-get").write_text("#!/bin/sh\nexit 100\n")
    assert run()[0] == 100
