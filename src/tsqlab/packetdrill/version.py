# SPDX-License-Identifier: GPL-2.0-or-later
"""The versions of IP that a script runs over, with the arguments of packetdrill's run_all.py."""

from __future__ import annotations

from enum import Enum

_IPV4 = (
    *("--local_ip=192.168.0.1", "--gateway_ip=192.168.0.1", "--netmask_ip=255.255.0.0"),
    *("--remote_ip=192.0.2.1", "-D", "TFO_COOKIE=3021b9d889017eeb"),
    # The kernel's own scripts (tools/testing/selftests/net/packetdrill) have this one, too.
    *("-D", "TFO_COOKIE_ZERO=b7c12350a90dc8f5", "-D", "CODE=host_unreachable"),
)
_IPV6 = (
    *("--mtu=1520", "--local_ip=fd3d:0a0b:17d6::1", "--gateway_ip=fd3d:0a0b:17d6:8888::1"),
    *("--remote_ip=fd3d:fa7b:d17d::1", "-D", "TFO_COOKIE=c1d1e9742a47a9bc"),
    *("-D", "TFO_COOKIE_ZERO=82af1a8f9a205c34"),
)
_CMSG_IPV4 = ("-D", "CMSG_LEVEL_IP=SOL_IP", "-D", "CMSG_TYPE_RECVERR=IP_RECVERR")
_CMSG_IPV6 = ("-D", "CMSG_LEVEL_IP=SOL_IPV6", "-D", "CMSG_TYPE_RECVERR=IPV6_RECVERR")


class Version(Enum):
    """The packets' IP, and the sockets'."""

    IPV4 = "ipv4"
    IPV6 = "ipv6"
    MAPPED = "ipv4-mapped-ipv6"  # IPv6's sockets, which talk over IPv4

    @property
    def arguments(self) -> tuple[str, ...]:
        """What packetdrill is told."""
        addresses = _IPV6 if self is Version.IPV6 else _IPV4
        messages = _CMSG_IPV4 if self is Version.IPV4 else _CMSG_IPV6
        return (f"--ip_version={self.value}", *addresses, *messages)

    def takes(self, name: str) -> bool:
        """Whether a script of that name is for it: some are for one version, and say so."""
        return not name.endswith("v4.pkt" if self is Version.IPV6 else "v6.pkt")
