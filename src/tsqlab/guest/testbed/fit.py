# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether devices fit into the places that a testbed has for them, which profiles decide."""

from __future__ import annotations

from tsqlab.airlink.uapi import Phy
from tsqlab.errors import UsageError
from tsqlab.experiment.profile import (
    MINSTREL,
    Airlink,
    Others,
    Profile,
    Wireline,
    data_rate,
    of_device,
)
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.testbed import GRAPH
from tsqlab.experiment.testbed.graph import Medium, Role
from tsqlab.experiment.testbed.keys import NO_QUEUE, TC_QDISCS
from tsqlab.experiment.testbed.positions import width_mhz
from tsqlab.experiment.testbed.wqm import wqm_of
from tsqlab.experiment.testbed.written import MediumTable


def check_fit(spec: Spec, profile: Profile, others: Others) -> None:
    """Raises UsageError for devices of *profile*, and of *others*, that do not fit a testbed."""
    if spec.testbed.layout == GRAPH:
        _check_kinds(spec, profile, others)
    else:
        _check_kind(spec, profile)
    _check_pace(spec)
    for medium in spec.testbed.graph.media:
        radio = of_device(medium.device, profile, others)
        if isinstance(radio, Airlink):
            device = medium.device or spec.testbed.device
            _check_roles(medium.over(radio.front), device, radio)
            _check_members(medium, device, radio, others)
            _check_rate_control(medium.rate, device, radio)
            _check_mtu(spec, device, radio)
            _check_wqm(medium)
            _check_no_queue(medium, device, radio)
            if table := spec.testbed.medium.get(medium.name):
                _check_positions(table, device, radio)
    _check_wires(spec)


def _check_kind(spec: Spec, profile: Profile) -> None:
    """The device of a layout is a radio if it has any."""
    testbed = spec.testbed
    if isinstance(profile, Airlink) != bool(testbed.graph.media):
        raise UsageError(
            f'device "{testbed.device}" is {_what(profile)}, '
            f'which layout "{testbed.layout}" has no place for'
        )


def _check_kinds(spec: Spec, profile: Profile, others: Others) -> None:
    for name, link in spec.testbed.link.items():
        if not isinstance(found := of_device(link.device, profile, others), Wireline):
            raise UsageError(
                f'link "{name}": device "{link.device}" is {_what(found)}; expected an Ethernet '
                "card, as gigabit"
            )
    for name, medium in spec.testbed.medium.items():
        if not isinstance(found := of_device(medium.device, profile, others), Airlink):
            raise UsageError(
                f'medium "{name}": device "{medium.device}" is {_what(found)}; expected a radio, '
                "as ath9k"
            )


def _what(profile: Profile) -> str:
    return "an Ethernet card" if isinstance(profile, Wireline) else "a radio"


_ROLES = {
    "fullmac": (Role.AP, Role.STATION, Role.PEER),
    "softmac": (Role.AP, Role.STATION, Role.IBSS, Role.MESH),
}


def _check_roles(medium: Medium, device: str, profile: Airlink) -> None:
    """What a radio can be is its front end's matter."""
    can = _ROLES[profile.front]
    for member in medium.members:
        if member.role not in can:
            raise UsageError(
                f'medium "{medium.name}": "{member.port.node}" is to be "{member.role.value}", and '
                f'device "{device}" (front = {profile.front!r}) cannot; '
                f"expected {', '.join(role.value for role in can)}"
            )
    _check_ibss(medium, device, profile)


def _check_pace(spec: Spec) -> None:
    """A mesh point drops at once what it has no path for; who never waits would send forever."""
    members = (member for medium in spec.testbed.graph.media for member in medium.members)
    if not any(member.role == Role.MESH for member in members):
        return
    for flow in spec.traffic().flows:
        own = flow.said.rate_bit_per_s if flow.said else None
        rate = spec.flows.udp_rate if own is None else own
        if flow.protocol == "udp" and not rate:
            raise UsageError(
                f'"{flow.sender}" sends UDP as fast as its socket takes it, which in a mesh is any '
                "rate while there is no path; expected a rate (udp_rate, or that of the flow)"
            )


