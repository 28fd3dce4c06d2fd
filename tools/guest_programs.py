# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs of guests, copied from this Debian with all that they load.

They are files of Debian's packages as they are, laid out as there, so that they need no change: a
guest sees the folder as its /usr (tsqlab.guest.sandbox). tools/kernels_wheel.py puts them into the
package tsqlab-kernels.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.guest.sandbox import program_in_guests

PROGRAMS = ("ip", "tc", "iw", "hostapd", "prlimit", "setarch", "setpriv")
"""What makes a testbed, and what the sandbox begins with."""

_DATA = ("/etc/iproute2", "/usr/lib/x86_64-linux-gnu/tc")
"""Tables of names, and netem's distributions."""

_LIBRARIES = "usr/lib/x86_64-linux-gnu"
_INTERPRETER = "/lib64/ld-linux-x86-64.so.2"
_LOADED = re.compile(r"^\s*(\S+) => (/\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Package:
    """A package of Debian that something was copied of."""

    name: str
    version: str
    source: str
    source_version: str


def copy_programs(target: Path) -> list[Package]:
    """Copy the programs to *target*; returns the packages that they are of. Raises TsqlabError."""
    copied = dict(_wanted())
    for place, path in copied.items():
        (target / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target / place)
    return sorted(set(_packages(copied.values())), key=lambda package: package.name)


def copy_licenses(packages: Iterable[Package], target: Path) -> None:
    """Copy what Debian says of the copyright of each package to *target*."""
    target.mkdir(parents=True, exist_ok=True)
    for package in packages:
        shutil.copy(f"/usr/share/doc/{package.name}/copyright", target / package.name)


def _wanted() -> Iterator[tuple[str, Path]]:
    """Where each file is to lie, and where it is."""
    yield f"usr{_INTERPRETER}", Path(_INTERPRETER).resolve()
    data = (path for folder in _DATA for path in sorted(Path(folder).rglob("*")))
    files = [_program(name) for name in PROGRAMS] + [path for path in data if path.is_file()]
    for path in files:
        yield str(_merged(path)), path
        for name, library in _loaded(path):
            yield f"{_LIBRARIES}/{name}", library


def _program(name: str) -> Path:
    found = program_in_guests(name)
    if found is None:
        raise TsqlabError(f"no {name} on this machine; try: tsqlab doctor")
    return found.resolve()


def _merged(path: Path) -> Path:
    """A path as it is below a root where /bin and /lib are those of /usr."""
    inner = path.relative_to("/")
    return Path("usr") / inner if inner.parts[0] in ("bin", "sbin", "lib") else inner


def _loaded(path: Path) -> list[tuple[str, Path]]:
    """The libraries that a file loads, and those that these do, by name."""
    done = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False)
    if "not found" in done.stdout:
        raise TsqlabError(f"{path} lacks libraries:\n{done.stdout}")
    return [(name, Path(place)) for name, place in _LOADED.findall(done.stdout)]


def _packages(paths: Iterable[Path]) -> Iterator[Package]:
    shown = "${Package}\t${Version}\t${source:Package}\t${source:Version}\n"
    for path in paths:
        owner = _owner(path)
        done = _asked(["dpkg-query", "-W", "-f", shown, owner])
        yield Package(*done.splitlines()[0].split("\t"))


def _owner(path: Path) -> str:
    """The package of a file, which dpkg may know from before /bin was a link."""
    real = path.resolve()
    names = {str(path), str(real), str(real).removeprefix("/usr"), f"/usr{real}"}
    done = subprocess.run(
        ["dpkg-query", "-S", *sorted(names)], capture_output=True, text=True, check=False
    )
    owners = [line.rpartition(": ")[0].split(",")[0] for line in done.stdout.splitlines()]
    if not owners:
        raise TsqlabError(f"{path} is of no package, so that nobody could name its source")
    return owners[0]


def _asked(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise TsqlabError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout
