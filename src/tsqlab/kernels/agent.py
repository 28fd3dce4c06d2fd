# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest's program, PID 1, compiled from agent/ and cached by its sources."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.kernels.cache import made
from tsqlab.keys import key_of, key_of_files
from tsqlab.paths import AGENT, ROOT, WQM, cache

PRELOAD = "preload"
"""The folder beside the program that has the libraries."""

_C_FLAGS = ("-std=gnu11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror")


def guest_program(compiler: str) -> Path:
    """The program, linked statically: it needs nothing of the host's libraries.

    Beside it are the libraries for programs of the host, and these need its libraries.
    """
    # The policy is the daemon's own, and nothing else of it is the agent's.
    policy = [WQM / "policy.c", WQM / "policy.h"]
    sources = [*sorted(AGENT.glob("*.c")), policy[0]]
    libraries = sorted((AGENT / PRELOAD).glob("*.c"))
    static, shared = (*_C_FLAGS, "-static"), (*_C_FLAGS, "-shared", "-fPIC")
    files = [*AGENT.glob("*.[ch]"), *libraries, *policy]
    key = key_of(key_of_files(files, ROOT), *static, *shared, compiler)

    def compile_agent(folder: Path) -> None:
        _compile(folder / "agent", static, sources)
        (folder / PRELOAD).mkdir()
        for library in libraries:
            _compile(folder / PRELOAD / f"{library.stem}.so", shared, [library])

    return made(cache() / "agent" / key, compile_agent, ("agent", f"{PRELOAD}/*.so")) / "agent"


def _compile(result: Path, flags: Sequence[str], sources: Sequence[Path]) -> None:
    command = ["gcc", *flags, "-o", str(result), *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise TsqlabError(f"the guest's {result.name} does not compile:\n{done.stderr[-3000:]}")
