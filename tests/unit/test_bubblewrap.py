# SPDX-License-Identifier: GPL-2.0-or-later
"""Whoever refuses bubblewrap its namespaces is named, and what would help is said."""

import os
import shutil
import sys

import pytest

from full_namespace import in_full_namespace
from tsqlab.bubblewrap import NONE, VARIABLE, Host, refusal, wanted
from tsqlab.cli import main
from tsqlab.errors import UsageError
from tsqlab.guest import sandbox

# What bubblewrap 0.8 to 0.11 print when the kernel refuses.
NOT_ALLOWED = (
    "bwrap: No permissions to create new namespace, likely because the kernel does not allow "
    "non-privileged user namespaces. See <https://deb.li/bubblewrap> or "
    "<file:///usr/share/doc/bubblewrap/README.Debian.gz>.\n"
)
UID_MAP = "bwrap: setting up uid map: Permission denied\n"
LOOPBACK = "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted\n"
FULL = (
    "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces "
    "exceeded (ENOSPC)\n"
)
SLAVE = "bwrap: Failed to make / slave: Permission denied\n"
READ_ONLY = "bwrap: cannot open /proc/sys/user/max_user_namespaces: Read-only file system\n"
NO_SUPPORT = (
    "bwrap: Creating new namespace failed, likely because the kernel does not support user "
    "namespaces.  bwrap must be installed setuid on such systems.\n"
)

APPARMOR = "proc/sys/kernel/apparmor_restrict_unprivileged_userns"
CLONE = "proc/sys/kernel/unprivileged_userns_clone"
MOST = "proc/sys/user/max_user_namespaces"
FILTERED = {"proc/self/status": "Name:\tx\nSeccomp:\t2\n"}
DOCKER = {".dockerenv": ""}


@pytest.fixture
def host(tmp_path):
    """A machine of which these files tell."""

    def make(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return Host(tmp_path)

    return make


@pytest.mark.parametrize(
    ("said", "files", "why", "remedy"),
    [
        (UID_MAP, {APPARMOR: "1\n", MOST: "63000\n"}, "AppArmor", "      userns,"),
        (LOOPBACK, {APPARMOR: "1\n", CLONE: "1\n"}, "AppArmor", "apparmor_parser -r"),
        (NOT_ALLOWED, {CLONE: "0\n"}, "unprivileged_userns_clone = 0", f"{CLONE[17:]}=1"),
        (FULL, {MOST: "0\n"}, "max_user_namespaces = 0", "user.max_user_namespaces=10000"),
        (FULL, {MOST: "12\n"}, "max_user_namespaces = 12", "user.max_user_namespaces=10000"),
        (NOT_ALLOWED, FILTERED, "seccomp", "seccomp=unconfined"),
        (NOT_ALLOWED, {**DOCKER, **FILTERED}, "this container", "seccomp=unconfined"),
        (SLAVE, {**DOCKER, APPARMOR: "1\n"}, "this container", "apparmor=unconfined"),
        (READ_ONLY, DOCKER, "this container", "systempaths=unconfined"),
        (NO_SUPPORT, {}, "CONFIG_USER_NS", "--sandbox none"),
        ("bwrap: something new\n", {}, "neither a sysctl nor a container", "--sandbox none"),
        ("", {}, "neither a sysctl nor a container", "--sandbox none"),
    ],
)  # fmt: skip
def test_who_refuses_is_named(host, said, files, why, remedy):
    found = str(refusal(said, host(files)))
    assert why in found.splitlines()[0]
    assert any(remedy in line for line in found.splitlines()[1:])
    assert "--sandbox none" in found.splitlines()[-1]
    assert said.strip().removeprefix("bwrap: ") in found


def test_the_profile_names_this_bubblewrap(host, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: "/opt/bin/bwrap")
    assert "profile bwrap /opt/bin/bwrap flags" in str(refusal(UID_MAP, host({APPARMOR: "1"})))


def test_what_bubblewrap_says_does_not_reach_a_terminal_as_it_is(host):
    assert "\x1b" not in str(refusal("bwrap: \x1b[2Jx" + "y" * 9999, host({})))


def test_a_sandbox_that_is_none_of_them(monkeypatch, capsys):
    monkeypatch.setenv(VARIABLE, "nsjail")
    with pytest.raises(UsageError, match='no sandbox "nsjail"; there are bwrap, none'):
        wanted()
    assert main(["doctor"]) == 2
    assert "nsjail" in capsys.readouterr().err


@pytest.fixture
def refusing(tmp_path, monkeypatch):
    """A bwrap that is refused."""
    fake = tmp_path / "bin" / "bwrap"
    fake.parent.mkdir()
    fake.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{NOT_ALLOWED}END\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")


@pytest.mark.usefixtures("refusing")
def test_the_doctor_tries_it(capsys):
    assert main(["doctor"]) == 1
    assert "no sandbox for guests: " in capsys.readouterr().out


@pytest.mark.usefixtures("refusing")
def test_the_doctor_needs_none_where_none_is_wanted(capsys, monkeypatch):
    monkeypatch.setenv(VARIABLE, NONE)
    main(["doctor"])
    assert "no sandbox for guests: " not in capsys.readouterr().out


def test_a_limit_of_none_is_really_found():
    """The machine's own limit stays what it is."""
    if in_full_namespace("true").returncode or sandbox.refused():
        pytest.skip("needs a machine that allows user namespaces")
    done = in_full_namespace(sys.executable, "-m", "tsqlab.cli", "doctor")
    assert done.returncode == 1, done.stderr
    assert "user.max_user_namespaces = 0 allows no more user namespaces" in done.stdout
    assert "sudo sysctl user.max_user_namespaces=10000" in done.stdout
