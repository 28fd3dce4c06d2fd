# SPDX-License-Identifier: GPL-2.0-or-later
"""Eras: what a sending host did by itself when a paper was measured, and what one does today.

The kernel of a guest is a recent one, whose TCP makes other packets than that of a paper's host,
and whose drivers ask TSQ for more. An era says what to do about both at the sender. The rest of
a guest's kernel is what it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tsqlab.units import Size

Offloads = Literal["on", "off", "gso"]

LINEAR = Size.of("4352 B")
"""What a packet of 1500 bytes counts in a linear skb on x86-64: 1448 of data, MAX_TCP_HEADER's 304
and 320 of skb_shared_info do not fit 2 KiB and so take 4, and the sk_buff takes 256."""


@dataclass(frozen=True)
class Change:
    """A change of Linux that an era is without."""

    commit: str
    subject: str
    since: str  # the first release that has it, or the last that does not
    effect: str  # what it does to a sender


@dataclass(frozen=True)
class Packets:
    """How TCP hands packets to a device, and what they count."""

    offloads: Offloads  # sender.offloads says what each of them is
    truesize: Size | None = (
        None  # bytes that TSQ counts for a packet; None: what the kernel charges
    )


@dataclass(frozen=True)
class Era:
    """What a host did by itself."""

    name: str
    title: str
    wire: Packets  # to a device that takes an skb in pieces (scatter-gather), as Ethernet cards do
    radio: Packets  # to a device that does not, as radios
    # What mac80211 writes to sk_pacing_shift. None: what the guest's mac80211 has for it;
    # "kernel": nothing, so that TCP's own default rules.
    mac80211_shift: int | Literal["kernel"] | None = None
    # Whether a driver without mac80211 writes what its profile has as pacing_shift.
    driver_shifts: bool = True
    before: tuple[Change, ...] = ()  # the changes that make the difference to a host of today


GSO_ALWAYS = Change(
    "0a6b2a1dc2a2",
    "tcp: switch to GSO being always on",
    "v4.17",
    "TCP makes packets of many segments, in pages, for devices without scatter-gather, too",
)
TSQ_BY_DRIVERS = Change(
    "3a9b76fd0db9",
    "tcp: allow drivers to tweak TSQ logic",
    "after v4.14",
    "there is sk_pacing_shift; until then TSQ had 2^-10 s in its place",
)
TSQ_OF_MAC80211 = Change(
    "36148c2bbfbe",
    "mac80211: Adjust TSQ pacing shift",
    "v4.16",
    "mac80211 writes sk_pacing_shift",
)
TSQ_OF_BRCMFMAC = Change(
    "2fa8085fc6da",
    "brcmfmac: set pacing shift before transmitting skb to bus",
    "v5.9",
    "brcmfmac, the one driver of Wi-Fi in Linux that does so without mac80211, writes it",
)

TODAY = "today"

ERAS = {
    era.name: era
    for era in (
        Era(
            "4.13",
            "the papers' hosts, Linux 4.13 and 4.14: a packet an skb over Wi-Fi, 1 ms of TSQ",
            wire=Packets("on"),
            radio=Packets("off", LINEAR),
            mac80211_shift="kernel",
            driver_shifts=False,
            before=(TSQ_BY_DRIVERS, TSQ_OF_MAC80211, GSO_ALWAYS, TSQ_OF_BRCMFMAC),
        ),
        Era(
            TODAY,
            "a host of today: packets of many segments, and what its drivers ask TSQ for",
            wire=Packets("on"),
            radio=Packets("on"),
        ),
    )
}
"""The eras by name, the oldest first."""
