#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the wheel of tsqlab-kernels: the kernel of each era, built here, and what goes with it.

    .venv/bin/python tools/kernels_wheel.py dist

Kernels are taken from the cache, or built. The wheel's tag says which C library a machine needs at
least: guests run on a library of the wheel's own, but a cell's own programs are the host's, and so
is then what the kernel loads.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from guest_programs import Package, copy_licenses, copy_programs
from tsqlab import __version__
from tsqlab.cli.kernels import build_shown
from tsqlab.errors import TsqlabError
from tsqlab.experiment.era import ERAS, TODAY
from tsqlab.guest.host_programs import HOST_PROGRAMS, contents_of_host
from tsqlab.kernels import Kernel, Recipe
from tsqlab.kernels.daemon import wqm_daemon, wqm_key
from tsqlab.kernels.ingredients import ingredients, patches_for, taken_back
from tsqlab.kernels.prebuilt import ABOUT, Built, asked_as
from tsqlab.kernels.source import tarball_of, versions
from tsqlab.paths import AGENT, KERNEL_CONFIG, KERNEL_MODULES, KERNEL_PATCHES, ROOT, WQM

PROJECT = ROOT / "packaging" / "kernels"
_NEEDS = re.compile(rb"\0GLIBC_(\d+)\.(\d+)(?:\.\d+)?(?=\0)")


@dataclass(frozen=True)
class Made:
    """A kernel that is to be in the wheel."""

    name: str
    recipe: Recipe
    kernel: Kernel

    @property
    def version(self) -> str:
        """The version of its source."""
        return self.kernel.version

    def described(self) -> Built:
        """It, as tsqlab reads it."""
        kernel = self.kernel
        return Built(
            self.name, kernel.version, kernel.release, kernel.hz, kernel.id, kernel.cotsq,
            asked_as(self.recipe), ingredients(self.recipe),
        )  # fmt: skip

    @property
    def back(self) -> list[Path]:
        """The patches that it has beside the series, in their order."""
        return list(taken_back(self.recipe, self.version).values())


def made(eras: Iterable[str]) -> list[Made]:
    """The kernels of these eras, built if they are not."""
    version = versions()[0]
    found: dict[str, Made] = {}
    for era in (ERAS[name] for name in eras):
        recipe = Recipe(version=version, without=era.patches, prebuilt=False)
        name = version if era.name == TODAY else f"{version}-as-of-{era.name}"
        kernel = build_shown(recipe)
        found.setdefault(kernel.id, Made(name, recipe, kernel))
    return list(found.values())


def stage(folder: Path, eras: Iterable[str]) -> None:
    """Put all that the wheel has into *folder*, a copy of packaging/kernels. Raises TsqlabError."""
    shutil.copytree(PROJECT, folder, dirs_exist_ok=True)
    package, kernels = folder / "src" / "tsqlab_kernels", made(eras)
    for one in kernels:
        (package / "linux" / one.name).mkdir(parents=True)
        (package / "modules" / one.name).mkdir(parents=True)
        (package / "sources" / "config").mkdir(parents=True, exist_ok=True)
        shutil.copy(one.kernel.linux, package / "linux" / one.name / "linux")
        for module in one.kernel.modules.glob("*.ko"):
            shutil.copy(module, package / "modules" / one.name)
        config = one.kernel.linux.parent / ".config"
        shutil.copy(config, package / "sources" / "config" / f"{one.name}.config")
    agent = kernels[0].kernel.agent
    shutil.copytree(agent.parent, package / "agent", ignore=shutil.ignore_patterns(".*"))
    (package / "wqm").mkdir()
    shutil.copy(wqm_daemon(), package / "wqm")
    programs = copy_programs(package / "programs")
    copy_licenses(programs, folder / "licenses")
    _copy_sources(package / "sources")
    about = {
        "version": __version__,
        "wqm": wqm_key(),
        "kernels": [asdict(one.described()) for one in kernels],
        "programs": [asdict(program) for program in programs],
        "programs_are": {name: contents_of_host([name]) for name in HOST_PROGRAMS},
    }
    (package / ABOUT).write_text(json.dumps(about, indent=1) + "\n", "utf-8")
    shutil.copy(ROOT / "COPYING", folder / "LICENSE")
    notice = folder / "NOTICE.md"
    notice.write_text(notice.read_text("utf-8").format(**_words(kernels, programs)), "utf-8")
    (folder / "tag").write_text(f"py3-none-{_platform(package)}\n", "utf-8")


def _copy_sources(target: Path) -> None:
    for source in (AGENT, WQM, KERNEL_CONFIG, KERNEL_MODULES, KERNEL_PATCHES):
        for path in _known_to_git(source):
            place = target / path.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)


def _known_to_git(folder: Path) -> Iterator[Path]:
    done = subprocess.run(
        ["git", "-C", str(folder), "ls-files", "-z", "."],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    yield from (folder / name for name in done.stdout.split("\0") if name)


def _words(kernels: Sequence[Made], programs: Iterable[Package]) -> dict[str, str]:
    """What stands in the notice in the place of names."""
    newest = kernels[-1]
    tarball = tarball_of(newest.version)
    assert tarball is not None, "a kernel was built of it"
    package = f"linux-source-{newest.version}"
    shown = "${source:Package} ${source:Version}"
    asked = ["dpkg-query", "-W", "-f", shown, package]
    linux = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    if not linux:
        raise TsqlabError(f"no {package} installed: the kernels would be of a source without name")
    compiler = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True)
    return {
        "kernels": _table(
            ["NAME", "release", "patches after these"],
            ([one.name, one.kernel.release, _list(one.back)] for one in kernels),
        ),
        "linux": linux,
        "version": newest.version,
        "tarball": hashlib.sha256(tarball.read_bytes()).hexdigest(),
        "compiler": compiler.stdout.splitlines()[0],
        "patches": _list(patches_for(newest.recipe, newest.version)),
        "tsqlab": __version__,
        "programs": _table(
            ["package", "version", "source", "its version"],
            (list(asdict(program).values()) for program in programs),
        ),
    }


def _list(patches: Iterable[Path]) -> str:
    return ", ".join(f"`{path.relative_to(KERNEL_PATCHES)}`" for path in patches) or "none"


def _table(head: list[str], rows: Iterable[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _platform(package: Path) -> str:
    """The tag of the oldest C library that has all that is asked of one."""
    found = {
        (int(major), int(minor))
        for pattern in ("linux/*/linux", "agent/preload/*.so", "wqm/wqm")
        for path in package.glob(pattern)
        for major, minor in _NEEDS.findall(path.read_bytes())
    }
    major, minor = max(found)
    return f"manylinux_{major}_{minor}_x86_64"


def main() -> int:
    """Make it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path, help="the folder that the wheel goes to")
    parser.add_argument(
        "--era", choices=ERAS, action="append", help="that kernel only; may be given again"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        try:
            stage(Path(work), options.era or list(ERAS))
        except TsqlabError as error:
            print(f"kernels_wheel: {error}", file=sys.stderr)
            return 1
        build = [sys.executable, "-m", "build", "--no-isolation", "--wheel"]
        command = [*build, "--outdir", str(options.out.absolute()), work]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
