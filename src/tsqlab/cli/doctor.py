# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab doctor``: what is missing on this machine, and the command that mends it."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from pathlib import Path

from tsqlab.bubblewrap import BWRAP, NONE, wanted
from tsqlab.errors import TsqlabError
from tsqlab.guest.sandbox import cost_of_none, refused
from tsqlab.kernels.source import how_to_get, tarball_of, versions

# What each part needs, and the Debian package that has it.
PROGRAMS = {
    "gcc": "gcc",
    "make": "make",
    "bison": "bison",
    "flex": "flex",
    "bc": "bc",
    "patch": "patch",
    "git": "git",
    "xz": "xz-utils",
    "bwrap": "bubblewrap",
    "setarch": "util-linux",
    "setpriv": "util-linux",
    "prlimit": "util-linux",
    "taskset": "util-linux",
    "ip": "iproute2",
    "tc": "iproute2",
    "iw": "iw",
    "hostapd": "hostapd",
}
_SBIN = ("/usr/sbin", "/sbin")


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(command=_doctor)


def _doctor(options: argparse.Namespace) -> None:
    del options
    problems = list(_problems())
    for problem in problems:
        print(problem)
    if problems:
        count = "1 thing is" if len(problems) == 1 else f"{len(problems)} things are"
        raise TsqlabError(f"{count} missing")
    print("all is there")
    if wanted() == NONE:
        print(cost_of_none())
    for version in versions()[1:]:
        if tarball_of(version) is None:
            print(f'but for kernel = "{version}"; for that try: {how_to_get(version)}')


def _problems() -> Iterator[str]:
    without = {"bwrap"} if wanted() == NONE else set()
    packages = sorted({PROGRAMS[name] for name in {*PROGRAMS} - without if not _has(name)})
    if packages:
        yield f"missing programs; try: sudo apt-get install {' '.join(packages)}"
    if tarball_of(versions()[0]) is None:
        yield f"no source of Linux {versions()[0]}; try: {how_to_get(versions()[0])}"
    if (
        not Path("/usr/lib/x86_64-linux-gnu/libc.a").exists()
        and not Path("/usr/lib/libc.a").exists()
    ):
        yield "no static libc; try: sudo apt-get install libc6-dev"
    if shutil.which("bwrap") and wanted() == BWRAP and (why := refused()):
        yield str(why)


def _has(program: str) -> bool:
    return any(shutil.which(program, path=path) for path in (None, *_SBIN))
