# SPDX-License-Identifier: GPL-2.0-or-later
"""Running make for kernels and modules: reproducible output, progress, and errors to read."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tsqlab.errors import TsqlabError

Progress = Callable[[int, float], None]
"""Called with the number of steps done and the seconds since the start."""

# Nothing of the machine, the user or the day in what is built.
_REPRODUCIBLE = {
    "KBUILD_BUILD_TIMESTAMP": "2024-01-01 00:00:00 UTC",
    "KBUILD_BUILD_USER": "tsqlab",
    "KBUILD_BUILD_HOST": "tsqlab",
    "KBUILD_BUILD_VERSION": "1",
    "LC_ALL": "C",
}


def make(
    tree: Path,
    output: Path,
    targets: Sequence[str],
    log_path: Path,
    progress: Progress | None = None,
) -> None:
    """Run make for ARCH=um in *tree* with O=*output*.

    Raises TsqlabError with the compiler's lines; *log_path* has all of them.
    """
    jobs = len(os.sched_getaffinity(0))
    command = ["make", "-C", str(tree), f"O={output}", "ARCH=um", f"-j{jobs}", *targets]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "KBUILD"))}
    start, steps = time.monotonic(), 0
    with (
        log_path.open("w") as log,
        subprocess.Popen(
            command,
            env=environment | _REPRODUCIBLE,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as process,
    ):
        assert process.stdout
        for line in process.stdout:
            log.write(line)
            steps += line.startswith("  ")
            if progress:
                progress(steps, time.monotonic() - start)
    if process.returncode:
        raise TsqlabError(f"the build failed; {log_path} has all of it\n{_telling(log_path)}")


def _telling(log_path: Path, context: int = 6, most: int = 40) -> str:
    """The lines of a build log that say what went wrong."""
    lines = log_path.read_text(errors="replace").splitlines()
    marks = ("error:", "Error ", "ERROR:", "undefined reference", "*** ")
    for at, line in enumerate(lines):
        if any(mark in line for mark in marks):
            return "\n".join(lines[max(0, at - context) : at + most])
    return "\n".join(lines[-most:])
