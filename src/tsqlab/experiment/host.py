# SPDX-License-Identifier: GPL-2.0-or-later
"""A cell's sending hosts: what [sender] says, and of the rest what its era says of the device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tsqlab.experiment.era import ERAS, Offloads
from tsqlab.experiment.profile import NO_OTHERS, Airlink, Others, Profile, of_device
from tsqlab.experiment.radios import own_radio
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.tsq import MAC80211_SHIFT, STOCK_SHIFT, KernelTime
from tsqlab.units import Size

OUTPUT_BYTES = "net.ipv4.tcp_limit_output_bytes"
"""The bound of stock TSQ for flows that are not paced."""


@dataclass(frozen=True)
class Shift:
    """What is written to sk_pacing_shift below TCP."""

    # "kernel": the default that TCP has for it, so that mac80211's own value is not written.
    value: int | Literal["kernel"]
    cause: str


@dataclass(frozen=True)
class Host:
    """How the hosts of a cell send, and which key, era or profile each setting is from."""

    offloads: Offloads
    offloads_cause: str
    truesize: Size | None  # None: what the guest's kernel charges
    truesize_cause: str
    gso_max_size: Size | None  # None: as much as a device takes


def host_of(spec: Spec, profile: Profile) -> Host:
    """The hosts of *spec* over devices of *profile*."""
    era, sender = ERAS[spec.lab.era], spec.sender
    usual = era.radio if isinstance(profile, Airlink) else era.wire
    return Host(
        sender.offloads or usual.offloads,
        "sender.offloads" if sender.offloads else _era(spec),
        usual.truesize if sender.truesize is None else sender.truesize or None,
        _era(spec) if sender.truesize is None else "sender.truesize",
        sender.gso_max_size,
    )


def sender_shift(
    spec: Spec, profile: Profile, node: str, others: Others = NO_OTHERS
) -> Shift | None:
    """What the device of a sending node writes to sk_pacing_shift; None: nothing of ours.

    None of a radio of mac80211 is that mac80211 writes what it has by itself.
    """
    if spec.sender.tsq.shift:
        return Shift(spec.sender.tsq.shift, "sender.tsq")
    if radio := radio_at(spec, profile, node, others):
        return radio_shift(spec, radio.own, radio.front, radio.device)
    return None


@dataclass(frozen=True)
class RadioAt:
    """The radio of a node."""

    own: Airlink  # its profile
    front: str  # that of all radios of its medium, the stations'
    device: str  # what names the profile: itself, its medium or the testbed


def radio_at(spec: Spec, profile: Profile, node: str, others: Others = NO_OTHERS) -> RadioAt | None:
    """The radio that a node has; None of one that has a wire only."""
    place = spec.testbed.graph.radio_at(node)
    usual = of_device(place.medium.device, profile, others) if place else None
    if place is None or not isinstance(usual, Airlink):
        return None
    own = own_radio(usual, place.member, others)
    device = place.member.device or place.medium.device or spec.testbed.device
    return RadioAt(own, usual.front, device)


def radio_shift(spec: Spec, radio: Airlink, front: str, device: str = "") -> Shift | None:
    """What the driver of a radio with that *front*, or mac80211 above it, writes by itself.

    *device* is the name by which its profile was found, if that is not the cell's.
    """
    era = ERAS[spec.lab.era]
    if front == "softmac" and era.mac80211_shift is not None:
        return Shift(era.mac80211_shift, _era(spec))
    if radio.pacing_shift and (front == "softmac" or era.driver_shifts):
        return Shift(radio.pacing_shift, f"profile {device or spec.testbed.device}")
    return None


def own_shift(spec: Spec, profile: Profile) -> Shift:
    """What stock TSQ has at a client, in numbers, and whose value it is."""
    radio = profile if isinstance(profile, Airlink) else None
    shift = radio_shift(spec, radio, radio.front) if radio else None
    if shift and shift.value != "kernel":
        return Shift(shift.value, "the driver's own")
    if radio and radio.front == "softmac" and shift is None:
        return Shift(MAC80211_SHIFT, "mac80211's own")
    return Shift(STOCK_SHIFT, "the kernel's own")


def tsq_sysctls(
    spec: Spec, profile: Profile, node: str, others: Others = NO_OTHERS
) -> dict[str, int | KernelTime]:
    """The sysctls of sender.tsq at a node, for packets that count as the host's; empty for stock.

    Where stock's time is the driver's, that is what counts, in numbers; the server S has a wire.
    """
    written = sender_shift(spec, profile, node, others)
    radio = radio_at(spec, profile, node, others)
    shift: int | None = None
    if written is None and radio and radio.front == "softmac":
        shift = MAC80211_SHIFT
    elif written and written.value != "kernel":
        shift = written.value
    charged = ERAS[spec.lab.era].charged
    return spec.sender.tsq.sysctls(host_of(spec, profile).truesize, shift, charged)


def era_sysctls(spec: Spec, profile: Profile) -> dict[str, int]:
    """The sysctls that a cell's hosts have by their era.

    A bound in bytes allows as many packets of what the kernel charges as it allowed of theirs.
    """
    era, truesize = ERAS[spec.lab.era], host_of(spec, profile).truesize
    share = era.charged / truesize if truesize else 1.0
    return {
        name: round(value * share) if name == OUTPUT_BYTES else value
        for name, value in era.sysctls.items()
    }


def needs_cotsq(spec: Spec, profile: Profile, others: Others = NO_OTHERS) -> bool:
    """Whether a cell writes sysctls of the CoTSQ series."""
    return any(tsq_sysctls(spec, profile, node, others) for node in spec.testbed.nodes)


def _era(spec: Spec) -> str:
    return f"era {spec.lab.era}"
