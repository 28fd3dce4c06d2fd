# SPDX-License-Identifier: GPL-2.0-or-later
"""Eras: what a sending host was when a paper was measured, and what one is today.

The kernel of a guest is a recent one. Its TCP makes other packets than that of a paper's host, its
congestion controls have learned, its mac80211 limits airtime, and its drivers ask TSQ for more. An
era says which changes of Linux a host is to be without, and what does that for each: a patch of
kernel/patches/history, a sysctl, or what is said here of packets and of drivers. What is in none of
them is what it is in the guest's kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tsqlab.units import Size

Offloads = Literal["on", "off", "gso"]

CHARGED = 2408
"""Bytes that a guest's kernel charges a socket for a packet of 1500 bytes on its own: 1448 of
data in a page, and 960 for the head and the sk_buff. A test in a guest holds it to that."""

LINEAR = Size.of("4352 B")
"""What a packet of 1500 bytes counts in a linear skb on x86-64: 1448 of data, MAX_TCP_HEADER's 304
and 320 of skb_shared_info do not fit 2 KiB and so take 4, and the sk_buff takes 256."""

_LARGER_HEAD = 1024 - 704
"""What the head of an skb takes more of kmalloc than of a cache of its own."""


@dataclass(frozen=True)
class Change:
    """A change of Linux that an era is without."""

    commit: str  # empty where nobody could look it up
    subject: str
    since: str  # the first release that has it: "v5.1"
    effect: str  # what it does to a sender
    # What takes it back: a patch of kernel/patches/history, or a sysctl, which may also be written
    # beside a patch; or, with neither, what the era says of packets and of what is written to
    # sk_pacing_shift.
    patch: str = ""
    sysctl: tuple[str, int] | None = None
    until: str = ""  # the last release that had the same, and lost it

    @property
    def cited(self) -> str:
        """It as a text cites it."""
        quoted = f'("{self.subject}")'
        return f"{self.commit} {quoted}" if self.commit else quoted

    @property
    def means(self) -> str:
        """What takes it back, as a text."""
        if self.sysctl and not self.patch:
            return " = ".join(map(str, self.sysctl))
        return self.patch or "the era's own settings"

    def is_after(self, release: str) -> bool:
        """Whether a host of *release* was without it."""
        had = bool(self.until) and _numbers(release) <= _numbers(self.until)
        return _numbers(self.since) > _numbers(release) and not had


@dataclass(frozen=True)
class Packets:
    """How TCP hands packets to a device, and what they count."""

    offloads: Offloads  # sender.offloads says what each of them is
    truesize: Size | None = (
        None  # bytes that TSQ counts for a packet; None: what the kernel charges
    )


@dataclass(frozen=True)
class Era:
    """What a host was."""

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

    @property
    def patches(self) -> tuple[str, ...]:
        """The names in kernel/patches/history that its kernel is built with."""
        return tuple(sorted(change.patch for change in self.before if change.patch))

    @property
    def sysctls(self) -> Mapping[str, int]:
        """The sysctls that its hosts are given."""
        return dict(change.sysctl for change in self.before if change.sysctl)

    @property
    def charged(self) -> int:
        """Bytes that its kernel charges a socket for a packet of 1500 bytes on its own."""
        return CHARGED + _LARGER_HEAD * (SMALL_HEADS in self.before)


TSQ_BY_DRIVERS = Change(
    "3a9b76fd0db9",
    "tcp: allow drivers to tweak TSQ logic",
    "v4.15",
    "there is sk_pacing_shift; until then TSQ had 2^-10 s in its place",
)
TSQ_OF_MAC80211 = Change(
    "36148c2bbfbe",
    "mac80211: Adjust TSQ pacing shift",
    "v4.16",
    "mac80211 writes 8 to sk_pacing_shift: 4 ms",
)
GSO_ALWAYS = Change(
    "0a6b2a1dc2a2",
    "tcp: switch to GSO being always on",
    "v4.17",
    "TCP makes packets of many segments, in pages, for devices without scatter-gather, too",
)
TSQ_OF_MAC80211_AGAIN = Change(
    "",
    "mac80211: Change default tx_sk_pacing_shift to 7",
    "v5.0",
    "mac80211 writes 7 there: 8 ms",
)
TSQ_OF_BRCMFMAC = Change(
    "2fa8085fc6da",
    "brcmfmac: set pacing shift before transmitting skb to bus",
    "v5.9",
    "brcmfmac, the one driver of Wi-Fi in Linux that does so without mac80211, writes 8 there",
)
SMALL_HEADS = Change(
    "bf9f1baa279f",
    "net: add dedicated kmem_cache for typical/small skb->head",
    "v6.3",
    "the head of an skb counts 704 bytes, not 1024",
    patch="skb-small-head",
)

CHANGES = (
    TSQ_BY_DRIVERS,
    Change(
        "e42866031ff0",
        "tcp: avoid min RTT bloat by skipping RTT from delayed-ACK in BBR",
        "v4.16",
        "BBR's smallest RTT is not renewed by an ACK that was delayed",
        patch="bbr-delayed-ack-rtt",
    ),
    Change(
        "",
        "tcp_bbr: better deal with suboptimal GSO",
        "v4.16",
        "BBR allows three large skbs more in flight, whatever the device takes in one",
        patch="bbr-gso-budget",
    ),
    TSQ_OF_MAC80211,
    GSO_ALWAYS,
    Change(
        "5d9f4262b7ea",
        "tcp: add SACK compression",
        "v4.18",
        "a receiver that misses data does not acknowledge each packet behind it",
        sysctl=("net.ipv4.tcp_comp_sack_nr", 0),
    ),
    Change(
        "ab408b6dc744",
        "tcp: switch tcp and sch_fq to new earliest departure time model",
        "v4.20",
        "BBR paces 1 % below its estimate",
        patch="bbr-pacing-margin",
    ),
    Change(
        "a7a2563064e9",
        "tcp: mitigate scheduling jitter in EDT pacing model",
        "v4.20",
        "a paced skb that was late is paid back by up to half of the next wait",
        patch="pacing-credit",
    ),
    Change(
        "a87c83d5ee25",
        "tcp_bbr: adjust TCP BBR for departure time pacing",
        "v4.20",
        "BBR's cycle counts what will be in flight when the next skb may leave",
        patch="bbr-edt",
    ),
    TSQ_OF_MAC80211_AGAIN,
    Change(
        "c73e5807e4f6",
        "tcp: tsq: no longer use limit_output_bytes for paced flows",
        "v5.0",
        "the bound of TSQ for flows without pacing is 1 MiB, not 256 KiB",
        sysctl=("net.ipv4.tcp_limit_output_bytes", 262144),
    ),
    Change(
        "383d470936c0",
        "tcp_bbr: fix bw probing to raise in-flight data for very small BDPs",
        "v5.0",
        "BBR's cwnd is two packets larger while it probes",
        patch="bbr-small-bdp",
    ),
    Change(
        "78dc70ebaa38",
        "tcp_bbr: adapt cwnd based on ack aggregation estimation",
        "v5.1",
        "BBR's cwnd grows by what comes acknowledged at once: an aggregate",
        patch="bbr-ack-aggregation",
    ),
    Change(
        "b4809e9484da",
        "mac80211: Add airtime accounting and scheduling to TXQs",
        "v5.1",
        "the stations of ath10k take turns by airtime; those of ath9k did since v4.11",
        patch="mac80211-airtime",
    ),
    Change(
        "3ace10f5b5ad",
        "mac80211: Implement Airtime-based Queue Limit (AQL)",
        "v5.5",
        "ath10k's own queue is given 5 to 12 ms of airtime, not all there is",
        patch="mac80211-aql",
    ),
    Change(
        "65e6d90168f3",
        "net-tcp: Disable TCP ssthresh metrics cache by default",
        "v5.6",
        "a flow does not begin with the ssthresh of an earlier one to the same host",
        sysctl=("net.ipv4.tcp_no_ssthresh_metrics_save", 0),
    ),
    Change(
        "42f3a8aaae66",
        "tcp_cubic: tweak Hystart detection for short RTT flows",
        "v5.6",
        "CUBIC's HyStart measures in us, and adds up to 1 ms to a short RTT",
        patch="hystart-usec",
    ),
    Change(
        "b344579ca847",
        "tcp_cubic: fix spurious HYSTART_DELAY exit upon drop in min RTT",
        "v5.8",
        "CUBIC's HyStart takes the smallest RTT of a whole round, not of its first eight",
        patch="hystart-delay",
    ),
    TSQ_OF_BRCMFMAC,
    Change(
        "65466904b015",
        "tcp: adjust TSO packet sizes based on min_rtt",
        "v5.18",
        "an skb is larger where the RTT is short, if the device splits it",
        patch="tso-rtt",
        # With the patch it does nothing. It is written all the same, as before there was one: the
        # draws of a softmac radio depend on how much is set up before it, and so would results.
        sysctl=("net.ipv4.tcp_tso_rtt_log", 0),
    ),
    Change(
        "f4ce91ce12a7",
        "tcp: fix tcp_cwnd_validate() to not forget is_cwnd_limited",
        "v6.1",
        "cwnd grows in a window in which it was the limit once",
        patch="cwnd-memory",
    ),
    SMALL_HEADS,
    Change(
        "f921a4a5bffa",
        "tcp: tsq: relax tcp_small_queue_check() when rtx queue contains a single skb",
        "v6.6",
        "TSQ never holds a flow back that has one skb in flight",
        patch="tsq-single-skb",
        until="v4.14",
    ),
    Change(
        "133c4c0d3717",
        "tcp: defer regular ACK while processing socket backlog",
        "v6.7",
        "what arrived while a receiver's program was in the socket has one ACK",
        patch="ack-backlog",
    ),
    Change(
        "8ee602c63520",
        "tcp: try to send bigger TSO packets",
        "v6.10",
        "an skb that may be larger takes data of the next",
        patch="tso-grow",
    ),
)
"""The changes of TCP and mac80211 that matter to a sender, the oldest first."""

TODAY = "today"


def _numbers(release: str) -> list[int]:
    return [int(part) for part in release.removeprefix("v").split(".")]


def _before(release: str, but: tuple[Change, ...] = ()) -> tuple[Change, ...]:
    """The changes that a host of *release* was without, *but* for some."""
    return tuple(change for change in CHANGES if change.is_after(release) and change not in but)


ERAS = {
    era.name: era
    for era in (
        Era(
            "4.13",
            "Linux 4.13 and 4.14: a packet an skb over Wi-Fi, 1 ms of TSQ, the first BBR",
            wire=Packets("on"),
            radio=Packets("off", LINEAR),
            mac80211_shift="kernel",
            driver_shifts=False,
            # What LINEAR has in place of the head, over the one kind of device that matters here.
            before=_before("4.13", but=(SMALL_HEADS,)),
        ),
        Era(
            "4.16",
            "Linux 4.16: a packet an skb over Wi-Fi, 4 ms of TSQ below mac80211",
            wire=Packets("on"),
            radio=Packets("off", LINEAR),
            mac80211_shift=8,
            driver_shifts=False,
            before=_before("4.16", but=(SMALL_HEADS,)),
        ),
        Era(
            "5.4",
            "Linux 5.4: packets of many segments, 8 ms of TSQ below mac80211, no AQL",
            wire=Packets("on"),
            radio=Packets("on"),
            driver_shifts=False,
            before=_before("5.4"),
        ),
        Era(
            "5.10",
            "Linux 5.10: as 5.4, with AQL and a HyStart in us",
            wire=Packets("on"),
            radio=Packets("on"),
            before=_before("5.10"),
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
