# SPDX-License-Identifier: GPL-2.0-or-later
"""Which programs may have stopped a guest's time: those that ran as it stood still.

Nothing takes time in a guest but waiting (docs/virtual-time.md), so a program that never waits
stops the time of all. The guest cannot say so: it does nothing but run that program.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tsqlab.experiment.program_table import names
from tsqlab.experiment.spec import Spec
from tsqlab.guest.boot import STOOD_STILL, GuestError

_TICK = re.compile(r"^tsqlab: t (\d+) ms$", re.MULTILINE)
_TICK_MS = 50  # how often a guest says how far it is
_COMMAND_MAX = 200


def with_suspects(error: GuestError, out: Path, spec: Spec, console: Path) -> GuestError:
    """The same error, with the programs that ran as virtual time stood still."""
    if STOOD_STILL not in error.why or not spec.program:
        return error
    running = _running(out, spec, console.read_text("utf-8", errors="replace"))
    if not running:
        return error
    who = "this program runs" if len(running) == 1 else "one of these programs runs"
    why = f"{error.why}; {who} and never waits (docs/programs.md): {', '.join(running)}"
    return GuestError(why, error.last_words)


def _running(out: Path, spec: Spec, console: str) -> list[str]:
    """The programs that have begun and not ended, as a guest's folder and its console say."""
    said_ms = [int(text) for text in _TICK.findall(console.replace("\r", ""))]
    # A program may begin before the first that it says.
    now_ns = (max(said_ms) + _TICK_MS) * 10**6 if said_ms else 0
    named = zip(names(spec.program), spec.program, strict=True)
    return [
        f'"{name}" in {table.node} ({shlex.join(table.command)[:_COMMAND_MAX]})'
        for number, (name, table) in enumerate(named, 1)
        if table.begin_ns(spec.flows.delay) <= now_ns
        and not (out / f"program-{number}.tsv").exists()
    ]
