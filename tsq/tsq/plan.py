# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsq plan``: what each method would set here, and what it would cost. Nothing is changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from tsq.devices import Device
from tsq.limit import ms_of_shift
from tsq.methods import Method

_UNKNOWN = (
    "whether TSQ limits anything here at all: `tsq show` during an upload tells",
    "which limit is best: `tsq verify SERVER` measures",
)


def as_text(device: Device, ms: float, planned: Iterable[Method]) -> Iterator[str]:
    """For people: with the commands that do the same."""
    allows = ms_of_shift(device.shift.value)
    shift = f"shift {device.shift.text}, which is {allows:.2g} ms"
    yield f"DEV {device.name}: {shift}; wanted: {ms:g} ms"
    if ms > allows * 1.05:
        yield "    more than now: larger aggregates, and a longer queue below TCP"
    elif ms < allows * 0.95:
        yield "    less than now: a shorter queue below TCP, if the device does not need it"
    else:
        yield "    that is what it has"
    for method in planned:
        yield from _method(method)
    yield "not known:"
    for line in _UNKNOWN:
        yield f"    {line}"


def _method(method: Method) -> Iterator[str]:
    if method.why_not:
        yield f"{method.name}: not here: {method.why_not}"
        return
    yield f"{method.name}: {'needs --host-wide' if method.harms else 'touches nobody else'}"
    for change in method.changes:
        yield f"    {change.command(change.after)}"
    for harm in method.harms:
        yield f"    ! {harm}"
    for caveat in method.caveats:
        yield f"    - {caveat}"


def as_json(device: Device, ms: float, planned: Iterable[Method]) -> str:
    """For programs: one object on one line."""
    return json.dumps(
        {
            "device": device.name,
            "shift": vars(device.shift),
            "ms": ms,
            "methods": [_method_json(method) for method in planned],
            "unknown": _UNKNOWN,
        }
    )


def _method_json(method: Method) -> dict[str, Any]:
    return {
        "name": method.name,
        "why_not": method.why_not,
        "changes": [
            change.written() | {"command": change.command(change.after)}
            for change in method.changes
        ],
        "harms": method.harms,
        "caveats": method.caveats,
    }
