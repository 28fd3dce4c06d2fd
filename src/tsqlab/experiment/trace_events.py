# SPDX-License-Identifier: GPL-2.0-or-later
"""Trace events beside a result: which an experiment may ask for, and how many there may be.

They are the kernel's own, by the names that it has for them: ``tcp:tcp_probe``, or ``tcp:*``. Only
the kernel knows which it has, so a name that is none of its own fails in the guest. A cell with
events runs a kernel that has them, which others have not (kernel/config/trace.config), so it is one
of its own, and so are its results.
"""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

from tsqlab.experiment.capture import listed
from tsqlab.experiment.invalid import shown

TRACED = frozenset({"lab.trace"})
"""The key that says what is traced. It cannot vary."""

EVENTS_MAX = 50
_EVENT = re.compile(r"[A-Za-z0-9_*?-]{1,50}:[A-Za-z0-9_*?-]{1,80}")

FILE_BYTES_MAX = 1 << 30
"""The events of a cell, as text."""


def _check(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if not _EVENT.fullmatch(name):
            raise ValueError(
                f'expected events as SYSTEM:NAME, "tcp:tcp_probe" or "tcp:*", not {shown(name)}'
            )
    if len(names) > EVENTS_MAX:
        raise ValueError(f"{len(names)} names; expected {EVENTS_MAX} at most: * stands for many")
    if len(set(names)) < len(names):
        raise ValueError("the same event twice")
    return names


Events = Annotated[tuple[str, ...], BeforeValidator(listed), AfterValidator(_check)]
