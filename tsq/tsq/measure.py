# SPDX-License-Identifier: GPL-2.0-or-later
"""``tsq measure``: how often and for how long TSQ has flows wait.

Where the kernel has CoTSQ's counters they are read of each socket (TCP_TSQ_INFO), which takes
root because the sockets are other programs': pidfd_getfd(2) lends them to us. Elsewhere looks
have to do: the share of looks at which a flow was held back is the share of the time, and how
often is not known.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from tsq.host import Host
from tsq.sampling import Sampled

TCP_TSQ_INFO = 0x545351
"""The option of CoTSQ's series, which asks a socket for struct tcp_tsq_info."""
_TSQ_INFO = struct.Struct("=IIQ")  # limit in bytes, times, microseconds
_PIDFD_GETFD = 438  # the same on every architecture


@dataclass(frozen=True)
class Counted:
    """What a kernel with CoTSQ counted of a socket since it began, or since counting began."""

    limit_bytes: int
    times: int
    waited_us: int


def read_counters(host: Host, inodes: Iterable[int]) -> dict[int, Counted]:
    """The counters of these sockets, as far as their processes are ours to look into."""
    wanted = {f"socket:[{inode}]": inode for inode in inodes if inode}
    found: dict[int, Counted] = {}
    for pid in host.names(host.proc):
        if pid.isdigit() and len(found) < len(wanted):
            for fd, inode in _sockets(host, pid, wanted):
                counted = _counters_of(int(pid), fd)
                if counted:
                    found[inode] = counted
    return found


def _sockets(host: Host, pid: str, wanted: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    folder = host.proc / pid / "fd"
    for fd in host.names(folder):
        inode = wanted.get(host.target(folder / fd) or "")
        if inode:
            yield int(fd), inode


def _counters_of(pid: int, fd: int) -> Counted | None:
    with suppress(OSError):  # it ended meanwhile, or is not ours
        pidfd = os.pidfd_open(pid)
        try:
            lent = _getfd(pidfd, fd)
        finally:
            os.close(pidfd)
        with socket.socket(fileno=lent) as theirs:
            told = theirs.getsockopt(socket.IPPROTO_TCP, TCP_TSQ_INFO, _TSQ_INFO.size)
            return Counted(*_TSQ_INFO.unpack(told))
    return None


def _getfd(pidfd: int, fd: int) -> int:
    library = ctypes.CDLL(None, use_errno=True)
    lent = int(library.syscall(_PIDFD_GETFD, pidfd, fd, 0))
    if lent < 0:
        raise OSError(ctypes.get_errno(), "pidfd_getfd")
    return lent


def as_text(
    flows: Iterable[Sampled], before: Mapping[int, Counted], after: Mapping[int, Counted]
) -> Iterator[str]:
    """A line for each flow, and what is not known."""
    none = True
    for sampled in flows:
        none = False
        yield _line(sampled, before, after)
    if none:
        yield "no flow sent anything meanwhile: start an upload and measure again"
    yield "not known:"
    if not after:
        yield "    how often: looks 20 times a second see shares of the time, not single waits"
    else:
        yield "    waits that were under way at the beginning or the end are counted when they end"
    yield "    flows of other network namespaces"


def _line(sampled: Sampled, before: Mapping[int, Counted], after: Mapping[int, Counted]) -> str:
    flow = sampled.last.flow
    goodput = 8e-6 * sampled.sent_bytes / sampled.duration_s if sampled.duration_s else 0
    head = f"FLOW {flow.name} {flow.control}  {goodput:.3g} Mbit/s  "
    if flow.inode in after:
        now = after[flow.inode]
        was = before.get(flow.inode, Counted(0, 0, 0))
        times, waited = now.times - was.times, now.waited_us - was.waited_us
        share = waited / 1e6 / sampled.duration_s if sampled.duration_s else 0
        total = f"{waited / 1000:.3g} ms in all ({share:.1%})"
        return f"{head}waited for TSQ {times} times, {total}, counted"
    share, whole = sampled.limited_share, sampled.duration_s
    time = f"{share:.0%} of the time ({share * whole:.2g} s of {whole:.2g} s)"
    return f"{head}waited for TSQ {time}, by {sampled.looks} looks"
