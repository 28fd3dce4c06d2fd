# SPDX-License-Identifier: GPL-2.0-or-later
"""Running make for kernels and modules: reproducible output, progress, and errors to read."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tsqlab.errors import TsqlabError, UsageError
from tsqlab.kernels.cache import held
from tsqlab.kernels.pace import Pace
from tsqlab.kernels.progress import Progress, Unwatched
from tsqlab.kernels.unfinished import building, distrust, forget

BUILD_DAY = datetime(2024, 1, 1, tzinfo=UTC)
"""The day on which all that is built was built, as it says itself."""

REPRODUCIBLE = {
    "KBUILD_BUILD_TIMESTAMP": f"{BUILD_DAY:%Y-%m-%d %H:%M:%S UTC}",
    "KBUILD_BUILD_USER": "tsqlab",
    "KBUILD_BUILD_HOST": "tsqlab",
    "KBUILD_BUILD_VERSION": "1",
    "LC_ALL": "C",
}
"""The environment that keeps the machine, the user and the day out of what is built."""

# Variables of the caller's environment that must not change the build.
_OURS = ("MAKE", "KBUILD", "ARCH", "SUBARCH", "CROSS_COMPILE")

TREE = "tree"
"""The link in the output to the source tree. A static function has its counts by the name of its
file (tsqlab.kernels.guided), so all trees have the same name while User-Mode Linux is compiled."""

_KILLED = re.compile(r"^make(?:\[\d+\])?: \*\*\* .* Killed$", re.MULTILINE)
"""What a make says of one below it, or of a program, that was killed: it cannot clean up."""

HOST = ""
"""The architecture of this machine: Kbuild knows its own name for it."""


@dataclass(frozen=True)
class Build:
    """Where a kernel is built, and for what."""

    tree: Path  # the source tree
    output: Path  # the folder for what is built (O=)
    arch: str = "um"  # Kbuild's ARCH, or HOST
    jobs: int | None = None  # how many jobs at a time; None: one for each CPU
    module: Path | None = None  # the folder of a module, for the kernel that is in the output


def check_folder(path: Path) -> None:
    """Raise UsageError for a folder in which Kbuild refuses to build."""
    if re.search(r"[\s:]", str(path)):
        raise UsageError(
            f"{path}: no kernel builds in a folder with a space or a colon in its name; "
            "TSQLAB_CACHE names another place for the cache"
        )


def cpus() -> int:
    """How many jobs can run at a time."""
    return len(os.sched_getaffinity(0))


def make(
    build: Build,
    targets: Sequence[str],
    log_path: Path,
    progress: Progress | None = None,
    pace: Pace | None = None,
) -> None:
    """Run make with *targets*, which may be assignments and options, too.

    It goes on from what an earlier one left, wherever that was cut off. *pace* knows what it will
    do. Raises TsqlabError with the compiler's lines; *log_path* has all of them.
    """
    jobs = build.jobs or cpus()
    arch = [f"ARCH={build.arch}"] if build.arch else []
    command = ["make", "-C", str(build.tree), f"O={build.output}", *arch, f"-j{jobs}", *targets]
    if build.module:
        command.append(f"M={build.module}")
    elif build.arch == "um":
        command.append(f"srctree={_link_to_tree(build)}")
    with building(build.module, forget) if build.module else building(build.output):
        status = _run(command, log_path, pace or Pace(None, build.output), progress or Unwatched())
    if status:
        if status < 0 or _KILLED.search(log_path.read_text("utf-8", "replace")):
            distrust(build.module or build.output)
        telling = _telling(log_path, build.tree)
        raise TsqlabError(f"the build failed; {log_path} has all of it\n{telling}")


def _link_to_tree(build: Build) -> str:
    link = build.output / TREE
    if not link.is_symlink() or link.readlink() != build.tree:
        link.unlink(missing_ok=True)
        link.symlink_to(build.tree)
    return TREE


def _run(command: Sequence[str], log_path: Path, pace: Pace, progress: Progress) -> int:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(_OURS)}
    start = time.monotonic()
    with (
        log_path.open("w", encoding="utf-8") as log,
        subprocess.Popen(
            command,
            env=environment | REPRODUCIBLE,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            pass_fds=held(),
        ) as process,
    ):
        assert process.stdout
        try:
            for line in process.stdout:
                log.write(line)
                pace.line(line.rstrip("\n"), time.monotonic() - start, progress)
        except BaseException:  # interrupted: make removes what is half done, if it may
            process.terminate()
            process.wait()
            raise
    if not process.returncode:
        pace.end(time.monotonic() - start)
    return process.returncode


def _telling(log_path: Path, tree: Path, context: int = 6, most: int = 40) -> str:
    """The lines of a build log that say what went wrong, with the name that *tree* has."""
    text = log_path.read_text("utf-8", "replace")
    lines = re.sub(rf"(?<![\w./-]){TREE}/", lambda _: f"{tree}/", text).splitlines()
    marks = ("error:", "Error ", "ERROR:", "undefined reference", "*** ")
    for number, line in enumerate(lines):
        if any(mark in line for mark in marks):
            return "\n".join(lines[max(0, number - context) : number + most])
    return "\n".join(lines[-most:])
