# SPDX-License-Identifier: GPL-2.0-or-later
"""How far a build is, and how long it goes on: by the objects of the last build of its like.

make does not say what it is going to do. The last build that began with nothing does: which
objects there are, and how long each took (the time from its line to the next, which is what it
adds to the whole, however many jobs there are). Those that are not there when make starts will be
made, so the time that is left is the sum of theirs, at the pace that the objects of this build have
had so far. A build that finds all of them makes some anew, and nobody knows how many: then there is
a number of objects, and no end. So it is for the first build on a machine, but for a version of
which the number is known; one that goes on where it was cut off counts what is there.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from tsqlab.kernels.progress import Progress
from tsqlab.results.files import make_folder, write_whole

_OBJECT = re.compile(r"  (?:CC|AS|HOSTCC)(?: \[M\])? +(\S+\.o)$")
_LAST = re.compile(r"  (?:LD|LINK|KSYMS|NM) +\S*linux\S*$")
_PACE_KNOWN_AFTER = 0.02  # of the work: before, the last build's pace is the best guess

_ABOUT_ALL = 0.9


class Pace:
    """What is known of a build's objects, and what has been seen of them."""

    def __init__(self, memory: Path | None, output: Path, likely: int | None = None) -> None:
        """*memory* remembers builds of this like; without one there are *likely* objects."""
        self._memory, self._output, self._likely = memory, output, likely
        self._known = _remembered(memory)
        self._missing = {name for name in self._known if not (output / name).exists()}
        self._first = not (output / "linux").exists()
        # What a build that was cut off has left, of a like that nothing is remembered of.
        cut_off = self._first and not self._known
        self._left = {_name(path, output) for path in output.rglob("*.o")} if cut_off else set()
        self._seen: dict[str, float] = {}
        self._now: tuple[str, float] | None = None

    def line(self, text: str, seconds: float, progress: Progress) -> None:
        """make said this, so many seconds after its start."""
        found = _OBJECT.match(text)
        if found:
            self._close(seconds)
            self._now = (found[1], seconds)
            self._seen.setdefault(found[1], 0.0)
            self._show(seconds, progress)
        elif _LAST.match(text):
            self._close(seconds)
            progress.part("linking")

    def end(self, seconds: float) -> None:
        """The build succeeded: remember its objects, if those that were seen are about all."""
        self._close(seconds)
        if self._memory is None or not self._first:
            return
        known = {name: s for name, s in self._known.items() if (self._output / name).exists()}
        there = sum(1 for _ in self._output.rglob("*.o"))
        if len(known | self._seen) >= _ABOUT_ALL * there:
            make_folder(self._memory.parent)
            write_whole(self._memory, json.dumps(known | self._seen, indent=0).encode())

    def _close(self, seconds: float) -> None:
        if self._now is not None:
            name, begun = self._now
            self._seen[name] = round(seconds - begun, 3)
            self._now = None

    def _show(self, seconds: float, progress: Progress) -> None:
        strange = len(self._seen.keys() - self._known.keys())
        if not self._missing or strange > (1 - _ABOUT_ALL) * len(self._known):
            likely = self._likely if self._first and not self._known else None
            progress.count(len(self._left | self._seen.keys()), likely)
            return
        made = self._missing & self._seen.keys()
        total = sum(self._known[name] for name in self._missing)
        done = sum(self._known[name] for name in made)
        pace = seconds / done if done > _PACE_KNOWN_AFTER * total else 1.0
        there = len(self._known) - len(self._missing)
        progress.count(there + len(made), len(self._known), (total - done) * pace)


def _name(path: Path, output: Path) -> str:
    """An object as make names it."""
    return str(path.relative_to(output))


def _remembered(memory: Path | None) -> dict[str, float]:
    try:
        data = json.loads(memory.read_bytes()) if memory else {}
        return {str(name): float(seconds) for name, seconds in data.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}
