# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest's program, PID 1, compiled from agent/ and cached by its sources."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.kernels.cache import made, ran
from tsqlab.keys import key_of, key_of_files
from tsqlab.paths import AGENT, ROOT, WQM, cache

PRELOAD = "preload"
"""The folder beside the program that has the libraries."""

_C_FLAGS = ("-std=gnu11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror")


# The policy is the daemon's own, and nothing else of it is the agent's.
_POLICY = (WQM / "policy.c", WQM / "policy.h")
_STATIC, _SHARED = (*_C_FLAGS, "-static"), (*_C_FLAGS, "-shared", "-fPIC")


def _libraries() -> list[Path]:
    return sorted((AGENT / PRELOAD).glob("*.c"))


def _content() -> tuple[str, ...]:
    files = [*AGENT.glob("*.[ch]"), *_libraries(), *_POLICY]
    return (key_of_files(files, ROOT), *_STATIC, *_SHARED)


def sources_key() -> str:
    """The key of all that the program and its libraries are made of, but for the compiler."""
    return key_of(*_content())


def guest_program(compiler: str) -> Path:
    """The program, linked statically: it needs nothing of the host's libraries.

    Beside it are the libraries for programs of the host, and these need its libraries.
    """

    def compile_agent(folder: Path) -> None:
        _compile(folder / "agent", _STATIC, [*sorted(AGENT.glob("*.c")), _POLICY[0]])
        (folder / PRELOAD).mkdir()
        for library in _libraries():
            _compile(folder / PRELOAD / f"{library.stem}.so", _SHARED, [library])

    key = key_of(*_content(), compiler)
    return made(cache() / "agent" / key, compile_agent, ("agent", f"{PRELOAD}/*.so")) / "agent"


def _compile(result: Path, flags: Sequence[str], sources: Sequence[Path]) -> None:
    command = ["gcc", *flags, "-o", str(result), *map(str, sources)]
    done = ran(command)
    if done.returncode:
        raise TsqlabError(f"the guest's {result.name} does not compile:\n{done.stderr[-3000:]}")
