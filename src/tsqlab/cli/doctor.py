# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsqlab doctor``: what is missing on this machine, and the command that mends it."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from tsqlab.bubblewrap import BWRAP, NONE, wanted
from tsqlab.errors import TsqlabError
from tsqlab.guest.sandbox import cost_of_none, refused
from tsqlab.kernels import Recipe
from tsqlab.kernels.prebuilt import installed, prebuilt
from tsqlab.kernels.source import how_to_get, tarball_of, versions

# What each part needs, and the Debian package that has it. tsqlab-kernels has what is built, and
# what a testbed is made by.
BUILDING = {
    "gcc": "gcc",
    "make": "make",
    "bison": "bison",
    "flex": "flex",
    "bc": "bc",
    "patch": "patch",
    "git": "git",
    "xz": "xz-utils",
}
RUNNING = {
    "bwrap": "bubblewrap",
    "setarch": "util-linux",
    "setpriv": "util-linux",
    "prlimit": "util-linux",
    "taskset": "util-linux",
}
TESTBEDS = {
    "ip": "iproute2",
    "tc": "iproute2",
    "iw": "iw",
    "hostapd": "hostapd",
}
PROGRAMS = {**BUILDING, **RUNNING, **TESTBEDS}
_SBIN = ("/usr/sbin", "/sbin")


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(command=_doctor)


def _doctor(options: argparse.Namespace) -> None:
    del options
    package = installed()
    kernel, why_none = prebuilt(Recipe(), package)
    if package:
        print(f"{package.title}: {why_none or 'its kernels are used'}")
    problems = list(_problems(built=kernel is not None))
    for problem in problems:
        print(problem)
    if problems:
        count = "1 thing is" if len(problems) == 1 else f"{len(problems)} things are"
        raise TsqlabError(f"{count} missing")
    print("all is there")
    if wanted() == NONE:
        print(cost_of_none())
    if kernel:
        for lack in _lacks_to_build():
            print(f"but for kernels, modules and programs of your own; {lack}")
        return
    for version in versions()[1:]:
        if tarball_of(version) is None:
            print(f'but for kernel = "{version}"; for that try: {how_to_get(version)}')


def _problems(*, built: bool = False) -> Iterator[str]:
    """What is missing, where kernels are *built* already or are not."""
    without = {"bwrap"} if wanted() == NONE else set()
    programs = RUNNING if built else PROGRAMS
    yield from _missing({name: programs[name] for name in {*programs} - without})
    if not built:
        yield from _missing_sources()
    if shutil.which("bwrap") and wanted() == BWRAP and (why := refused()):
        yield str(why)


def _lacks_to_build() -> Iterator[str]:
    yield from _missing(BUILDING | TESTBEDS)
    yield from _missing_sources()


def _missing(programs: Mapping[str, str]) -> Iterator[str]:
    packages = sorted({programs[name] for name in programs if not _has(name)})
    if packages:
        yield f"missing programs; try: sudo apt-get install {' '.join(packages)}"


def _missing_sources() -> Iterator[str]:
    if tarball_of(versions()[0]) is None:
        yield f"no source of Linux {versions()[0]}; try: {how_to_get(versions()[0])}"
    if (
        not Path("/usr/lib/x86_64-linux-gnu/libc.a").exists()
        and not Path("/usr/lib/libc.a").exists()
    ):
        yield "no static libc; try: sudo apt-get install libc6-dev"


def _has(program: str) -> bool:
    return any(shutil.which(program, path=path) for path in (None, *_SBIN))
