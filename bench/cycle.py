# SPDX-License-Identifier: GPL-2.0-or-later
"""What it costs to edit a kernel: from a saved file to a kernel that boots, in seconds.

    python bench/cycle.py FOLDER [JOBS]

Unpacks Debian's 6.12 in FOLDER/tree, if it is not there, and builds it over a cache of its own,
FOLDER/cache: (a) as it is there, which is a cold build if FOLDER was empty (2 CPUs need some
minutes, and 4 GB of disk); (b) with no change; then with a line more in (c) net/ipv4/tcp_cubic.c,
(d) net/ipv4/tcp_output.c, (e) include/net/tcp.h; (f) once more with no change. Each line has the
seconds by the clock, those of CPU time, which other work on the machine does not change so much;
below it are the parts that took more than a tenth of a second. (The CPU time of a make is counted
when it ends, so that of compiling stands at "linking".) FOLDER stays.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

TARBALL = Path("/usr/src/linux-source-6.12.tar.xz")


class Parts:
    """A progress that adds up what each part takes (tsqlab.kernels.progress)."""

    def __init__(self) -> None:
        """Nothing has begun."""
        self.parts: dict[str, tuple[float, float]] = {}
        self._now, self._begun, self._cpu_begun = "", time.monotonic(), cpu_s()

    def part(self, what: str) -> None:
        """The next part begins."""
        gone, cpu = time.monotonic() - self._begun, cpu_s() - self._cpu_begun
        before, cpu_before = self.parts.get(self._now, (0.0, 0.0))
        self.parts[self._now] = (before + gone, cpu_before + cpu)
        self._now = what.partition(" in ")[0]
        self._begun, self._cpu_begun = time.monotonic(), cpu_s()

    def count(self, done: int, of: int | None = None, left_s: float | None = None) -> None:
        """See Progress."""

    def note(self, text: str) -> None:
        """See Progress."""


def cpu_s() -> float:
    """The CPU time of this process and of its children that have ended."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def main() -> None:
    """Print a line for each edit."""
    folder = Path(sys.argv[1]).absolute()
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else None
    tree = folder / "tree"
    if not tree.exists():
        tree.mkdir(parents=True)
        command = ["tar", "-xf", str(TARBALL), "-C", str(tree), "--strip-components=1"]
        subprocess.run(command, check=True)
    os.environ["TSQLAB_CACHE"] = str(folder / "cache")
    from tsqlab.kernels import Recipe, build  # noqa: PLC0415  (where the cache is has been said)

    for title, name in (
        ("(a) as it is there", ""),
        ("(b) no change", ""),
        ("(c) a line in net/ipv4/tcp_cubic.c", "net/ipv4/tcp_cubic.c"),
        ("(d) a line in net/ipv4/tcp_output.c", "net/ipv4/tcp_output.c"),
        ("(e) a line in include/net/tcp.h", "include/net/tcp.h"),
        ("(f) no change", ""),
    ):
        if name:
            with (tree / name).open("a", encoding="utf-8") as file:
                file.write(f"#define TSQLAB_BENCH_{time.time_ns()}\n")
        parts, begun, cpu_begun = Parts(), time.monotonic(), cpu_s()
        kernel = build(Recipe(source=tree), parts, jobs)
        wall = time.monotonic() - begun
        parts.part("")
        print(f"{title}: {wall:.1f} s, {cpu_s() - cpu_begun:.1f} s of CPU", flush=True)
        for what, (seconds, cpu) in parts.parts.items():
            if what and seconds >= 0.1:
                print(f"    {what}: {seconds:.1f} s, {cpu:.1f} s of CPU", flush=True)
    print(f"Linux {kernel.release}, {jobs or len(os.sched_getaffinity(0))} jobs")


if __name__ == "__main__":
    main()
