# SPDX-License-Identifier: GPL-2.0-or-later
"""Running a plan in a guest of its own: files in, the guest's folder out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tsqlab.guest.boot import Machine, run_guest
from tsqlab.guest.plan import Plan
from tsqlab.guest.sandbox import Mounts
from tsqlab.kernels.prebuilt import installed


def write_plan(plan: Plan, folder: Path) -> None:
    """Make *folder* with the files of *plan*. Raises TsqlabError for what is no plan."""
    files = plan.files()
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")


def mounts_of(plan: Plan, folder: Path) -> Mounts:
    """What the guest of a plan sees whose files are in *folder*."""
    placed = {there: folder / "plan" / name for there, name in plan.placed.items()}
    # What a user runs is of the host, with all that it needs.
    package = None if plan.runs_programs else installed()
    programs = package.programs if package else None
    return Mounts(folder / "plan", folder / "out", {**plan.shown, **placed}, programs)


def run_plan(
    machine: Machine,
    plan: Plan,
    folder: Path,
    console: Path | None = None,
    on_second: Callable[[int], None] | None = None,
) -> Path:
    """Boot a guest that does what *plan* says; returns the folder that it wrote to.

    *folder*, which is made, holds the plan and what the guest writes. The console's log is
    *console*, or a file in *folder*. *on_second* is called with each virtual second
    of the measurement. Raises GuestError when the guest panics, gets stuck or fails otherwise.
    """
    mounts = mounts_of(plan, folder)
    write_plan(plan, mounts.plan)
    mounts.out.mkdir()
    run_guest(machine, mounts, console or folder / "console", on_second)
    return mounts.out