def _check_ibss(medium: Medium, device: str, profile: Airlink) -> None:
    """In an IBSS mac80211 has 802.11ac on channels of 80 MHz and more only.

    nl80211 takes these from drivers with NL80211_EXT_FEATURE_VHT_IBSS, which airlink has not.
    """
    rate = data_rate(medium.rate, profile)
    if rate.phy > Phy.HT and any(member.role == Role.IBSS for member in medium.members):
        raise UsageError(
            f'medium "{medium.name}": an IBSS has no rates beyond 802.11n, and device '
            f'"{device}" has {medium.rate or profile.rate}; expected a rate as "HT40 MCS15 SGI"'
        )


def _check_members(medium: Medium, device: str, usual: Airlink, others: Others) -> None:
    """A member with a device of its own is on the medium's band, and a station has its front."""
    for member in medium.members:
        if member.device is None:
            continue
        where, own = f'medium "{medium.name}": "{member.port.node}"', others[member.device]
        if not isinstance(own, Airlink):
            raise UsageError(
                f'{where}: device "{member.device}" is {_what(own)}; expected a radio, as ath9k'
            )
        keys = ("band",) if member.role == Role.AP else ("band", "front")
        for key in keys:
            mine, expected = getattr(own, key), getattr(usual, key)
            if mine != expected:
                raise UsageError(
                    f'{where}: device "{member.device}" has {key} = "{mine}"; expected '
                    f'"{expected}", as device "{device}" of its medium has'
                )


def _check_rate_control(rate: str | None, device: str, profile: Airlink) -> None:
    if rate == MINSTREL and profile.front != "softmac":
        raise UsageError(
            f'rate = "{MINSTREL}": device "{device}" has no mac80211 above it '
            f"(front = {profile.front!r}), whose rate control that is; ath9k has, for one"
        )


def _check_wqm(medium: Medium) -> None:
    """WQM sizes the queue above a driver, which has no other queue around it."""
    for member in medium.members:
        queue, where = (
            member.queue,
            f'egress "{member.port.egress}": qdisc = "{member.queue.qdisc}"',
        )
        if not wqm_of(queue.qdisc):
            continue
        if queue.rate is not None or queue.delay or queue.loss:
            raise UsageError(f"{where} has no place below HTB or netem; expected no rate, delay "
                             "or loss of that egress")  # fmt: skip


def _check_no_queue(medium: Medium, device: str, profile: Airlink) -> None:
    for member in medium.members:
        if member.queue.qdisc == NO_QUEUE and profile.front != "softmac":
            raise UsageError(
                f'egress "{member.port.egress}": qdisc = "{NO_QUEUE}" is of radios under mac80211, '
                f'and device "{device}" has none above it (front = {profile.front!r}); '
                f"expected one of {', '.join(TC_QDISCS)}"
            )


def _check_wires(spec: Spec) -> None:
    """What sizes a radio's queue, or stands for it, has no place at a wire."""
    for end in spec.testbed.graph.link_ends:
        qdisc = end.queue.qdisc
        if wqm_of(qdisc) or qdisc == NO_QUEUE:
            raise UsageError(
                f'egress "{end.port.egress}": qdisc = "{qdisc}" is of radios, and this is a wire; '
                f"expected one of {', '.join(TC_QDISCS)}"
            )


def _check_positions(table: MediumTable, device: str, profile: Airlink) -> None:
    """What positions mean depends on a band and on a bandwidth, which are the device's."""
    if not any(member.position for member in table.members.values()):
        return
    width = data_rate(table.rate, profile).width_mhz
    where = f'medium "{table.name}": positions over device "{device}"'
    if width_mhz(table) != width:
        raise UsageError(
            f"{where}, which sends at {width} MHz, need the noise of that; expected "
            f'propagation.bandwidth = "{width} MHz", or a rate of the medium'
        )
    said = table.propagation is not None and table.propagation.reference_loss is not None
    if profile.band != "2.4 GHz" and not said:
        raise UsageError(
            f"{where}, which is of {profile.band}, need propagation.reference_loss; at 5180 MHz "
            'free space has "46.73 dB"'
        )


_MTUS = {"fullmac": (68, 2296), "softmac": (256, 2304)}
"""What a radio's device takes: an MSDU has 2304 bytes, of which fullmac has a header of LLC. Over
softmac the bounds are mac80211's (ieee80211_if_add() in its iface.c)."""


def _check_mtu(spec: Spec, device: str, profile: Airlink) -> None:
    least, most = _MTUS[profile.front]
    if not least <= spec.testbed.mtu <= most:
        raise UsageError(
            f'mtu = {spec.testbed.mtu}: device "{device}" is a radio '
            f"(front = {profile.front!r}); expected {least} to {most}"
        )
