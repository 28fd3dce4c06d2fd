# SPDX-License-Identifier: GPL-2.0-or-later
"""Modules of a user's own, compiled against the kernel that they are to be loaded into.

They are cached by their source and by that kernel: own/KEY has the module, and what the compiler
said of it. Compiling takes a second or two, and a line that has changed compiles one module.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tsqlab.bubblewrap import NONE, VARIABLE, refusal, wanted
from tsqlab.errors import TsqlabError, UsageError
from tsqlab.kernels.cache import made
from tsqlab.kernels.confined import FILE_BYTES_MAX, SOURCE_DIR, WORK_DIR, confined
from tsqlab.kernels.make import REPRODUCIBLE, Build, cpus
from tsqlab.kernels.own_source import Source
from tsqlab.kernels.progress import Progress
from tsqlab.keys import key_of
from tsqlab.paths import cache

_MODULE, _WARNINGS = "module.ko", "warnings"
_SAID_LINES_MAX = 60
_NO_MODULE = 3  # the status by which the script says that make made none, or several

# make's words go to stderr; stdout is the module. It has debug information, of which a guest loads
# nothing: a call trace has its lines, and gdb its variables.
_SCRIPT = f"""
mkdir {WORK_DIR}/$NAME && cp -r {SOURCE_DIR}/. {WORK_DIR}/$NAME && cd {WORK_DIR}/$NAME || exit 1
"$@" KCFLAGS=-g 1>&2 || exit 1
set -- *.ko
[ $# = 1 ] && [ -f "$1" ] || {{ echo "$@" 1>&2; exit {_NO_MODULE}; }}
cat "$1"
"""

# What make says while all is well, and of errors that others have told before.
_NOISE = re.compile(
    r"  [A-Z]+ +(\[M\] +)?/|make(\[\d+\])?: ((Enter|Leav)ing |\*\*\* .* Error \d+$)"
)
# The name of what __module_param_call() of the kernel's moduleparam.h declares for each parameter.
_PARAMETER = re.compile(rb"(?<=\0)__param_str_(\w{1,60})(?=\0)")


@dataclass(frozen=True)
class OwnModule:
    """A module that is compiled."""

    name: str  # its folder's
    key: str  # of its source
    file: Path
    parameters: tuple[str, ...]  # what it can be loaded with
    warnings: str  # what the compiler said of it


def own_module(
    source: Source, linux: Path, against: AbstractContextManager[Build], progress: Progress
) -> OwnModule:
    """The module, compiled if it is not in the cache. Raises TsqlabError with the compiler's lines.

    *linux* is the kernel's folder, *against* where it was built, which is entered only to compile.
    """

    def compile_module(folder: Path) -> None:
        progress.part(f"compiling the module {source.name}")
        with against as build:
            module, said = _compiled(source, build)
        (folder / _WARNINGS).write_text(said, "utf-8")
        (folder / _MODULE).write_bytes(module)

    key = key_of(linux.name, source.key, _SCRIPT)
    folder = made(cache() / "own" / key, compile_module, (_MODULE, _WARNINGS), progress=progress)
    file = folder / _MODULE
    found = sorted(set(_PARAMETER.findall(file.read_bytes())))
    parameters = tuple(name.decode("ascii", "replace") for name in found)
    warnings = (folder / _WARNINGS).read_text("utf-8")
    return OwnModule(source.name, source.key, file, parameters, _named(warnings, source))


def _compiled(source: Source, build: Build) -> tuple[bytes, str]:
    """The module's bytes, and what the compiler said."""
    if wanted() == NONE:
        raise UsageError(
            f"{source.said}: modules are compiled in bubblewrap's sandbox, since a Makefile runs "
            f"any program; {VARIABLE}={NONE} is without"
        )
    command = [
        *("make", "-C", str(build.tree), f"O={build.output}", f"ARCH={build.arch}"),
        *(f"-j{build.jobs or cpus()}", f"M={WORK_DIR}/{source.name}", "modules"),
    ]
    # A tree of links (tsqlab.kernels.increment) leads to others of the cache.
    readable = dict.fromkeys((cache() / "src", build.tree, build.output))
    with (
        tempfile.TemporaryDirectory() as work,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        _write(source, Path(work))
        sandboxed = confined(
            Path(work),
            [path for path in readable if path.exists()],
            {**REPRODUCIBLE, "NAME": source.name},
            ["sh", "-c", _SCRIPT, "sh", *command],
        )
        try:
            done = subprocess.run(
                sandboxed, stdin=subprocess.DEVNULL, stdout=out, stderr=err, check=False
            )
        except FileNotFoundError as error:
            raise TsqlabError(f"no {error.filename}; try: tsqlab doctor") from error
        said = _said(err)
        if done.returncode == _NO_MODULE:
            there = said.splitlines()[-1].replace("*.ko", "none")
            raise TsqlabError(f"{source.said}: expected one module of its Kbuild; it makes {there}")
        if done.returncode and said.startswith("bwrap: "):
            raise TsqlabError(str(refusal(said)))
        if done.returncode:
            raise TsqlabError(f"{source.said} does not compile\n{_named(said, source)}")
        out.seek(0)
        return out.read(FILE_BYTES_MAX), said


def _write(source: Source, folder: Path) -> None:
    for name, content in source.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _said(log: IO[bytes]) -> str:
    """What make said that matters."""
    log.seek(0)
    text = log.read(FILE_BYTES_MAX).decode(errors="replace")
    lines = [_printable(line) for line in text.splitlines() if not _NOISE.match(line)]
    more = len(lines) - _SAID_LINES_MAX
    return "\n".join(lines[:_SAID_LINES_MAX] + ([f"... ({more} more lines)"] if more > 0 else []))


def _named(said: str, source: Source) -> str:
    """It with the names that files have for the user."""
    return said.replace(f"{WORK_DIR}/{source.name}/", f"{source.said.rstrip('/')}/")


def _printable(line: str) -> str:
    """A line for a terminal, which obeys no module."""
    return "".join(letter if letter.isprintable() or letter == "\t" else "?" for letter in line)
