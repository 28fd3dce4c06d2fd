# SPDX-License-Identifier: GPL-2.0-or-later
"""The wiring of one cell: what its graph takes, as a plan's lines and the batches they name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from tsqlab.experiment.host import host_of
from tsqlab.experiment.profile import (
    NO_OTHERS,
    Airlink,
    Others,
    Profile,
    Wireline,
    card_of,
    of_device,
)
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.testbed import Egress, Port
from tsqlab.experiment.testbed.graph import NETWORKS, LinkEnd
from tsqlab.experiment.testbed.routes import routes
from tsqlab.experiment.vary import wire_ends
from tsqlab.guest.instants import t0_ns
from tsqlab.guest.own_modules import own_module_lines
from tsqlab.guest.places import MODULE_DIR, PLAN_DIR
from tsqlab.guest.testbed.channel import Channel, WatchedRadio
from tsqlab.guest.testbed.common import (
    PlanLine,
    batch,
    egress_queues,
    known_neighbours,
    offload_lines,
    up_commands,
    write_sysctls,
)
from tsqlab.guest.testbed.controls import control_lines
from tsqlab.guest.testbed.schedules import schedule_files, schedule_lines
from tsqlab.guest.testbed.settings import guest_sysctls, node_sysctls
from tsqlab.guest.testbed.sized import SizedQueue
from tsqlab.guest.testbed.wires import card_lines, like_programs, wire_batch


class Wiring:
    """Nodes, links and media as built for one cell, and how a plan makes them."""

    def __init__(self, spec: Spec, profile: Profile, others: Others = NO_OTHERS) -> None:
        """Build the graph of *spec*, whose devices are of *profile* where it names no other."""
        self.spec, self.profile, self.others = spec, profile, others
        self.graph = spec.testbed.graph
        self.host = host_of(spec, profile)
        self.channels = tuple(self._channels())
        self.cards: tuple[tuple[LinkEnd, Wireline], ...] = tuple(
            (end, card_of(of_device(link.device, profile, others)))
            for link in self.graph.links
            for end in link.ends
        )

    def _channels(self) -> Iterator[Channel]:
        # Devices that mac80211 has named, by node; those of networks are called otherwise at once.
        named_by_kernel: Counter[str] = Counter()
        for medium in self.graph.media:
            usual = of_device(medium.device, self.profile, self.others)
            assert isinstance(usual, Airlink), "checked"
            yield Channel(self.spec, medium, usual, dict(named_by_kernel), self.others)
            if usual.front == "softmac":
                named_by_kernel.update(
                    member.port.node for member in medium.members if member.role not in NETWORKS
                )

    @cached_property
    def set_up_ns(self) -> int:
        """How long it takes at the most to make it, in virtual time."""
        return sum(channel.set_up_ns for channel in self.channels)

    @property
    def ports(self) -> tuple[Port, ...]:
        """Every end of every link, and every radio."""
        return self.graph.ports

    @property
    def qdiscs(self) -> Mapping[str, Port]:
        """The ports whose queue is watched, by egress: those that have a qdisc of ours."""
        return {port.egress: port for port in self.ports if self._queues[port].qdisc}

    @cached_property
    def radios(self) -> tuple[WatchedRadio, ...]:
        """All radios."""
        return tuple(radio for channel in self.channels for radio in channel.watched())

    @cached_property
    def sized(self) -> Mapping[str, SizedQueue]:
        """The queues that WQM sizes, by what results call their radio."""
        begin_ns = t0_ns(self.spec, self.set_up_ns)
        found = (sized for channel in self.channels for sized in channel.sized(begin_ns))
        return {place.name: queue for place, queue in found}

    @property
    def runs_daemon(self) -> bool:
        """Whether it needs wqm, the program of hosts."""
        return any(queue.by_daemon for queue in self.sized.values())

    @property
    def programs(self) -> frozenset[str]:
        """The host's programs that make it, or change it later."""
        return frozenset({"ip", "tc"}.union(*(channel.programs for channel in self.channels)))

    @property
    def addresses(self) -> Mapping[str, str]:
        """The IP address by which others reach each node."""
        return self.graph.addresses

    @cached_property
    def files(self) -> Mapping[str, str]:
        """The batch files that the lines of the plan name, and hostapd's."""
        links = ((link.near.port, link.far.port) for link in self.graph.links)
        made = [f"netns add {node}" for node in self.graph.nodes]
        files = {"links.ip": batch([*made, *wire_batch(links)])}
        files |= schedule_files(self.spec, self.set_up_ns)
        if self.cards:
            moves = (f"link set dev {end.port.device} netns {end.port.node}"
                     for end, _ in self.cards)  # fmt: skip
            files["move.ip"] = batch(moves)
        for node in self.graph.nodes:
            files |= self._files_of(node)
        for channel in self.channels:
            files |= channel.files()
        return files

    def _files_of(self, node: str) -> dict[str, str]:
        lines = ["link set dev lo up"]
        for port in self.graph.ports_of(node):
            lines += up_commands(port, self.spec.testbed, self.host)
        lines += (f"route add {route.to} via {route.gateway}"
                  for route in routes(self.graph, node))  # fmt: skip
        lines += known_neighbours(self.spec, node)
        files = {f"{node}.ip": batch(lines)}
        queues = [egress_queues(port.device, self._queues[port], loses=port in self._losing)
                  for port in self.graph.ports_of(node)]  # fmt: skip
        if any(queues):  # a radio may have no more than the queues of mac80211
            files[f"{node}.tc"] = batch(line for lines in queues for line in lines)
        return files

    def set_up(self) -> Iterable[PlanLine]:
        """The plan's lines before the clock starts."""
        yield ["module", f"{MODULE_DIR}/wireline.ko"]
        if self.channels:
            yield ["module", f"{MODULE_DIR}/airlink.ko"]
        yield from control_lines(self.spec)
        yield from own_module_lines(self.spec)
        yield from write_sysctls("-", guest_sysctls(self.spec))
        yield ["run", "-", "ip", "-batch", f"{PLAN_DIR}/links.ip"]
        yield from like_programs(line for end, card in self.cards
                                 for line in card_lines(end, card, self._shift(end)))  # fmt: skip
        yield from schedule_lines(self.spec)
        if self.cards:
            yield ["run", "-", "ip", "-batch", f"{PLAN_DIR}/move.ip"]
        if self.channels:
            yield from self._with_radios()
        else:
            yield from self._with_wires_only()
        no_gro = [port for channel in self.channels for port in channel.without_gro()]
        wired = [end.port for end, _ in self.cards]
        yield from offload_lines(self.ports, self.host, tso=wired, no_gro=no_gro)

    def _with_wires_only(self) -> Iterator[PlanLine]:
        """Each node is finished before the next."""
        for node in self.graph.nodes:
            yield from self._sysctls(node)
            yield from self._run_batches(node)

    def _with_radios(self) -> Iterator[PlanLine]:
        """All radios are there before any is associated, and associated before they are used."""
        for channel in self.channels:
            yield from channel.make()
        for node in self.graph.nodes:
            yield from self._sysctls(node)
        for channel in self.channels:
            yield from channel.associate()
        # By now mac80211 has set what hostapd gives to a station, and to its own access point.
        for channel in self.channels:
            yield from channel.own_edca()
        for node in self.graph.nodes:
            yield from self._run_batches(node)

    def _run_batches(self, node: str) -> Iterator[PlanLine]:
        for program in ("ip", "tc"):
            if f"{node}.{program}" in self.files:
                yield ["run", node, program, "-batch", f"{PLAN_DIR}/{node}.{program}"]

    def _sysctls(self, node: str) -> Iterable[PlanLine]:
        return write_sysctls(node, node_sysctls(self.spec, self.profile, node, self.others))

    def _shift(self, end: LinkEnd) -> int:
        """What a card's driver writes to sk_pacing_shift: those of the sending hosts alone do."""
        return self.spec.sender.tsq.shift if end.port.node in self.spec.hosts else 0

    @cached_property
    def _losing(self) -> frozenset[Port]:
        """The ports of wires on which losses change over time."""
        tables = (table for table in self.spec.vary if table.loss is not None)
        return frozenset(end.port for table in tables for end in wire_ends(self.graph, table.link))

    @cached_property
    def _queues(self) -> Mapping[Port, Egress]:
        """What each port does to what it sends."""
        radios = {member.port: channel.queue(member)
                  for channel in self.channels for member in channel.medium.members}  # fmt: skip
        return radios | {end.port: end.queue for end, _ in self.cards}
