# SPDX-License-Identifier: GPL-2.0-or-later
"""A container that boots Debian's systemd, with a network namespace of its own, on this kernel.

Of /proc/sys only what belongs to that namespace can be written from in there.
"""

import json
import os
import shutil
import subprocess

import debian
from machine import HERE
from tsqlab.paths import ROOT

NEEDED = ("systemd-nspawn", "mmdebstrap", "tar")
_PACKAGES = "systemd,systemd-sysv,python3,iproute2"
_MOST_S = 300
_REBOOTED = 133
"""What nspawn ends with, so that whoever has started it does so again."""
_UNIT = """\
[Unit]
Description=What is tried at each boot

[Service]
ExecStart=/usr/bin/python3 /inside/boots.py
Environment=PYTHONPATH=/tsq

[Install]
WantedBy=multi-user.target
"""


def missing():
    """What is not here, in words; "": nothing."""
    if os.geteuid() != 0:
        return "only root boots a container"
    absent = [name for name in NEEDED if shutil.which(name) is None]
    return f"no {', '.join(absent)} here; make test-host installs them" if absent else ""


def boots(folder):
    """The JSON objects that it said over all its boots, in order."""
    place = folder / "root"
    place.mkdir()
    subprocess.run(["tar", "-xf", _root(), "-C", place], check=True)
    shutil.copytree(ROOT / "tsq" / "tsq", place / "tsq" / "tsq")
    shutil.copytree(HERE / "inside", place / "inside")
    units = place / "etc/systemd/system"
    (units / "try.service").write_text(_UNIT)
    (units / "multi-user.target.wants").mkdir(exist_ok=True)
    (units / "multi-user.target.wants/try.service").symlink_to("../try.service")
    console = ""
    status = _REBOOTED
    while status == _REBOOTED:
        status, said_there = _boot(place)
        console += said_there
    said = place / "said"
    rows = [json.loads(line) for line in said.read_text().splitlines()] if said.exists() else []
    return rows, console


def _boot(place):
    """A boot, from its start to where it ends by itself: its status, and its console."""
    words = [
        "systemd-nspawn", "--quiet", "--directory", str(place), "--machine", f"tsq-{os.getpid()}",
        "--private-network", "--register=no", "--keep-unit", "--link-journal=no", "--boot",
        "--console=pipe",
    ]  # fmt: skip
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=os.environ | {"SYSTEMD_NSPAWN_API_VFS_WRITABLE": "network"}, timeout=_MOST_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        return None, (error.stdout or b"").decode(errors="replace")
    return done.returncode, done.stdout.decode(errors="replace")


def _root():
    """A tar of the packages, set up."""
    place = debian.folder() / "systemd.tar"
    if not place.exists():
        new = debian.folder() / "systemd.new.tar"
        debian.run("mmdebstrap", "--variant=minbase", f"--include={_PACKAGES}", debian.SUITE,
                   str(new), debian.mirror())  # fmt: skip
        new.rename(place)
    return place
