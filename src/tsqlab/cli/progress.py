# SPDX-License-Identifier: GPL-2.0-or-later
"""Showing how long work goes on: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from tsqlab.errors import TsqlabError

_LINE_EVERY_S = 15.0


def _tqdm(**given: Any) -> Any:
    # It takes 30 ms, which need not be waited for where there is no terminal, and so no bar.
    from tqdm import tqdm  # noqa: PLC0415

    return tqdm(leave=False, **given)


def _bar(total: float | None, unit: str, description: str) -> Any:
    shares = "{desc} {percentage:3.0f}% |{bar}| {elapsed} gone, {remaining} left {postfix}"
    counts = "{desc}: {n_fmt} {unit}s, {elapsed} gone {postfix}"
    return _tqdm(total=total, desc=description, unit=unit, bar_format=shares if total else counts)


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

    def __init__(self, hint: Callable[[str, TsqlabError], str | None]) -> None:
        """Nothing to show before the start. *hint* says what to do about a cell's error."""
        self._hint = hint
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
        self._line(f"tsqlab: {error}", file=sys.stderr)
        if hint := self._hint(cell, error):
            self._line(f"  {hint}", file=sys.stderr)

    def told(self, text: str) -> None:
        """See Watcher."""
        self._line(text, file=sys.stderr)

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

    def told(self, text: str) -> None:
        """See Watcher."""
        self.line(f"{self._name}: {text}", file=sys.stderr)

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
    """Shows how the making of a kernel goes on (tsqlab.kernels.progress.Progress).

    A part of which nothing is heard goes on all the same, so a thread looks at the clock. What
    lasts a few seconds is not worth a line.
    """

    _SPEAK_AFTER_S = 3.0
    _LOOK_EVERY_S = 0.5

    def __init__(self, what: str) -> None:
        """*what* is being built."""
        self._what, self._part, self._counted = what, "", ""
        self._begun = self._part_begun = time.monotonic()
        self._spoken: float | None = None
        self._share: tuple[int, int] | None = None
        self._bar: Any = None
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def part(self, what: str) -> None:
        """See Progress."""
        if self._told(what) != self._told(self._part):
            self._part_begun, self._spoken = time.monotonic(), None
        self._part, self._counted, self._share = what, "", None

    def count(self, done: int, of: int | None = None, left_s: float | None = None) -> None:
        """See Progress."""
        there = f" of {of}" if of else ""
        left = f", about {duration(left_s)} left" if left_s is not None else ""
        self._counted = f", {done}{there}{left}"
        self._share = (min(done, of), of) if of else None

    def note(self, text: str) -> None:
        """See Progress."""
        _print(self._bar, f"{self._what}: {text}", sys.stderr)

    def close(self) -> None:
        """Take the bar away."""
        self._end.set()
        self._thread.join()
        if self._bar is not None:
            self._bar.close()

    @staticmethod
    def _told(part: str) -> str:
        """A part without what it counts: "reading: 7 files" goes on where "reading" was."""
        return part.partition(":")[0]

    def _watch(self) -> None:
        while not self._end.wait(self._LOOK_EVERY_S):
            if self._part:
                self._look()

    def _look(self) -> None:
        now = time.monotonic()
        gone = now - self._part_begun
        text = f"{self._what}: {self._part}{self._counted}"
        if sys.stderr.isatty():
            if gone >= self._LOOK_EVERY_S:
                self._draw(text)
        elif gone >= self._SPEAK_AFTER_S and now - (self._spoken or -1e9) >= _LINE_EVERY_S:
            self._spoken = now
            print(f"{text}; {now - self._begun:.0f} s gone", file=sys.stderr, flush=True)

    def _draw(self, text: str) -> None:
        done, of = self._share or (0, 0)
        if self._bar is None or bool(self._bar.total) != bool(of):
            if self._bar is not None:
                self._bar.close()
            form = "{percentage:3.0f}% |{bar:20}| " if of else ""
            self._bar = _tqdm(total=of or None, bar_format=f"{form}{{desc}}{{elapsed}}")
        self._bar.total, self._bar.n = of or None, done
        self._bar.set_description(text, refresh=True)


def duration(seconds: float) -> str:
    """About how long that is: "40 s", "7 min"."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
