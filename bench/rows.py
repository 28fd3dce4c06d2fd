# SPDX-License-Identifier: GPL-2.0-or-later
"""The cells that are measured, each a row of a table, for all programs in this folder.

A row is made by whatever tsqlab is on the path, so that the same row can be run in two checkouts
(pairs.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tsqlab.experiment.profile import Profile, load_profile
from tsqlab.experiment.spec import Spec
from tsqlab.results.measurement import Measurement

Tables = Mapping[str, Mapping[str, Any]]

# A frame is an skb, as the figures count them.
SINGLE: Tables = {
    "sender": {"offloads": "off", "truesize": "kernel"},
    "lab": {"era": "4.13"},
}
SET_UP: Tables = {"flows": {"test": "ping", "length": "100 ms", "delay": "0 s"}}
"""A cell that has hardly begun: what it costs is the boot, and building its testbed."""

LENGTH_S = 60.0


@dataclass(frozen=True)
class Row:
    """A cell to run."""

    title: str
    spec: Spec
    profile: Profile
    first: tuple[list[str], ...] = ()  # further lines at the head of its plan

    @property
    def simulated_s(self) -> float:
        """How much virtual time it measures."""
        return float(self.spec.total.s)


def _row(title: str, *tables: Tables) -> Row:
    merged = {name: table for each in (SINGLE, *tables) for name, table in each.items()}
    spec = Spec.model_validate({"title": "speed", **merged})
    return Row(title, spec, load_profile(spec.testbed.device))


_UPLOADS = {
    "a": ("CUBIC upload, L100M", {"bottleneck": "L100M"}),
    "b": ("CUBIC upload, 1 Gbit/s wireline, no TSO", {"bottleneck": "LR1000M"}),
    "c": ("CUBIC upload, ath9k_htc", {"layout": "wifi", "device": "ath9k_htc"}),
    "d": ("CUBIC upload, ath9k", {"layout": "wifi", "device": "ath9k"}),
}


def upload(letter: str, length_s: float = LENGTH_S) -> Row:
    """The row *letter*, "a" to "d": one CUBIC upload that lasts so long."""
    title, testbed = _UPLOADS[letter]
    flows = {"length": f"{round(length_s * 1000)} ms", "delay": "0 s"}
    return _row(title, {"testbed": testbed, "flows": flows})


def set_up(letter: str) -> Row:
    """The boot and the set-up of the same testbed."""
    title, testbed = _UPLOADS[letter]
    return _row(f"boot and set-up: {title}", {"testbed": testbed}, SET_UP)


def rows(length_s: float = LENGTH_S) -> dict[str, Row]:
    """All, by their letters."""
    found = {letter: upload(letter, length_s) for letter in _UPLOADS}
    found["e"] = _row("boot and set-up, wired", SET_UP)
    found["f"] = _row("boot and set-up, ath9k", {"testbed": _UPLOADS["d"][1]}, SET_UP)
    return found


def sent_frames(measured: Measurement) -> int:
    """What the client has put on its link; of a radio, what was acknowledged.

    A frame is counted once, where its sender put it on the first link.
    """
    if measured.radios:
        return int(measured.radios["C"].counters["frames_acked"][-1])
    return int(measured.qdiscs["C>R"]["sent_packets"][-1])
