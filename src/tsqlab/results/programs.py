# SPDX-License-Identifier: GPL-2.0-or-later
"""What programs did and printed, as a result's file has it, and as a file of its own has it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tsqlab.results.grid import Samples
from tsqlab.results.measurement import ProgramRun
from tsqlab.results.samples import Clock

_NS = 1e9


def program_samples(values: Sequence[tuple[int, float]], clock: Clock) -> Samples:
    """A series that a program printed, as Flent's raw values: in the order of time."""
    return [{"t": clock.unix(t_ns), "val": value} for t_ns, value in sorted(values)]


def program_meta(run: ProgramRun) -> dict[str, Any]:
    """What is said of a program beside its series; times count from the measurement's start."""
    return _ended(run) | {"figures": dict(run.figures)}


def _ended(run: ProgramRun) -> dict[str, Any]:
    return {
        "node": run.node,
        "begin_s": run.begin_ns / _NS,
        "end_s": run.end_ns / _NS,
        "status": run.status,
        "signal": run.signal,
        "stopped": run.stopped,
    }


def program_text(run: ProgramRun, command: Sequence[str], lost_bytes: int) -> str:
    """How a program ended, as the file that stands beside what it printed."""
    said = _ended(run) | {"command": list(command), "lost_bytes": lost_bytes}
    return json.dumps(said, indent=1) + "\n"
