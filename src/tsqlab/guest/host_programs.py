# SPDX-License-Identifier: GPL-2.0-or-later
"""What the host's programs contain that guests run, and the libraries that these load.

A guest's nodes are made by the host's ip, tc, iw and hostapd. What they ask of the kernel, and how
many random numbers they take of it, is theirs: a host with other packages may give another result.
So a cell's key has a digest of the programs that make its nodes. Where tsqlab-kernels is
installed, they are those of that package, which says the same of them as the host that it was made
on, unless the guest runs a program of the user's (tsqlab.guest.sandbox).

In it are, of each, its file,
its interpreter, the libraries that it is linked to, and theirs; and the tables and plugins of
iproute2. A library is known by its name, wherever a distribution has it, and all that a guest may
load by that name belong to it, as those of glibc-hwcaps for certain CPUs. There is no ld.so.cache
in a guest, so only the usual folders count, and those that a program names itself.

Not in it: what a program opens by itself, as python3 does its modules; what only the host runs, as
bubblewrap; and the kernel and the agent, which have keys of their own.

It takes 2 ms where nothing has changed, as tsqlab.guest.known_files remembers what was read.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.guest.known_files import KnownFiles, recall
from tsqlab.guest.sandbox import in_guests, program_in_guests
from tsqlab.kernels.prebuilt import installed
from tsqlab.keys import key_of

HOST_PROGRAMS = ("hostapd", "ip", "iw", "tc")
"""All that a testbed is made by."""

_LIBRARIES = tuple(
    f"{folder}{part}"
    for folder in ("/lib", "/usr/lib")
    for part in ("64", f"/{os.uname().machine}-linux-gnu", "")
)
_FOR_CPUS = "glibc-hwcaps"
_TABLES = ("/etc/iproute2", "/usr/share/iproute2", "/usr/lib/iproute2")
_PLUGINS = ("ip", "tc")
"""The folders of iproute2 beside its libraries; tc's has the distributions of netem, too."""


_THE_HOSTS = "the host's "
"""What the name of a program begins with that is the host's, though a package has one."""


def makers(programs: Iterable[str], *, runs_own: bool) -> frozenset[str]:
    """The names of the programs that make a cell's nodes, as contents() takes them.

    *runs_own* says that its guest runs a program of the user's as well. Where tsqlab-kernels is
    installed, that guest has the host's programs, and others the package's, which have other names.
    """
    prefix = _THE_HOSTS if runs_own and installed() else ""
    return frozenset(f"{prefix}{name}" for name in programs)


def digest(programs: Iterable[str] = HOST_PROGRAMS) -> str:
    """A short name for all that these programs are on this host. Raises TsqlabError."""
    return digest_of_contents(contents(programs))


def contents(programs: Iterable[str] = HOST_PROGRAMS) -> dict[str, str]:
    """What that name is made of: a digest of each program, library and table, by its name.

    Two hosts whose names differ do so in these. What is not there has an empty one. The host's say
    so in their names only where they stand beside the package's. Raises TsqlabError for a file
    that cannot be read.
    """
    names = frozenset(programs)
    hosts = {name for name in names if name.startswith(_THE_HOSTS)}
    if not hosts:
        return _usual(names)
    found = contents_of_host(name.removeprefix(_THE_HOSTS) for name in hosts)
    if hosts == names:
        return found
    return _usual(names - hosts) | {f"{_THE_HOSTS}{name}": key for name, key in found.items()}


def _usual(programs: Iterable[str]) -> dict[str, str]:
    """The same where guests run no program of the user's."""
    package = installed()
    if package:
        return {name: key for program in sorted(programs)
                for name, key in package.programs_are[program].items()}  # fmt: skip
    return contents_of_host(programs)


def contents_of_host(programs: Iterable[str]) -> dict[str, str]:
    """The same of the host's own, whatever is installed. Raises TsqlabError."""
    return _look({name: program_in_guests(name) for name in sorted(programs)}, _tables())


def contents_of(path: Path) -> dict[str, str]:
    """The same of a program of any path, which is called "", and what it loads.

    Raises TsqlabError.
    """
    return _look({"": path}, {})


def digest_of_contents(found: Mapping[str, str]) -> str:
    """The short name of what contents() says."""
    return key_of(*(os.fsencode(part) for pair in sorted(found.items()) for part in pair))


def _look(programs: Mapping[str, Path | None], tables: Mapping[str, str]) -> dict[str, str]:
    files, folders = recall(), list(_folders())
    try:
        found = {name: files.of(path).sha256 for name, path in tables.items()}
        for name, path in programs.items():
            found[name] = files.of(str(path)).sha256 if path else ""
            if path:
                _add_loaded(found, str(path), files, folders)
    except OSError as error:
        raise TsqlabError(f"{error.filename}: cannot be read: {error.strerror}") from error
    files.remember()
    return found


def _add_loaded(
    found: dict[str, str], program: str, files: KnownFiles, folders: Sequence[str]
) -> None:
    """Add the digests of what a program loads, by the names that are asked for."""
    waiting = [program]
    while waiting:
        path = waiting.pop()
        wanted = files.of(path).asked
        own = _own_folders(path, wanted.folders) if wanted.folders else ()
        for name in (*wanted.runs, *wanted.libraries):
            called = name.rpartition("/")[2]
            if called not in found:
                copies = _runs(name) if name in wanted.runs else _copies(name, (*own, *folders))
                found[called] = key_of(*(files.of(one).sha256 for one in copies)) if copies else ""
                waiting += copies


def _runs(name: str) -> list[str]:
    """The interpreter of that path or name; none if guests do not have it."""
    path = program_in_guests(name)
    return [str(path)] if path and in_guests(path) else []


def _own_folders(program: str, folders: Iterable[str]) -> Iterator[str]:
    """The folders of libraries that a program names, as far as they are the host's own.

    Others are of what an experiment has its guests see, which a key covers as a whole.
    """
    here = str(Path(program).parent)
    for folder in folders:
        path = folder.replace("${ORIGIN}", here).replace("$ORIGIN", here)
        if path.startswith("/") and in_guests(Path(path)):
            yield path


def _copies(name: str, folders: Iterable[str]) -> list[str]:
    """The files that the loader may take for a library, each once."""
    if "/" in name:
        paths = [name] if name.startswith("/") and in_guests(Path(name)) else []
    else:
        paths = [f"{folder}/{name}" for folder in folders]
    found: dict[tuple[int, int], str] = {}
    for path in paths:
        with contextlib.suppress(OSError, ValueError):
            state = os.stat(path)  # noqa: PTH116 - there are hundreds, and Path takes twice as long
            if stat.S_ISREG(state.st_mode):
                found.setdefault((state.st_dev, state.st_ino), path)
    return list(found.values())


def _folders() -> Iterator[str]:
    """The folders of libraries, each once, whatever links lead to it; those for CPUs first."""
    for folder in dict.fromkeys(os.path.realpath(path) for path in _LIBRARIES):
        with contextlib.suppress(OSError):
            yield from sorted(entry.path for entry in os.scandir(f"{folder}/{_FOR_CPUS}"))
        yield folder


def _tables() -> dict[str, str]:
    """The files of iproute2's tables and plugins, by their names below their folder."""
    plugins = [(kind, f"{folder}/{kind}") for folder in _folders() for kind in _PLUGINS]
    return {
        f"{kind}/{os.path.relpath(path, top)}": path
        for kind, top in (*(("iproute2", folder) for folder in _TABLES), *plugins)
        for folder, _, names in os.walk(top)
        for path in (f"{folder}/{name}" for name in names)
        if os.path.isfile(path)  # noqa: PTH113
    }
