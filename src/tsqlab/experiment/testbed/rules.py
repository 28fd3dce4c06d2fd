# SPDX-License-Identifier: GPL-2.0-or-later
"""Ports by rule: how a graph's devices are called, and which addresses they have.

Each segment, a BSS, another network of radios or a wire, has a block of 254 addresses and a number
n, from 1 in the order in which the segments are made: 10.N.n.0/24, with N for n above 255, and MAC
addresses 02:00:00:N:n:host. A wire's ends are hosts 1 and 2, stations and peers 1, 2, ..., an
access point 254.
Cards are e1, e2, ..., radios w1, w2, ...: no two devices of a guest have the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tsqlab.experiment.testbed.graph import Port
from tsqlab.topology import egress

ACCESS_POINT_HOST = 254


@dataclass
class Ports:
    """Gives ports their names and addresses, one segment after the other."""

    segments: int = field(default=0)
    cards: int = field(default=0)
    radios: int = field(default=0)

    def of_wire(self, near: str, far: str) -> tuple[Port, Port]:
        """The ports of a wire between two nodes."""
        self.segments += 1
        return self._card(near, far, 1), self._card(far, near, 2)

    def of_bss(
        self, access_point: str, medium: str, stations: tuple[str, ...]
    ) -> tuple[Port, Mapping[str, Port]]:
        """The port of an access point, which sends to all on a medium, and those of its stations.

        A station sends to its access point.
        """
        self.segments += 1
        first = self._radio(egress(access_point, medium), ACCESS_POINT_HOST)
        return first, {
            node: self._radio(egress(node, access_point), host)
            for host, node in enumerate(stations, 1)
        }

    def of_network(self, medium: str, nodes: tuple[str, ...]) -> tuple[Port, ...]:
        """The ports of a network without an access point: each sends to all on a medium."""
        self.segments += 1
        return tuple(self._radio(egress(node, medium), host) for host, node in enumerate(nodes, 1))

    def _card(self, node: str, to: str, host: int) -> Port:
        self.cards += 1
        return self._port(egress(node, to), f"e{self.cards}", host)

    def _radio(self, name: str, host: int) -> Port:
        self.radios += 1
        return self._port(name, f"w{self.radios}", host)

    def _port(self, name: str, device: str, host: int) -> Port:
        high, low = divmod(self.segments, 256)
        mac = f"02:00:00:{high:02x}:{low:02x}:{host:02x}"
        return Port(name, device, mac, f"10.{high}.{low}.{host}/24")
