# SPDX-License-Identifier: GPL-2.0-or-later
"""Radios on a running kernel that has the module loaded.

    with Airlink() as air:
        air.ask(messages.new_medium(1, band=5, seed=7))
        air.ask(messages.new_radio(Radio(1, "02:00:00:00:00:01", "wlan0")))
        print(air.stats(1, "02:00:00:00:00:01").aggregate_mean)

Everything except reading needs CAP_NET_ADMIN.
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

from pyroute2.netlink import NLM_F_ACK, NLM_F_REQUEST
from pyroute2.netlink.exceptions import NetlinkError
from pyroute2.netlink.generic import GenericNetlinkSocket

from tsqlab.airlink.messages import Message, RadioStats, get_radio, stats_of
from tsqlab.airlink.packets import Packet, packet
from tsqlab.airlink.uapi import FAMILY
from tsqlab.errors import TsqlabError


class AirlinkError(TsqlabError):
    """The kernel has refused a request; the message has its words."""

    def __init__(self, message: str, errno: int) -> None:
        """Remember the kernel's *errno*."""
        super().__init__(message)
        self.errno = errno


class Airlink:
    """A socket to the module."""

    def __init__(self) -> None:
        """Find the module. Raises AirlinkError when it is not loaded."""
        self._socket = GenericNetlinkSocket(ext_ack=True)
        try:
            self._socket.bind(FAMILY, Packet)
        except NetlinkError as error:
            self._socket.close()
            raise AirlinkError("the kernel has no airlink; load the module", error.code) from error

    def __enter__(self) -> Self:
        """Use it in a with statement."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the socket; what was made stays."""
        self._socket.close()

    def ask(self, request: Message) -> list[Packet]:
        """Send a request and wait for its end. Raises AirlinkError with the kernel's words."""
        try:
            return list(
                self._socket.nlm_request(
                    packet(request),
                    msg_type=self._socket.prid,
                    msg_flags=NLM_F_REQUEST | NLM_F_ACK,
                )
            )
        except NetlinkError as error:
            raise AirlinkError(f"airlink: {error.args[1]}", error.code) from error

    def stats(self, medium: int, address: str) -> RadioStats:
        """What a radio has counted. Raises AirlinkError."""
        return stats_of(self.ask(get_radio(medium, address))[0])
