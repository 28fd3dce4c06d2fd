# SPDX-License-Identifier: GPL-2.0-or-later
"""A cell's trace events in its guest: the line that writes them, and what it leaves."""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.trace_events import FILE_BYTES_MAX
from tsqlab.guest.testbed import PlanLine
from tsqlab.results.files import is_regular
from tsqlab.results.measurement import read_table

_SERIES = "trace"
_BUFFER_SHARE = 16
"""What part of the guest's memory is the buffer: agent/trace.c says so, too."""

_HEAD = """\
# tracer: nop
#
# entries-in-buffer/entries-written: {events}/{events}   #P:1
#
# TIMESTAMP: s of virtual time, from the beginning of the measurement
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
"""
"""What the kernel's own file begins with, which programs that read one know it by."""


def trace_lines(spec: Spec) -> Iterable[PlanLine]:
    """The plan's line that writes a cell's events, if it has any."""
    if spec.lab.trace:
        buffer_kib = spec.lab.memory // (_BUFFER_SHARE << 10)
        limits = [str(buffer_kib), str(FILE_BYTES_MAX)]
        yield ["trace", "-", _SERIES, *limits, *spec.lab.trace]


def keep_trace(out: Path, file: Path) -> None:
    """Write the events that a guest left in *out*, with the kernel's head, as *file*, packed.

    The same events are the same bytes. Raises TsqlabError when there are none.
    """
    written = out / f"{_SERIES}.txt"
    if not is_regular(written):
        raise TsqlabError("the guest left no trace events")
    (events,) = read_table(out / f"{_SERIES}.tsv")["events"].tolist()
    partial = file.with_name(f"{file.name}.part")
    with partial.open("wb") as packed, written.open("rb") as text:
        with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as unpacked:
            unpacked.write(_HEAD.format(events=events).encode())
            shutil.copyfileobj(text, unpacked, 1 << 20)
        packed.flush()
        os.fsync(packed.fileno())
    partial.replace(file)
