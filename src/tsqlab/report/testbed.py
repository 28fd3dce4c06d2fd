# SPDX-License-Identifier: GPL-2.0-or-later
"""A cell's testbed in words: its nodes, wires and radio channels, with what each is set to."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from tsqlab.experiment.profile import MINSTREL, data_rate
from tsqlab.experiment.program_table import THE_END, ProgramTable, names
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.testbed import Egress
from tsqlab.experiment.testbed.graph import Graph, Member, Role, Way
from tsqlab.experiment.testbed.wqm import wqm_of
from tsqlab.experiment.vary import VARY, said_changes
from tsqlab.experiment.wording import text_of
from tsqlab.guest.testbed import Wiring
from tsqlab.guest.testbed.channel import Channel
from tsqlab.report.table import aligned
from tsqlab.topology import egress
from tsqlab.units import Duration


def testbed_lines(spec: Spec, wired: Wiring) -> Iterator[str]:
    """The testbed of a cell, as lines for the terminal."""
    graph = spec.testbed.graph
    yield from _table("nodes", _nodes(spec, graph))
    if graph.links:
        yield from _table("wires", _wires(wired))
    for channel in wired.channels:
        title = f"{channel.medium.name}: {', '.join(channel_texts(channel))}"
        yield from _table(title, _radios(channel))
        yield from (f"  {_way(way)}" for way in channel.medium.ways)
    yield from _changes(spec)
    yield _flows(spec)
    if spec.program:
        yield from _table("programs", _programs(spec))


def _programs(spec: Spec) -> Iterator[list[str]]:
    """What runs in which node, when, and what of the host it sees."""
    for name, program in zip(names(spec.program), spec.program, strict=True):
        sees = [f"{there} ({here})" for there, here in program.see.items()]
        command = f"$ {shlex.join(program.command)}"
        yield [name, program.node, when_text(program), command, _sees(sees)]


def _sees(places: Sequence[str]) -> str:
    return f"sees {', '.join(places)}" if places else ""


def when_text(program: ProgramTable) -> str:
    """When a program runs, counted from when flows begin: "from 1 s to 2 s"."""
    if program.start is None and program.stop is not None:
        begins = "from before"
    else:
        begins = f"from {text_of(program.start or Duration(0))}"
    if program.stop is None:
        return begins
    return f"{begins} to {'the end' if program.stop == THE_END else text_of(program.stop)}"


def _changes(spec: Spec) -> Iterator[str]:
    """What of links varies: "R>S varies: rate 0 s 10 Mbit/s, 1 s 2 Mbit/s"."""
    said = said_changes(spec.vary)
    for number, table in enumerate(spec.vary, 1):
        at = f"{VARY}.{number}."
        what = (f"{key.removeprefix(at)} {text}" for key, text in said.items()
                if key.startswith(at) and key != f"{at}link")  # fmt: skip
        yield f"{table.link} varies: {'; '.join(what)}"


def _flows(spec: Spec) -> str:
    """Between whom a test's flows take turns, or what each [[flow]] is."""
    if spec.flow:
        own = (f"{table.kind} {egress(table.sender, table.receiver)}" for table in spec.flow)
        return f"flows: {', '.join(own)}"
    ends = (f"{ends.client} - {ends.server}" for ends in spec.testbed.ends)
    return f"flows of {spec.flows.test}: {', '.join(ends)}"


def _table(title: str, rows: Iterable[list[str]]) -> Iterator[str]:
    yield title
    cells = list(rows)
    yield from (f"  {line}".rstrip() for line in aligned(cells, left=len(cells[0])))


def _nodes(spec: Spec, graph: Graph) -> Iterator[list[str]]:
    for node in graph.nodes:
        what = [
            "a host" if node in spec.hosts else "",
            "forwards" if graph.forwards(node) else "",
            *(f"to {to} by {neighbour}" for to, neighbour in graph.via.get(node, {}).items()),
        ]
        yield [node, graph.addresses[node], ", ".join(filter(None, what))]


def _wires(wired: Wiring) -> Iterator[list[str]]:
    for end, card in wired.cards:
        port, rate = end.port, end.line_rate or card.line_rate
        delay = text_of(end.propagation)
        yield [port.egress, port.device, port.address, text_of(rate), delay, queue_text(end.queue)]


def channel_texts(channel: Channel) -> tuple[str, str]:
    """What a radio channel is: its radios' kind, and their band with the rate of data."""
    medium, station = channel.medium, channel.station
    sides = (station, station.access_point or station)
    usual = next(side.rate for side in sides if side.phy_rate == data_rate(None, station))
    rate = "minstrel_ht" if medium.rate == MINSTREL else medium.rate or usual
    rts = f", RTS above {text_of(medium.rts)}" if medium.rts is not None else ""
    return station.title, f"{station.band}, {rate}{rts}"


def _radios(channel: Channel) -> Iterator[list[str]]:
    for member in channel.medium.members:
        port, queue = member.port, channel.queue(member)
        if wqm_of(member.queue.qdisc):  # and not the queue that WQM begins with
            queue = member.queue
        yield [port.node, port.device, port.address, role_text(member), queue_text(queue)]


_ROLES = {
    Role.AP: "access point",
    Role.PEER: "peer",
    Role.IBSS: "in an IBSS",
    Role.MESH: "mesh point",
}


def role_text(member: Member) -> str:
    """What a radio is on its medium."""
    own = "".join(f", {text}" for text in (member.rate, member.device) if text)
    if member.role == Role.STATION:
        return f"station of {member.access_point}{own}"
    return f"{_ROLES[member.role]}{own}"


def queue_text(queue: Egress) -> str:
    """What a port does to what it sends: "fq_codel, HTB 10 Mbit/s, netem 1 ms and 1 %"."""
    netem = [text_of(value) for value in (queue.delay, queue.loss) if value]
    parts = [
        queue.qdisc or "mac80211's queues",
        f"HTB {text_of(queue.rate)}" if queue.rate is not None else "",
        f"netem {' and '.join(netem)}" if netem else "",
    ]
    return ", ".join(filter(None, parts))


def _way(way: Way) -> str:
    """How one radio receives another: "C2 does not hear C1"."""
    if way.hears is False:
        return f"{way.receiver} does not hear {way.sender}"
    return f"{way.sender} to {way.receiver}: {way_text(way)}"


def way_text(way: Way) -> str:
    """What differs on a way from one radio to another: "loss 1 %, SNR 20 dB"."""
    said = {"loss": way.loss, "SNR": way.snr, "rate": way.rate}
    return ", ".join(
        f"{name} {text_of(value)}" for name, value in said.items() if value is not None
    )
