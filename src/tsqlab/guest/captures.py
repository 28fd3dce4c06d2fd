# SPDX-License-Identifier: GPL-2.0-or-later
"""A cell's captures in its guest: who records what, and in which file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tsqlab.airlink import messages
from tsqlab.experiment.capture import AIR, file_bytes_max
from tsqlab.experiment.spec import Spec
from tsqlab.guest.testbed import MEDIUM, PlanLine, Wiring, genl

_AIR_DEVICE = "air0"


@dataclass(frozen=True)
class Capture:
    """What is recorded on one device."""

    name: str  # as the experiment calls it: an egress, or the air
    node: str
    device: str

    @property
    def series(self) -> str:
        """The name of its file in the guest's folder, without its suffix."""
        return f"capture-{self.device}"


def captures(spec: Spec, wired: Wiring) -> tuple[Capture, ...]:
    """What a cell records. An egress stands for the device that it leaves by."""
    sides = {port.egress: (port.node, port.device) for port in wired.ports}
    sides[AIR] = ("-", _AIR_DEVICE)
    return tuple(Capture(name, *sides[name]) for name in spec.lab.capture)


def set_up_lines(spec: Spec) -> Iterable[PlanLine]:
    """The plan's lines that make what there is only for captures: a sniffer on the channel."""
    if AIR in spec.lab.capture:
        yield genl("-", messages.new_sniffer(MEDIUM, _AIR_DEVICE))
        yield ["run", "-", "ip", "link", "set", _AIR_DEVICE, "up"]


def capture_lines(spec: Spec, wired: Wiring) -> Iterable[PlanLine]:
    """The plan's lines that record."""
    asked = captures(spec, wired)
    for capture in asked:
        limits = [str(spec.lab.snap_length), str(file_bytes_max(len(asked)))]
        yield ["capture", capture.node, capture.series, capture.device, *limits]
