# SPDX-License-Identifier: GPL-2.0-or-later
"""What a kernel does while it counts its branches: a few cells of what users run.

See tsqlab.kernels.guided. The cells are short, because what matters is which branches are taken,
and not how often: uploads over wires, slow and fast, below and above what a CPU can send; over
802.11, as a fullmac device and below mac80211; and several flows both ways, through a queueing
discipline, with pings and UDP.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from tsqlab.errors import TsqlabError
from tsqlab.experiment.profile import load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.guest.boot import Machine, run_guest
from tsqlab.guest.places import OUT_DIR
from tsqlab.guest.plan import Plan, make_plan
from tsqlab.guest.run import write_plan
from tsqlab.guest.sandbox import Mounts
from tsqlab.kernels import Kernel
from tsqlab.keys import key_of

_COUNTS = "counts"


def _upload(length: str, **testbed: str) -> dict[str, Any]:
    return {
        "sender": {"offloads": "off", "truesize": "kernel"},
        "testbed": testbed,
        "flows": {"length": length, "delay": "0 s"},
    }


_CELLS: tuple[dict[str, Any], ...] = (
    _upload("8 s", bottleneck="L100M"),
    _upload("1 s", bottleneck="LR1000M"),
    _upload("8 s", layout="wifi", device="ath9k_htc"),
    _upload("8 s", layout="wifi", device="ath9k"),
    {
        "testbed": {"layout": "wifi", "device": "ath10k"},
        "flows": {"test": "rrul_be", "length": "3 s", "delay": "0 s"},
    },
)


class CellTraining:
    """The training that all kernels have (tsqlab.kernels.guided.Training)."""

    folder = f"{OUT_DIR}/{_COUNTS}"

    @cached_property
    def key(self) -> str:
        """See Training."""
        return key_of(*(text for plan in self._plans() for text in sorted(plan.files().values())))

    def run(self, kernel: Kernel, work: Path) -> Path:
        """See Training. Each guest adds to the counts that the one before has left."""
        machine = Machine(kernel, 512 << 20, 1, max(os.sched_getaffinity(0)))
        counts: Path | None = None
        for number, plan in enumerate(self._plans()):
            folder = work / str(number)
            mounts = Mounts(folder / "plan", folder / "out")
            write_plan(plan, mounts.plan)
            mounts.out.mkdir()
            if counts:
                counts.rename(mounts.out / _COUNTS)
            run_guest(machine, mounts, folder / "console")
            counts = mounts.out / _COUNTS
        if counts is None or not any(counts.rglob("*.gcda")):
            raise TsqlabError("the guests of the training have left no counts")
        return counts

    @staticmethod
    def _plans() -> Iterator[Plan]:
        for cell in _CELLS:
            spec = Spec.model_validate({"title": "training", **cell})
            yield make_plan(spec, load_profile(spec.testbed.device))
