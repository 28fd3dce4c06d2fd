# SPDX-License-Identifier: GPL-2.0-or-later
"""Showing how long work goes on: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Any

from tqdm import tqdm

from tsqlab.errors import TsqlabError

_LINE_EVERY_S = 15.0


def _bar(total: float | None, unit: str, description: str) -> Any:
    shares = "{desc} {percentage:3.0f}% |{bar}| {elapsed} gone, {remaining} left {postfix}"
    counts = "{desc}: {n_fmt} {unit}s, {elapsed} gone {postfix}"
    return tqdm(
        total=total,
        desc=description,
        unit=unit,
        leave=False,
        bar_format=shares if total else counts,
    )


def _print(bar: Any, text: str, file: Any) -> None:
    """Print a line, above the bar if there is one."""
    if bar is not None:
        bar.write(text, file=file or sys.stdout)
    else:
        print(text, file=file or sys.stdout, flush=True)


def _left(begun: float, run_s: float, total_s: float) -> str:
    """How long it goes on, if that can be said: ", 12 s left"."""
    if not run_s:
        return ""
    left = (time.monotonic() - begun) * max(0.0, total_s / run_s - 1)
    return f", {left:.0f} s left" if left >= 1 else ""


class RunProgress:
    """The watcher of a run (tsqlab.runner.experiment.Watcher)."""

    def __init__(self) -> None:
        """Nothing to show before the start."""
        self._bar: Any = None
        self._begun = time.monotonic()
        self._cells = self._done = 0
        self._run_s = self._total_s = 0.0

    def start(self, cells: int, done: int, seconds: float) -> None:
        """See Watcher."""
        self._cells, self._done, self._total_s = cells, done, seconds
        if done:
            print(f"{done} of {cells} cells are done already")
        if sys.stderr.isatty() and seconds:
            self._bar = _bar(seconds, "s", f"{cells - done} cells")

    def tick(self, seconds: float) -> None:
        """See Watcher."""
        self._run_s += seconds
        if self._bar is not None:
            self._bar.update(seconds)

    def finished(self, cell: str, wall_s: float) -> None:
        """See Watcher."""
        self._done += 1
        self._line(f"[{self._done}/{self._cells}] {cell}: {wall_s:.1f} s{self._left()}")

    def failed(self, cell: str, error: TsqlabError) -> None:
        """See Watcher."""
        del cell
        self._line(f"tsqlab: {error}", file=sys.stderr)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()

    def _left(self) -> str:
        return "" if self._bar is not None else _left(self._begun, self._run_s, self._total_s)

    def _line(self, text: str, file: Any = None) -> None:
        _print(self._bar, text, file)


class BatchProgress:
    """One line for many experiments: the watcher of each in turn."""

    def __init__(self, experiments: int, seconds: float) -> None:
        """So many *experiments*, with so many virtual *seconds* still to run."""
        self._count, self._total_s = experiments, seconds
        self._at, self._name, self._cells, self._done = 0, "", 0, 0
        self._run_s, self._begun, self._spoken = 0.0, time.monotonic(), time.monotonic()
        self._bar: Any = None
        if sys.stderr.isatty() and seconds:
            self._bar = _bar(seconds, "s", f"{experiments} experiments")

    def experiment(self, name: str) -> BatchProgress:
        """The next one begins."""
        self._at, self._name, self._cells, self._done = self._at + 1, name, 0, 0
        return self

    def start(self, cells: int, done: int, seconds: float) -> None:
        """See Watcher."""
        del seconds
        self._cells, self._done = cells, done
        self._show()

    def tick(self, seconds: float) -> None:
        """See Watcher."""
        self._run_s += seconds
        if self._bar is not None:
            self._bar.update(seconds)

    def finished(self, cell: str, wall_s: float) -> None:
        """See Watcher."""
        del cell, wall_s
        self._done += 1
        self._show()

    def failed(self, cell: str, error: TsqlabError) -> None:
        """See Watcher."""
        del cell
        self.line(f"tsqlab: {self._name}: {error}", file=sys.stderr)

    def line(self, text: str, file: Any = None) -> None:
        """Print a line that stays."""
        _print(self._bar, text, file)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()

    def _show(self) -> None:
        where = f"{self._at}/{self._count} {self._name}, cell {self._done}/{self._cells}"
        if self._bar is not None:
            self._bar.set_description(where)
        elif time.monotonic() - self._spoken >= _LINE_EVERY_S:
            self._spoken = time.monotonic()
            print(f"{where}{_left(self._begun, self._run_s, self._total_s)}", flush=True)


class BuildProgress:
    """The progress of a kernel build (tsqlab.kernels.make.Progress)."""

    # A lean 6.12 has about this many steps; 6.1 a few less. Only the bar depends on it.
    _STEPS = 1150

    def __init__(self, what: str, steps: int | None = _STEPS) -> None:
        """*what* is being built, in about so many *steps*, if that is known."""
        self._what, self._steps, self._spoken = what, steps, 0.0
        self._bar: Any = None

    def __call__(self, steps: int, seconds: float) -> None:
        """So many steps are done after so many seconds."""
        if sys.stderr.isatty():
            self._bar = self._bar or _bar(self._steps, "step", f"building {self._what}")
            self._bar.n = min(steps, self._steps or steps)
            self._bar.refresh()
        elif seconds - self._spoken >= _LINE_EVERY_S or not self._spoken:
            self._spoken = max(seconds, 0.001)
            done = f"{min(99, 100 * steps // self._steps)} %" if self._steps else f"{steps} steps"
            print(f"building {self._what}: {done}, {seconds:.0f} s", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
