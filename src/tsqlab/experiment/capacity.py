# SPDX-License-Identifier: GPL-2.0-or-later
"""The most that a cell's links and TSQ's settings allow, by its specification and its profile.

What was measured is held against these numbers to say what limited a flow
(tsqlab.metrics.limits).
"""

from __future__ import annotations

from tsqlab.airlink.rates import parse_rate, standard_rate
from tsqlab.experiment.era import ERAS
from tsqlab.experiment.host import OUTPUT_BYTES, era_sysctls, host_of, tsq_sysctls
from tsqlab.experiment.profile import (
    NO_OTHERS,
    Airlink,
    Others,
    Profile,
    card_of,
    of_device,
)
from tsqlab.experiment.radios import own_radio, rate_text
from tsqlab.experiment.spec import Spec
from tsqlab.experiment.tsq import KernelTime
from tsqlab.experiment.vary import wire_ends
from tsqlab.model.mac import (
    MPDU_MAX_BYTES,
    MSDU_MAX_BYTES,
    STANDARD_LIMITS,
    Limits,
    largest_aggregate,
    mpdu_bytes,
)
from tsqlab.results.record import Capacity, RadioCapacity, TsqCapacity, WireCapacity
from tsqlab.units import Rate

_WIRE_BYTES = 24
"""What a frame takes on the wire beside what a qdisc counts: FCS, preamble and gap."""

_UDP_IP_BYTES = 8 + 20
_PACKET_BYTES_MAX = MSDU_MAX_BYTES - 8  # an MSDU has an LLC header

_OUTPUT_BYTES = 1 << 20  # the kernel's default of tcp_limit_output_bytes
_BYTES, _US = "net.ipv4.tcp_tsq_bytes", "net.ipv4.tcp_tsq_us"


def capacity(spec: Spec, profile: Profile, others: Others = NO_OTHERS) -> Capacity:
    """The most that each link of a cell can carry, and what TSQ's limit is made of."""
    senders = {flow.series: flow.sender for flow in spec.traffic().flows}
    return Capacity(
        wires=_wires(spec, profile, others),
        radios=_radios(spec, profile, others),
        tsq={series: _tsq(spec, profile, node, others) for series, node in senders.items()},
    )


def _wires(spec: Spec, profile: Profile, others: Others) -> dict[str, WireCapacity]:
    found = {}
    varied = {end.port.egress for table in spec.vary if table.rate or table.deliveries
              for end in wire_ends(spec.testbed.graph, table.link)}  # fmt: skip
    for link in spec.testbed.graph.links:
        card = card_of(of_device(link.device, profile, others))
        for end in link.ends:
            line_rate = end.line_rate or card.line_rate
            if end.port.egress not in varied:
                found[end.port.egress] = _wire(end.queue.rate, line_rate)
    return found


def _wire(shaped: Rate | None, line_rate: Rate) -> WireCapacity:
    """The rate of HTB, which counts as a qdisc does, or of the card, whichever is less."""
    if shaped is not None and shaped < line_rate:
        return WireCapacity(shaped / 1e6, 0)
    return WireCapacity(line_rate / 1e6, _WIRE_BYTES)


def _radios(spec: Spec, profile: Profile, others: Others) -> dict[str, RadioCapacity]:
    found = {}
    for place in spec.testbed.graph.radios:
        usual = of_device(place.medium.device, profile, others)
        if isinstance(usual, Airlink):
            own = own_radio(usual, place.member, others)
            rate = rate_text(place.medium, place.member, usual, others)
            found[place.name] = _radio(spec, own, rate)
    return found


def _radio(spec: Spec, radio: Airlink, rate_of_data: str) -> RadioCapacity:
    """The least of the profile's own limits and the standard's, with full-sized packets.

    Aggregates that are formed ahead share one block ack window, whatever it is.
    """
    rate = standard_rate(parse_rate(rate_of_data))
    limits = STANDARD_LIMITS[rate.standard]
    ahead = radio.number("aggregates_ahead")
    window = radio.number("window_frames") // ahead
    time = radio.aggregate_time
    own = Limits(
        max(1, min(radio.number("aggregate_frames"), window)),
        radio.aggregate_bytes or limits.bytes,
        time.ns if time else limits.duration_ns,
    )
    msdus, mpdu = _largest_mpdu(spec, radio, rate.standard)
    host = radio.number("host_frames")
    return RadioCapacity(
        aggregate_frames=largest_aggregate(rate, mpdu, own),
        amsdu_frames=msdus,
        ring_frames=min(host, radio.resume_frames or host),
        bus_frames=radio.bus_frames or 0,
        pulls=radio.front == "softmac" and radio.device_queues in (None, "pull"),
        packet_bytes=ERAS[spec.lab.era].charged,
    )


def _largest_mpdu(spec: Spec, radio: Airlink, standard: str) -> tuple[int, int]:
    """How many full-sized packets go into an A-MSDU, and the bytes of its MPDU."""
    packet = min(spec.testbed.mtu, _PACKET_BYTES_MAX)
    packet = min(_datagram_bytes(spec) or packet, packet)
    most = min(radio.number("amsdu_bytes"), MPDU_MAX_BYTES.get(standard, 0))
    sizes = {msdus: mpdu_bytes(packet, packets=msdus)
             for msdus in range(1, radio.number("amsdu_frames") + 1)}  # fmt: skip
    msdus = max([msdus for msdus, size in sizes.items() if size <= most], default=1)
    return msdus, sizes[msdus]


def _datagram_bytes(spec: Spec) -> int:
    """The largest packet of flows that are all of UDP; 0 if there are others, or none."""
    flows = spec.traffic().flows
    if any(flow.protocol == "tcp" for flow in flows):
        return 0
    sizes = [(flow.said and flow.said.datagram_bytes) or spec.flows.udp_size for flow in flows]
    return max(sizes) + _UDP_IP_BYTES if sizes else 0


def _tsq(spec: Spec, profile: Profile, node: str, others: Others) -> TsqCapacity:
    own = {name.replace("/", "."): value for name, value in
           spec.testbed.sysctl.get(node, {}).items()}  # fmt: skip
    values = era_sysctls(spec, profile) | tsq_sysctls(spec, profile, node, others) | own
    stock_time = not spec.sender.tsq.us and _US not in own
    truesize = host_of(spec, profile).truesize
    return TsqCapacity(
        bytes=_number(values.get(_BYTES)) or _number(values.get(OUTPUT_BYTES)) or _OUTPUT_BYTES,
        us=0 if stock_time else _number(values.get(_US)),
        # Where packets are to count for more than they do, stock's time is written as a sysctl.
        stock_part=ERAS[spec.lab.era].charged / truesize if truesize and _US in values else 1.0,
    )


def _number(value: int | str | KernelTime | None) -> int:
    """A sysctl's value; 0 for none, and for what the guest computes."""
    return 0 if isinstance(value, KernelTime) else int(value or 0)
