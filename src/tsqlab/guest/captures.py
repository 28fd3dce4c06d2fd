# SPDX-License-Identifier: GPL-2.0-or-later
"""A cell's captures in its guest: who records what, and in which file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tsqlab.airlink import messages
from tsqlab.experiment.capture import file_bytes_max
from tsqlab.experiment.spec import Spec
from tsqlab.guest.testbed import PlanLine, Wiring, genl


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
    sides |= {name: ("-", device) for name, (_, device) in _sniffers(spec).items()}
    return tuple(Capture(name, *sides[name]) for name in spec.lab.capture)


def _sniffers(spec: Spec) -> dict[str, tuple[int, str]]:
    """The number of each medium, and the device that records what is on it."""
    media = spec.testbed.graph.media
    return {medium.name: (medium.number, f"air{at}") for at, medium in enumerate(media)}


def set_up_lines(spec: Spec) -> Iterable[PlanLine]:
    """The plan's lines that make what there is only for captures: a sniffer on a channel."""
    for name, (number, device) in _sniffers(spec).items():
        if name in spec.lab.capture:
            yield genl("-", messages.new_sniffer(number, device))
            yield ["run", "-", "ip", "link", "set", device, "up"]


def capture_lines(spec: Spec, wired: Wiring) -> Iterable[PlanLine]:
    """The plan's lines that record."""
    asked = captures(spec, wired)
    for capture in asked:
        limits = [str(spec.lab.snap_length), str(file_bytes_max(len(asked)))]
        yield ["capture", capture.node, capture.series, capture.device, *limits]
