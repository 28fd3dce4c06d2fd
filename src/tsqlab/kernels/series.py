# SPDX-License-Identifier: GPL-2.0-or-later
"""Patches, tried on the few files that they touch before a tree of 87,000 is copied."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tsqlab.errors import TsqlabError
from tsqlab.kernels.cache import ran
from tsqlab.paths import KERNEL_PATCHES

WITHOUT_COTSQ = (
    "--without-cotsq builds the tree with User-Mode Linux's patches alone. Of the values of tsq, "
    '"TSQ" and { shift = N } work then, where truesize = "kernel", as on a host of today; the '
    "others (CoTSQ, 4TSQ, 40pkts, NoTSQ, { bytes, us, pkts }), another truesize, and radios in the "
    'eras "4.13" and "4.16", which have one, set sysctls that the series adds.'
)
"""What is left without the CoTSQ series, for somebody whose tree collides with it."""

_PLACE = re.compile(r"^(?:---|\+\+\+) [^/\s]+/(\S+)", re.MULTILINE)
_REJECT_LINES = 40


def touched(patches: Sequence[Path]) -> list[str]:
    """The names of the files that *patches* change, make or remove."""
    texts = (patch.read_text("utf-8", "replace") for patch in patches)
    names = {name for text in texts for name in _PLACE.findall(text)}
    return sorted(name for name in names if ".." not in name.split("/"))


def patched(
    tree: Path, read: Callable[[str], bytes | None], patches: Sequence[Path]
) -> dict[str, bytes | None]:
    """The content, with *patches* applied, of the files that they change; None: removed.

    *read* gives what *tree* has at a name, None if nothing. Raises TsqlabError for a patch that
    does not apply: whose it is, which lines, and what can be done.
    """
    names = touched(patches)
    with tempfile.TemporaryDirectory(prefix="tsqlab-series-") as folder:
        work = Path(folder) / "tree"
        work.mkdir()
        before = {name: content for name in names if (content := read(name)) is not None}
        for name, content in before.items():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_bytes(content)
        for patch in patches:
            if why := apply(patch, work, Path(folder) / "rejected"):
                raise TsqlabError(
                    f"{patch.name} does not apply to {tree}, which has changed lines that it "
                    f"changes, too:\n{why}\n{_way_on(patch)}"
                )
        after = {
            str(path.relative_to(work)): path.read_bytes()
            for path in work.rglob("*")
            if path.is_file()
        }
    both = {**before, **after}
    return {name: after.get(name) for name in both if before.get(name) != after.get(name)}


def apply(patch: Path, folder: Path, rejected: Path) -> str:
    """Apply a patch to the files in *folder*. Returns why it does not apply, if it does not."""
    command = ["patch", "-p1", "-s", "-N", "--no-backup-if-mismatch", "-r", str(rejected)]
    command += ["-d", str(folder), "-i", str(patch.absolute())]
    done = ran(command)
    if not done.returncode:
        return ""
    # The file of the rejects is ours, and gone when somebody reads this.
    said = re.sub(r" -- saving rejects to file .*", "", (done.stdout + done.stderr).strip())
    hunks = rejected.read_text("utf-8", "replace") if rejected.exists() else ""
    lines = [*said.splitlines(), *hunks.splitlines()]
    more = [f"... ({len(lines) - _REJECT_LINES} more lines)"] if len(lines) > _REJECT_LINES else []
    return "\n".join(f"  {line}" for line in [*lines[:_REJECT_LINES], *more])


def _way_on(patch: Path) -> str:
    """Whose patch it is, and what can be done."""
    if not patch.is_relative_to(KERNEL_PATCHES):
        return f"The patch is of {patch.parent}. Nothing was copied or built."
    if patch.parent.name == "history":
        return (
            "The patch is tsqlab's own, and takes an upstream change back for an era. Nothing was "
            'copied or built. [lab] era = "today" takes none back (--set era=today).'
        )
    ours = "The patch is tsqlab's own, of the series for"
    others = f"--patches DIR applies others in place of those in {patch.parent}."
    if patch.parent.name == "tcp":
        return f"{ours} CoTSQ. Nothing was copied or built. {WITHOUT_COTSQ}"
    return f"{ours} User-Mode Linux. Nothing was copied or built. {others}"
