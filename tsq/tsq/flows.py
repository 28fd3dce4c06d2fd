# SPDX-License-Identifier: GPL-2.0-or-later
"""TCP's flows of this network namespace, as sock_diag(7) tells of them.

It takes no root, and tells of all users' sockets. It does not tell sk_pacing_shift, whether a flow
is paced, or how large its next skb is: those are inferred (tsq.view), or read by BPF (tsq.bpf).
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tsq.errors import TsqError

_SENDING = sum(1 << state for state in (1, 4, 8, 9, 11))
"""ESTABLISHED, CLOSE-WAIT, and those of who has closed and still has something to send: FIN-WAIT-1,
LAST-ACK, CLOSING."""
_INFO, _CONG, _SKMEMINFO = 2, 4, 7
_EXTENSIONS = (1 << (_INFO - 1)) | (1 << (_CONG - 1)) | (1 << (_SKMEMINFO - 1))
_WMEM_ALLOC = 2  # of SK_MEMINFO_VARS
_NEVER_PACED = (1 << 64) - 1
_NO_RTT = (1 << 32) - 1


@dataclass(frozen=True)
class Flow:
    """One socket at one instant. Times in microseconds, rates in bytes per second."""

    cookie: int  # the kernel's name for the socket
    inode: int
    source: str
    source_port: int
    destination: str
    port: int
    interface: int  # the index of the device that it is bound to, a VRF's too; 0: none
    control: str  # the congestion control
    rate: int  # sk_pacing_rate
    rate_max: int | None  # SO_MAX_PACING_RATE; None: not set
    below_bytes: int  # sk_wmem_alloc: what is below TCP now
    unsent_bytes: int
    mss: int
    cwnd: int
    ssthresh: int  # packets
    in_flight: int  # packets
    window_bytes: int | None  # what the receiver lets be sent; None: the kernel does not tell
    flying_bytes: int  # sent and not acknowledged
    srtt_us: int
    min_rtt_us: int | None
    busy_us: int  # how long it had something to send, since it began
    receiver_us: int  # of that: held up by the receiver's window
    buffer_us: int  # of that: held up by its own send buffer
    sent_bytes: int

    @property
    def name(self) -> str:
        """Where it leads."""
        host = f"[{self.destination}]" if ":" in self.destination else self.destination
        return f"{host}:{self.port}"

    @property
    def loops(self) -> bool:
        """Whether it stays on this host."""
        return self.destination == self.source or (
            self.destination.startswith("127.") or self.destination == "::1"
        )


def read_flows() -> list[Flow]:
    """The flows there are now. TsqError where the kernel does not tell."""
    found: list[Flow] = []
    for family in (socket.AF_INET, socket.AF_INET6):
        found += flows_of(_messages(family))
    return found


def _messages(family: int) -> Iterable[Any]:
    try:
        # They take 0.3 s, for which `tsq undo` need not wait.
        from pyroute2 import DiagSocket  # noqa: PLC0415
        from pyroute2.netlink.exceptions import NetlinkError  # noqa: PLC0415
    except ImportError as error:
        raise TsqError("no pyroute2 here; try: sudo apt-get install python3-pyroute2") from error
    try:
        with DiagSocket() as diag:
            diag.bind()
            return tuple(
                diag.get_sock_stats(family=family, states=_SENDING, extensions=_EXTENSIONS)
            )
    except (OSError, NetlinkError) as error:
        raise TsqError(f"sock_diag: {error}; is the module tcp_diag there?") from error


def flows_of(messages: Iterable[Any]) -> list[Flow]:
    """The flows of decoded messages; those that are no TCP flow are left out."""
    return [flow for message in messages if (flow := _flow(message)) is not None]


def _flow(message: Any) -> Flow | None:
    told = dict(tuple(attribute) for attribute in message.get("attrs", ()))
    info = told.get("INET_DIAG_INFO")
    if not info or not info.get("tcpi_snd_mss"):
        return None
    return Flow(
        cookie=int(message["idiag_cookie"]),
        inode=int(message["idiag_inode"]),
        source=_plain(message["idiag_src"]),
        source_port=int(message["idiag_sport"]),
        destination=_plain(message["idiag_dst"]),
        port=int(message["idiag_dport"]),
        interface=int(message["idiag_if"]),
        control=str(told.get("INET_DIAG_CONG") or "?"),
        below_bytes=_below(told.get("INET_DIAG_SKMEMINFO")),
        **_of_info(info),
    )


def _of_info(info: Mapping[str, Any]) -> dict[str, Any]:
    def number(name: str) -> int:
        # A kernel that is older than a field tells nothing of it.
        return int(info.get(f"tcpi_{name}") or 0)

    flying = number("bytes_sent") - number("bytes_retrans") - number("bytes_acked")
    rate_max, min_rtt = number("max_pacing_rate"), number("min_rtt")
    out = number("unacked") - number("sacked") - number("lost") + number("retrans")
    return {
        "rate": number("pacing_rate"),
        "rate_max": None if rate_max in (0, _NEVER_PACED) else rate_max,
        "unsent_bytes": number("notsent_bytes"),
        "mss": number("snd_mss"),
        "cwnd": number("snd_cwnd"),
        "ssthresh": number("snd_ssthresh"),
        "in_flight": max(out, 0),
        "window_bytes": info.get("tcpi_snd_wnd"),
        "flying_bytes": max(flying, 0),
        "srtt_us": number("rtt"),
        "min_rtt_us": None if min_rtt in (0, _NO_RTT) else min_rtt,
        "busy_us": number("busy_time"),
        "receiver_us": number("rwnd_limited"),
        "buffer_us": number("sndbuf_limited"),
        "sent_bytes": number("bytes_sent"),
    }


def _plain(address: str) -> str:
    return address.removeprefix("::ffff:") if "." in address else address


def _below(text: str | None) -> int:
    """sk_wmem_alloc of INET_DIAG_SKMEMINFO, which pyroute2 hands on as bytes in hex."""
    data = bytes.fromhex((text or "").replace(":", ""))
    if len(data) < 4 * (_WMEM_ALLOC + 1):
        return 0
    return int(struct.unpack_from("=I", data, 4 * _WMEM_ALLOC)[0])
