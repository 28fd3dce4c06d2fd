# SPDX-License-Identifier: GPL-2.0-or-later
"""The testbed's wiring: nodes, links, addresses, queues, as batches for ip(8) and tc(8).

Each node is a network namespace. A module per layout, all of them after the protocol Wiring
of `common`. Pure functions: a spec and a profile in, text out.
"""

from __future__ import annotations

from tsqlab.errors import UsageError
from tsqlab.experiment.profile import MINSTREL, Airlink, Profile, Wireline
from tsqlab.experiment.spec import Spec
from tsqlab.guest.testbed.common import (
    LEAF_MAJOR,
    SERVER_ADDRESS,
    PlanLine,
    Port,
    WatchedRadio,
    Wiring,
    egress_queues,
    qdisc_series,
)
from tsqlab.guest.testbed.radio_lines import genl
from tsqlab.guest.testbed.wifi import MEDIUM, Wifi
from tsqlab.guest.testbed.wired import Wired
from tsqlab.topology import WIFI, WIRED

__all__ = [
    "LEAF_MAJOR",
    "MEDIUM",
    "SERVER_ADDRESS",
    "PlanLine",
    "Port",
    "WatchedRadio",
    "Wiring",
    "egress_queues",
    "genl",
    "qdisc_series",
    "wiring",
]


def wiring(spec: Spec, profile: Profile) -> Wiring:
    """The layout of *spec* over devices of *profile*. Raises UsageError when they do not fit."""
    layout = spec.testbed.layout
    if layout == WIRED and isinstance(profile, Wireline):
        return Wired(spec, profile)
    if layout == WIFI and isinstance(profile, Airlink):
        _check_rate_control(spec, profile)
        _check_mtu(spec, profile)
        return Wifi(spec, profile)
    kind = "an Ethernet card" if isinstance(profile, Wireline) else "a radio"
    raise UsageError(
        f'device "{spec.testbed.device}" is {kind}, which layout "{layout}" has no place for'
    )


def _check_rate_control(spec: Spec, profile: Airlink) -> None:
    if spec.testbed.rate == MINSTREL and profile.front != "softmac":
        raise UsageError(
            f'rate = "{MINSTREL}": device "{spec.testbed.device}" has no mac80211 above it '
            f"(front = {profile.front!r}), whose rate control that is; ath9k has, for one"
        )


_MTUS = {"fullmac": (68, 2296), "softmac": (256, 2304)}
"""What a radio's device takes: an MSDU has 2304 bytes, of which fullmac has a header of LLC. Over
softmac the bounds are mac80211's (ieee80211_if_add() in its iface.c)."""


def _check_mtu(spec: Spec, profile: Airlink) -> None:
    least, most = _MTUS[profile.front]
    if not least <= spec.testbed.mtu <= most:
        raise UsageError(
            f'mtu = {spec.testbed.mtu}: device "{spec.testbed.device}" is a radio '
            f"(front = {profile.front!r}); expected {least} to {most}"
        )
