# SPDX-License-Identifier: GPL-2.0-or-later
"""The wired testbed.

    C --wireline-- R --wireline-- S

Each link is a pair of wireline cards. They are made in the guest's first namespace, where
their sysfs attributes can be written, and then moved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tsqlab.experiment.host import host_of
from tsqlab.experiment.profile import Wireline
from tsqlab.experiment.spec import Spec
from tsqlab.guest.places import MODULE_DIR, PLAN_DIR
from tsqlab.guest.testbed.common import (
    SERVER_ADDRESS,
    PlanLine,
    Port,
    WatchedRadio,
    address_of,
    batch,
    card_lines,
    egress_queues,
    known_neighbours,
    like_programs,
    offload_lines,
    up_commands,
    wire_batch,
    write_sysctls,
)
from tsqlab.guest.testbed.controls import control_lines
from tsqlab.guest.testbed.settings import guest_sysctls, node_sysctls
from tsqlab.topology import (
    CLIENT,
    DOWN_FROM_ROUTER,
    DOWN_FROM_SERVER,
    SERVER,
    UP_TO_ROUTER,
    UP_TO_SERVER,
)

LINKS = (
    (
        Port(UP_TO_ROUTER, "c0", "02:00:00:00:01:01", "10.0.1.1/24"),
        Port(DOWN_FROM_ROUTER, "r0", "02:00:00:00:01:02", "10.0.1.2/24"),
    ),
    (
        Port(UP_TO_SERVER, "r1", "02:00:00:00:02:02", "10.0.2.2/24"),
        Port(DOWN_FROM_SERVER, "s0", "02:00:00:00:02:01", f"{SERVER_ADDRESS}/24"),
    ),
)
PORTS = tuple(port for link in LINKS for port in link)
_GATEWAYS = {CLIENT: "10.0.1.2", SERVER: "10.0.2.2"}


class Wired:
    """The wiring of one cell."""

    ports = PORTS
    radios: tuple[WatchedRadio, ...] = ()
    # The router's is that of its side towards the client.
    addresses: Mapping[str, str] = {port.node: address_of(port) for port in reversed(PORTS)}

    def __init__(self, spec: Spec, card: Wireline) -> None:
        """Wire cards of one profile."""
        self.spec, self.testbed, self.card = spec, spec.testbed, card
        self.host = host_of(spec, card)

    @property
    def qdiscs(self) -> Mapping[str, Port]:
        """Every port's queue is watched."""
        return {port.egress: port for port in PORTS}

    def files(self) -> dict[str, str]:
        """The batches."""
        made = [f"netns add {node}" for node in self.testbed.nodes]
        files = {
            "links.ip": batch([*made, *wire_batch(LINKS)]),
            "move.ip": batch(f"link set dev {port.device} netns {port.node}" for port in PORTS),
        }
        shaped = self.testbed.shaped()
        for node in self.testbed.nodes:
            ports = [port for port in PORTS if port.node == node]
            files[f"{node}.ip"] = self._node_batch(node, ports)
            files[f"{node}.tc"] = batch(
                line for port in ports for line in egress_queues(port.device, shaped[port.egress])
            )
        return files

    def set_up(self) -> Iterable[PlanLine]:
        """The plan's lines before the clock starts."""
        yield ["module", f"{MODULE_DIR}/wireline.ko"]
        yield from control_lines(self.spec)
        yield from write_sysctls("-", guest_sysctls(self.spec))
        yield ["run", "-", "ip", "-batch", f"{PLAN_DIR}/links.ip"]
        line_rate = self.testbed.line_rate(self.card.line_rate)
        cards = (card_lines(port, self.card, line_rate, self._attributes(port)) for port in PORTS)
        yield from like_programs(line for lines in cards for line in lines)
        yield ["run", "-", "ip", "-batch", f"{PLAN_DIR}/move.ip"]
        for node in self.testbed.nodes:
            yield from write_sysctls(node, node_sysctls(self.spec, self.card, node))
            yield ["run", node, "ip", "-batch", f"{PLAN_DIR}/{node}.ip"]
            yield ["run", node, "tc", "-batch", f"{PLAN_DIR}/{node}.tc"]
        yield from offload_lines(PORTS, self.host, tso=PORTS)

    def _node_batch(self, node: str, ports: Iterable[Port]) -> str:
        lines = ["link set dev lo up"]
        for port in ports:
            lines += up_commands(port, self.testbed, self.host)
        if node in _GATEWAYS:
            lines.append(f"route add default via {_GATEWAYS[node]}")
        return batch([*lines, *known_neighbours(self.spec, node, LINKS)])

    def _attributes(self, port: Port) -> dict[str, int]:
        """A card's attributes in sysfs.

        A frame on the R-S link is delayed by half the base RTT in each direction. Only the
        drivers of the sending hosts set a pacing shift.
        """
        far = port.egress in (UP_TO_SERVER, DOWN_FROM_SERVER)
        return {
            "propagation_ns": self.testbed.base_rtt // 2 if far else 0,
            "pacing_shift": self.spec.sender.tsq.shift if port.node in self.spec.hosts else 0,
        }
