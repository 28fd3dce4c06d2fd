# SPDX-License-Identifier: GPL-2.0-or-later
"""What a cell writes over what its kernel does by itself where its flows are sent.

A patch of a default that is written over shows nothing in a result. So each such value is named
here, with the key of the experiment, the era or the profile that it is from; a test holds the
list against the plan. What makes the links is no override: rates, queues (qdisc), rings, delays.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tsqlab.experiment.host import host_of, sender_shift
from tsqlab.experiment.profile import NO_OTHERS, Others, Profile
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.tsq import STOCK_SHIFT, KernelTime
from tsqlab.guest.testbed.settings import guest_sysctls, node_sysctls
from tsqlab.topology import SERVERS


@dataclass(frozen=True)
class Override:
    """A default that does not count in a cell."""

    nodes: tuple[str, ...]  # the senders that it is written at
    name: str  # a sysctl, or the kernel's word for what it is: "sk_pacing_shift"
    value: str  # the value, in words where a number says little
    cause: str  # a key such as "sender.tsq"; "era 4.13", "profile brcmfmac" or "the lab"

    @property
    def where(self) -> str:
        """The senders as text: "C", "C and S", "C1 to C20"."""
        clients = [node for node in self.nodes if node not in SERVERS]
        parts = [f"{clients[0]} to {clients[-1]}"] if len(clients) > 2 else clients
        return " and ".join([*parts, *(node for node in self.nodes if node in SERVERS)])


def senders(spec: Spec) -> tuple[str, ...]:
    """The nodes where flows are sent; the clients if there are pings only."""
    sending = {flow.sender for flow in spec.traffic().flows}
    return tuple(node for node in spec.testbed.nodes if node in sending) or spec.testbed.clients


def overrides(spec: Spec, profile: Profile, others: Others = NO_OTHERS) -> tuple[Override, ...]:
    """All that a cell of *spec* over devices of *profile* overrides at its senders."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for node in senders(spec):
        for override in _at(spec, profile, node, others):
            found.setdefault(override, []).append(node)
    return tuple(
        Override(tuple(nodes), name, value, cause) for (name, value, cause), nodes in found.items()
    )


_Found = tuple[str, str, str]  # name, value, cause


def _at(spec: Spec, profile: Profile, node: str, others: Others) -> Iterable[_Found]:
    host = host_of(spec, profile)
    if host.offloads == "off":
        yield "gso_max_segs", "1: one packet per skb", host.offloads_cause
    if host.offloads != "on":
        yield "TSO, GSO and GRO", "off (ethtool -K)", host.offloads_cause
    if host.gso_max_size is not None:
        yield "gso_max_size", str(int(host.gso_max_size)), "sender.gso_max_size"
    if spec.sender.tx_delay is not None:
        yield "TCP_TX_DELAY", spec.sender.tx_delay.text, "sender.tx_delay"
    yield from _shift(spec, profile, node, others)
    for setting in (*guest_sysctls(spec), *node_sysctls(spec, profile, node, others)):
        yield setting.name, _words(setting.value), setting.cause


def _shift(spec: Spec, profile: Profile, node: str, others: Others) -> Iterable[_Found]:
    shift = sender_shift(spec, profile, node, others)
    if shift and shift.value == "kernel":
        value = "the kernel's own default, in the place of mac80211's"
        yield "sk_pacing_shift", value, shift.cause
    elif shift:
        yield "sk_pacing_shift", str(shift.value), shift.cause


def _words(value: int | str | KernelTime) -> str:
    if not isinstance(value, KernelTime):
        return str(value)
    share = f"{value.numerator} / {value.denominator} of the kernel's own time of TSQ"
    return f"{share}: {value.us(STOCK_SHIFT)} if its sk_pacing_shift is {STOCK_SHIFT}"
